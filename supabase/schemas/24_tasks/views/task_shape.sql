-- A task in the backlog, without the four fields of the detail (specification: Task, GET /api/tasks/:id).
create view private.task_shape with (security_invoker = true) as
select
  t.id, t.story_id, t.product_id, t.code, t.title, t.description, t.priority, t.sort_order,
  case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
  t.repo_url, t.verify_only, t.verify_required,
  to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  t.version
from public.tasks t;

comment on view private.task_shape is 'A backlog task in REST form (specification: Task).';

grant select on private.task_shape to authenticated;
