-- Why: a job knows from its first moment what it waits for. Definer: counts whatever the caller may see.
create function private.tg_agent_jobs__count_blockers()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.open_blockers := private.count_open_blockers(new);
  return new;
end;
$$;

comment on function private.tg_agent_jobs__count_blockers is 'open_blockers of a new job.';

create trigger _150_count_blockers
before insert on public.agent_jobs
for each row when (new.kind <> 'PLAN_CHAT')
execute function private.tg_agent_jobs__count_blockers();

-- Why: whoever writes a job, some things follow from its row alone: a single job outside a run is refused with the way to go,
-- a final status has its time, a job that nobody holds has no lease, and a job alone is its own lane.
-- Invoker on purpose: the current role tells a direct insert of a user (always refused) from one by our own functions.
create function private.tg_agent_jobs__stamp()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    if current_user = 'authenticated' or (new.sprint_run_id is null and new.kind <> 'PLAN_CHAT') then
      perform private.refuse(409,
        'Single jobs can no longer be created. Start a sprint run instead: it creates the jobs of all its tasks (start_sprint_run).');
    end if;
    new.lane_id := coalesce(new.lane_id, new.id);
  end if;

  new.updated_at := private.now();
  if new.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED') then
    new.finished_at := coalesce(new.finished_at, private.now());
    new.lease_until := null;
  else
    new.finished_at := null;
  end if;
  if new.status = 'QUEUED' then
    new.lease_until := null;
  end if;
  return new;
end;
$$;

comment on function private.tg_agent_jobs__stamp is
  'Refuses single jobs and keeps finished_at and lease_until (specification: Starting a sprint run 3; Agent job).';

grant execute on function private.tg_agent_jobs__stamp to authenticated, service_role;

create trigger _200_stamp
before insert or update on public.agent_jobs
for each row execute function private.tg_agent_jobs__stamp();
