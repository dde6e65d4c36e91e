-- Why: what was done for tasks, whether or not its job was deleted since. Whatever asks where code is reads this and
-- never agent_jobs alone, so that the cleanup changes no answer.
create view private.works with (security_invoker = true) as
select j.id, j.product_id, j.task_id, j.kind, j.status, j.sprint_run_id, j.branch, j.base_sha, j.head_sha,
  case when j.evidence ->> 'commits' ~ '^\d{1,6}$' then (j.evidence ->> 'commits')::integer end as commits,
  j.pushed_at, j.merged_at, j.finished_at, j.created_at, coalesce(j.finished_at, private.ended_before_review(j)) as ended_at,
  j.status = 'DONE' or j.phase = 'review' as was_handed_in
from public.agent_jobs j
where j.kind <> 'PLAN_CHAT'
union all
select p.id, p.product_id, p.task_id, p.kind, p.status, p.sprint_run_id, p.branch, p.base_sha, p.head_sha, p.commits,
  p.pushed_at, p.merged_at, p.finished_at, p.created_at, p.finished_at, p.status = 'DONE'
from public.past_jobs p;

comment on view private.works is 'The work of all jobs, deleted ones included (docs/worker.md).';

grant select on private.works to authenticated;
