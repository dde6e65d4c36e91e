-- What a user may do beside the membership of products (specification: Other records, User).
create type public.user_role as enum ('DEVELOPER', 'ADMIN');

comment on type public.user_role is 'Role of a user (specification: Other records). Registration never grants ADMIN.';
