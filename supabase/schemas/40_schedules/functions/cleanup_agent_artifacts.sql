-- Why: the scheduled clean-up: jobs that failed or were cancelled are hard-deleted when they finished more than 7 days ago;
-- no other job ever is (specification: Scheduled endpoints). Parallel calls skip what another one deletes, so that the counts
-- add up. Service only.
-- Definer: jobs are written by functions only.
create function private.cleanup_agent_artifacts()
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_deleted integer;
begin
  delete from public.agent_jobs j
  where j.id in (
    select d.id from public.agent_jobs d
    where d.status in ('FAILED', 'CANCELLED') and d.finished_at < v_now - interval '7 days'
    order by d.id
    for update skip locked
  );
  get diagnostics v_deleted = row_count;
  return json_build_object('deleted', v_deleted, 'ran_at', to_char(v_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$$;

grant execute on function private.cleanup_agent_artifacts to service_role;

create function public.cleanup_agent_artifacts()
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.cleanup_agent_artifacts();
end;
$$;

comment on function public.cleanup_agent_artifacts is
  'Deletes FAILED and CANCELLED jobs after 7 days (specification: Scheduled endpoints). Service only.';

grant execute on function public.cleanup_agent_artifacts to service_role;
