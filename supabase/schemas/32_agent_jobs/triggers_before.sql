-- Why: a new job knows its blockers from the start. Definer: counts independently of what the caller may see.
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

-- Why: sets what follows from a job's row alone, whoever writes it: a single job outside a run is refused with the
-- alternative, a final status has its time, a queued or finished job has no lease, and a job alone has its own branch
-- queue.
-- Invoker on purpose: the current role tells a user's direct insert (always refused) from one by our own functions.
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
