-- Why: jobs that are ready: in turn, unblocked, past their rate limit, in a run that is not paused, with their question
-- answered. Jobs in the phase review wait for a person or CI. Those in verify are for any worker but the author; the
-- claim adds that. private.next_product adds consent, role, archive, sandbox and repository.
-- PLAN_CHAT jobs can be claimed only by their creator's workers; the claim adds that, because it knows the caller.
-- Its order is claim_rank, created_at, position, id: that of the index agent_jobs_claim_order_idx.
create view private.claimable_jobs with (security_invoker = true) as
select j.id, j.product_id, j.kind, j.sprint_run_id, j.created_by, j.claim_rank, j.created_at, j.position, j.phase, j.author_worker_id, j.task_id
from public.agent_jobs j
where j.status = 'QUEUED' and j.in_turn and j.open_blockers = 0 and j.phase <> 'review'
  and (j.not_before is null or j.not_before <= private.now())
  and (j.sprint_run_id is null
    or (select r.status in ('QUEUED', 'RUNNING') from public.sprint_runs r where r.id = j.sprint_run_id))
  and (j.parked_question_id is null
    or (select q.status <> 'OPEN' or (q.on_expiry = 'RECOMMENDED' and q.expires_at <= private.now())
      from public.agent_questions q where q.id = j.parked_question_id));

comment on view private.claimable_jobs is 'The jobs that a worker may be given now (specification: Agent job).';
