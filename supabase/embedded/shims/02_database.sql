-- Schemas `public` and `extensions` with the rights of a new hosted project: objects that `postgres` creates in public
-- need explicit grants. Folders of 0.1.0 started with the older rights, which opened everything to the API roles.
do $$
begin
  execute format('alter database %I owner to postgres', current_database());
end
$$;
grant all on schema public to postgres;
grant usage on schema public to anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  revoke all on tables from anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  revoke all on functions from anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  revoke all on sequences from anon, authenticated, service_role;

create schema if not exists extensions;
grant usage on schema extensions to anon, authenticated, service_role, supabase_auth_admin;
grant all on schema extensions to postgres, dashboard_user;
create extension if not exists "uuid-ossp" with schema extensions;
create extension if not exists pgcrypto with schema extensions;
