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
