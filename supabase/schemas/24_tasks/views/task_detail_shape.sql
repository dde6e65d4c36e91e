-- A task in detail: the backlog's fields and four more; the acceptance criteria are its story's (specification: GET
-- /api/tasks/:id).
create view private.task_detail_shape with (security_invoker = true) as
select
  t.*, true as _detail,
  k.implementation_plan, s.acceptance_criteria, k.requires_opus, k.estimated_minutes
from private.task_shape t
join public.tasks k on k.id = t.id
join public.stories s on s.id = t.story_id;

comment on view private.task_detail_shape is 'A task in detail (specification: GET /api/tasks/:id).';

grant select on private.task_detail_shape to authenticated;
