-- Why: a dependency may come while a job is at work. When the job comes back to the queue and what it waits for stands behind it in its
-- lane, the turn passes on, or nobody would ever begin. Definer: the caller may not write jobs.
create function private.tg_agent_jobs__pass_turn()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.pass_turn(new.sprint_run_id, new.lane_id);
  return null;
end;
$$;

comment on function private.tg_agent_jobs__pass_turn is 'Lets a lane go on when its job comes back and waits (specification: Agent job).';

create trigger _605_pass_turn
after update of status on public.agent_jobs
for each row when (
  new.status = 'QUEUED' and old.status in ('CLAIMED', 'RUNNING') and new.open_blockers > 0 and new.in_turn and new.sprint_run_id is not null
)
execute function private.tg_agent_jobs__pass_turn();
