-- The Data API exposes only `public`: tables under row level security, and the entry points of calls.
-- Operations are in `operations`, helpers in `private`. No one but the service role, which reads and writes every table, can
-- use a new object until a grant names it, regardless of the project's default privileges.
create schema if not exists private;

create schema operations;

comment on schema private is 'Helpers and trigger functions; not exposed by the Data API.';

comment on schema operations is 'Operations of users and of the service, called by name through public; not exposed by the Data API.';

revoke all on schema private, operations from public;
grant usage on schema private, operations to authenticated, service_role;
grant usage on schema public to anon, authenticated, service_role;

alter default privileges revoke execute on functions from public;

alter default privileges in schema public revoke all on tables from anon, authenticated;

alter default privileges in schema public grant select, insert, update, delete on tables to service_role;

alter default privileges in schema public revoke all on sequences from anon, authenticated;

alter default privileges in schema public revoke all on functions from anon, authenticated;
