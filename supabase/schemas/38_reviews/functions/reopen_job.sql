-- Why: changes are requested for finished work. During its run the job itself returns, first in the queue, and jobs of
-- its branch that have not begun wait for it. Later its task returns to the board, and the next run gets the comments.
-- Failed work is retried by resuming. Called under the product lock.
create function private.reopen_job(p_job public.agent_jobs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_is_held boolean := private.is_lane_held(p_job.sprint_run_id, p_job.lane_id);
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(409, 'This batch is over. Create a task for further changes.');
  end if;
  if p_job.status not in ('DONE', 'SKIPPED') then
    return;
  end if;
  if not private.is_run_unfinished(p_job.sprint_run_id) then
    update public.tasks t set status = 'TO_DO' where t.id = p_job.task_id and t.status in ('DONE', 'REVIEW');
    return;
  end if;

  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.id <> p_job.id
    and j.status = 'QUEUED' and j.in_turn and j.phase = 'implement';
  update public.agent_jobs j
  set status = 'QUEUED', phase = 'implement', claim_rank = 0, in_turn = not v_is_held, verify_result = null,
      retry_count = 0, failure_class = null, failure_reason = null, parked_question_id = null, not_before = null
  where j.id = p_job.id;
  update public.tasks t set status = 'IN_PROGRESS' where t.id = p_job.task_id and t.status in ('DONE', 'REVIEW');
end;
$$;

comment on function private.reopen_job is 'Ended work is opened again by a review (docs/review.md).';
