-- Why: jobs that share a branch run one after another. When one is finished or deleted, the first unfinished one of its lane
-- is in turn, and when none is left anywhere in the run, the run is done.
-- Definer: the caller may not write jobs and runs.
create function private.tg_agent_jobs__advance_lane()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if not exists (
    select from public.sprint_runs r where r.id = old.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
  ) then
    return null;
  end if;

  if private.bring_next_in_turn(old.sprint_run_id, old.lane_id) then
    return null;
  end if;
  perform private.lock_part('run', old.sprint_run_id);
  perform private.complete_run(old.sprint_run_id);
  return null;
end;
$$;

comment on function private.tg_agent_jobs__advance_lane is
  'Brings the next job of a lane in turn and completes the run (specification: Agent job; Sprint run).';

create trigger _600_advance_lane
after update of status on public.agent_jobs
for each row when (
  old.sprint_run_id is not null
  and old.status in ('QUEUED', 'CLAIMED', 'RUNNING')
  and new.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED')
)
execute function private.tg_agent_jobs__advance_lane();

create trigger _600_advance_lane_deleted
after delete on public.agent_jobs
for each row when (old.sprint_run_id is not null and old.status in ('QUEUED', 'CLAIMED', 'RUNNING'))
execute function private.tg_agent_jobs__advance_lane();
