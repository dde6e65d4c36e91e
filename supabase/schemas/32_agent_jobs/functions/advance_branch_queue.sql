-- Why: jobs that share a branch run one after another. When one is finished or deleted, the first unfinished job of its
-- branch queue gets the turn; when the run has none left, the run is done.
create function private.advance_branch_queue(p_job public.agent_jobs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if not private.is_run_unfinished(p_job.sprint_run_id) then
    return;
  end if;

  if private.bring_next_in_turn(p_job.sprint_run_id, p_job.lane_id) then
    return;
  end if;
  perform private.lock_part('run', p_job.sprint_run_id);
  perform private.complete_run(p_job.sprint_run_id);
end;
$$;

comment on function private.advance_branch_queue is
  'Brings the next job of a branch queue in turn and completes the run (specification: Agent job; Sprint run).';
