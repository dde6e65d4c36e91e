-- The roles of a Supabase project. `postgres` runs the migrations and is not a superuser, exactly as in a hosted
-- project, so that no migration can rely on more rights than it has there.
do $$
begin
  if to_regrole('postgres') is null then create role postgres; end if;
  if to_regrole('anon') is null then create role anon; end if;
  if to_regrole('authenticated') is null then create role authenticated; end if;
  if to_regrole('service_role') is null then create role service_role; end if;
  if to_regrole('authenticator') is null then create role authenticator; end if;
  if to_regrole('supabase_auth_admin') is null then create role supabase_auth_admin; end if;
  if to_regrole('supabase_realtime_admin') is null then create role supabase_realtime_admin; end if;
  if to_regrole('supabase_replication_admin') is null then create role supabase_replication_admin; end if;
  if to_regrole('dashboard_user') is null then create role dashboard_user; end if;
end
$$;

alter role postgres login createdb createrole replication bypassrls nosuperuser;
alter role anon nologin noinherit nobypassrls;
alter role authenticated nologin noinherit nobypassrls;
alter role service_role nologin noinherit bypassrls;
alter role authenticator login noinherit nobypassrls;
alter role supabase_auth_admin login noinherit nobypassrls;
alter role supabase_realtime_admin nologin noinherit nobypassrls;
alter role supabase_replication_admin login noinherit replication nobypassrls;
alter role dashboard_user nologin;

grant anon, authenticated, service_role to authenticator;
grant anon, authenticated, service_role, authenticator to postgres with admin option;
-- On a hosted project, an extension lets `postgres` create policies on realtime.messages although it is not a member of
-- the owner. Here it inherits the owner's rights, cannot become the owner, and may change only policies
-- (04_realtime.sql).
do $$
begin
  if current_setting('server_version_num')::integer < 160000 then
    grant supabase_realtime_admin to postgres;
  else
    execute 'grant supabase_realtime_admin to postgres with inherit true, set false';
  end if;
end
$$;
-- The role that follows messages also creates their partitions. In folders of earlier versions it could become the API
-- roles, too.
grant supabase_realtime_admin to supabase_replication_admin;
revoke anon, authenticated, service_role from supabase_replication_admin;

alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
alter role supabase_auth_admin set search_path = auth;
alter role supabase_auth_admin set idle_in_transaction_session_timeout = '60s';
