-- A user's rights beyond product memberships (specification: Other records, User).
create type public.user_role as enum ('DEVELOPER', 'ADMIN');

comment on type public.user_role is 'Role of a user (specification: Other records). Registration never grants ADMIN.';

-- A user's color theme; SYSTEM follows the device.
create type public.user_theme as enum ('SYSTEM', 'LIGHT', 'DARK');

comment on type public.user_theme is 'Colour scheme that a user chose in the settings.';
