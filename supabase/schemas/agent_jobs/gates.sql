-- Why: may this job be claimed? The one place: every queued job with the gates that are closed before it for every
-- worker, in the order in which they are told. What only some workers lack is in private.worker_gates, which products a
-- person's workers may take from in private.worker_products, and what a budget allows in private.fits_budgets.
-- Jobs in the phase review wait for a person or CI (specification: Agent job).
create view private.job_gates with (security_invoker = true) as
select j.id, j.product_id, j.kind, j.sprint_run_id, j.task_id, j.created_by, j.author_worker_id, j.phase,
  j.claim_rank, j.created_at, j.position, j.in_turn, j.open_blockers, j.failure_class,
  (select p.requires_sandbox from public.products p where p.id = j.product_id) as needs_sandbox,
  (select t.repo_url from public.tasks t join public.products p on p.id = j.product_id
    where t.id = j.task_id and t.repo_url <> p.repo_url) as own_repo,
  array_remove(array[
    case when j.phase = 'review' then 'review' end,
    case when (select r.status not in ('QUEUED', 'RUNNING') from public.sprint_runs r where r.id = j.sprint_run_id) then 'paused' end,
    case when (select q.status = 'OPEN' and (q.on_expiry <> 'RECOMMENDED' or q.expires_at > private.now())
      from public.agent_questions q where q.id = j.parked_question_id) then 'question' end,
    case when j.not_before > private.now() then 'not_before' end,
    case when j.open_blockers > 0 then 'dependency' end,
    case when not j.in_turn then 'order' end,
    case when (select p.archived_at is not null from public.products p where p.id = j.product_id) then 'archived' end
  ], null) as gates
from public.agent_jobs j
where j.status = 'QUEUED';

-- Why: jobs without a closed gate. Two gates are named again because the index of the claim has them as its condition:
-- agent_jobs_claim_order_idx, whose order is claim_rank, created_at, position, id.
create view private.claimable_jobs with (security_invoker = true) as
select g.*, g as job from private.job_gates g
where g.in_turn and g.open_blockers = 0 and g.gates = '{}';

-- Why: the gates of one job that depend on who asks. Without a worker any worker but the author may verify. A
-- conversation about an idea is for workers of its creator; a task's own repository for workers that follow it.
create function private.worker_gates(
  p_job private.job_gates, p_user_id uuid, p_worker_id uuid, p_is_confined boolean, p_also_repos jsonb)
returns text[] language plpgsql stable set search_path = '' as $$
begin
  return array_remove(array[
    case when p_job.kind = 'PLAN_CHAT' and p_job.created_by is distinct from p_user_id then 'conversation' end,
    case when p_job.phase = 'verify' and p_job.author_worker_id = p_worker_id then 'needs_other_worker' end,
    case when p_job.needs_sandbox and not p_is_confined then 'sandbox' end,
    case when p_job.own_repo is not null and not private.is_followed(p_job.own_repo, p_also_repos) then 'repository' end
  ], null);
end;
$$;

-- Why: decides consent: the products whose jobs a person's workers may take, those where workers_allowed is on (owners
-- always have it), or the one that the claim names (specification: Agent job; claiming).
create function private.worker_products(p_user_id uuid, p_product_id uuid)
returns setof uuid language plpgsql stable set search_path = '' as $$
begin
  return query
    select m.product_id from public.product_members m
    where m.user_id = p_user_id and m.role <> 'VIEWER' and private.is_open_to_token(m.product_id)
      and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end;
end;
$$;
