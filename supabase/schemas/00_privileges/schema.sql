-- Why: everything that clients must not call by name lives in `private`, which the Data API does not expose; and nothing
-- new is reachable by anyone until a grant names it, whatever the project's default privileges were.
create schema if not exists private;

comment on schema private is 'Helpers, trigger functions and definer bodies; not exposed by the Data API.';

revoke all on schema private from public;
grant usage on schema private to authenticated, service_role;
grant usage on schema public to anon, authenticated, service_role;

alter default privileges revoke execute on functions from public;
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke all on functions from anon, authenticated;

-- call_as and authenticate run as the service role and use these helpers.
grant usage on schema private to service_role;
