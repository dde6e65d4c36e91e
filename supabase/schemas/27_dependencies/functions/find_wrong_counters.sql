-- Why: triggers keep agent_jobs.open_blockers, which decides what agents get; `doctor` and the race tests compare it
-- with a fresh count. Service only.
-- Definer: the service may not call private functions one by one.
create function operations.find_wrong_counters()
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object('job_id', j.id, 'open_blockers', j.open_blockers, 'counted', private.count_open_blockers(j))
      order by j.id), '[]')
    from public.agent_jobs j
    where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and j.open_blockers <> private.count_open_blockers(j)
  );
end;
$$;

comment on function operations.find_wrong_counters is 'Unfinished jobs whose open_blockers is not what they wait for. Service only.';
grant execute on function operations.find_wrong_counters to service_role;
