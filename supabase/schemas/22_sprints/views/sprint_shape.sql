-- A sprint as in the REST API (specification: Sprint).
create view private.sprint_shape with (security_invoker = true) as
select
  s.id, s.product_id, s.code, s.sprint_goal,
  lower(s.status::text) as status,
  s.start_date, s.end_date,
  to_char(s.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as started_at,
  to_char(s.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as completed_at,
  to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  s.version
from public.sprints s;

comment on view private.sprint_shape is 'A sprint in REST form (specification: Sprint).';

grant select on private.sprint_shape to authenticated;
