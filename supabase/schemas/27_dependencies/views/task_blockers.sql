-- Why: everything that blocks a task in one list: its own dependencies and those of its story. Counters, reasons, cards
-- and the list of what can start all read this. Only DONE resolves a blocker, and in products that wait for the merge
-- only with its code.
create view private.task_blockers with (security_invoker = true) as
select d.blocked_id as task_id, 'task' as kind, b.id as blocker_id, b.code, b.title,
  case b.status when 'TO_DO' then 'todo' else lower(b.status::text) end as status,
  b.status = 'DONE' and private.has_arrived(d.blocked_id, 'task', b.id, d.product_id) as resolved, b.sort_order
from public.task_dependencies d
join public.tasks b on b.id = d.blocker_id
union all
select t.id, 'story', b.id, b.code, b.title, lower(b.status::text),
  b.status = 'DONE' and private.has_arrived(t.id, 'story', b.id, d.product_id), b.sort_order
from public.story_dependencies d
join public.tasks t on t.story_id = d.blocked_id
join public.stories b on b.id = d.blocker_id;

comment on view private.task_blockers is 'What a task waits for: tasks, and the stories that its story waits for.';

grant select on private.task_blockers to authenticated;
