-- How the pages look for a user; SYSTEM follows the device.
create type public.user_theme as enum ('SYSTEM', 'LIGHT', 'DARK');

comment on type public.user_theme is 'Colour scheme that a user chose in the settings.';
