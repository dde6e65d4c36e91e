-- A story in the backlog (specification: Story).
create view private.story_shape with (security_invoker = true) as
select
  s.id, s.product_id, s.pbi_id, s.code, s.title, s.description, s.acceptance_criteria, s.priority,
  lower(s.status::text) as status,
  s.sort_order, s.sprint_id, s.assignee_id,
  to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  s.version
from public.stories s;

comment on view private.story_shape is 'A story in REST form (specification: Story).';

grant select on private.story_shape to authenticated;
