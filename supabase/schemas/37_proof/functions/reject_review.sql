-- Why: a job that waits in the phase review returns to work, first in the queue; its task is in progress again. No
-- retry is counted. Jobs of its branch that have not begun wait for it; one at work finishes first.
-- For reviews (POST /api/jobs/:id/review, request_changes), by people and tokens alike, and for private.return_work
-- (CI, reviews at the code host, landing queue). It checks and locks by itself: PT404, PT403, PT409 when the job does
-- not wait for a review. The calling operation stores the comments.
create function private.reject_review(p_job_id uuid)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_busy boolean;
begin
  perform private.require_review(v_job);
  if not private.is_run_unfinished(v_job.sprint_run_id) then
    return private.reject_after_run(v_job);
  end if;
  v_busy := private.is_lane_held(v_job.sprint_run_id, v_job.lane_id);
  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = v_job.sprint_run_id and j.lane_id = v_job.lane_id and j.id <> v_job.id
    and j.status = 'QUEUED' and j.in_turn and j.phase = 'implement';
  update public.agent_jobs j
  set phase = 'implement', claim_rank = 0, in_turn = not v_busy, verify_result = null
  where j.id = p_job_id
  returning j.* into v_job;
  perform private.reopen_tasks(v_job, private.stories_to_finish(v_job));
  return v_job;
end;
$$;

comment on function private.reject_review is 'Phase review to implement: somebody requests changes (docs/proof.md).';

-- Why: work whose run ended before its review cannot return to that run: the job ends, and its tasks are to do again for
-- the next one, which begins from this work and reads the review.
create function private.reject_after_run(p_job public.agent_jobs)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job public.agent_jobs;
begin
  perform private.reopen_tasks(p_job, private.stories_to_finish(p_job));
  update public.tasks t set status = 'TO_DO'
  where t.status = 'IN_PROGRESS' and (t.id = p_job.task_id or t.id in (
    select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id and e.status = 'PENDING'));
  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = 'Changes were requested after the run had ended. The next run makes them.'
  where j.id = p_job.id
  returning j.* into v_job;
  return v_job;
end;
$$;

comment on function private.reject_after_run is 'A review of work whose run has ended requests changes (docs/review.md).';
