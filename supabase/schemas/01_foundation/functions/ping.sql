-- The database's answer to `GET /api/health?db=1` (specification: GET /api/health).
-- Called by the health route with the service key. Touches no table, so it reports only whether the database is
-- reachable.
create function operations.ping() returns json
language sql
stable
set search_path = ''
as $$
  select '"ok"'::json;
$$;

comment on function operations.ping is 'Specification, GET /api/health: answers when the database is reachable.';
grant execute on function operations.ping to service_role;
