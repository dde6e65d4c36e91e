-- Why: the claim's index reads agent_jobs.open_blockers, so it is kept in the transaction of every change it depends
-- on. Counted from scratch under the lock of the job's row, never incremented: if two blockers end at the same moment,
-- the second sees the first. Releases are remembered for the operation's answer (private.released). If a blocked job
-- holds the turn of its branch queue while another could begin, the turn passes on.
create function private.recount_blockers(p_task_ids uuid[])
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job_ids uuid[];
begin
  select array_agg(l.id) into v_job_ids
  from (
    select j.id
    from public.agent_jobs j
    where j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
      and j.id in (
        select a.id from public.agent_jobs a where a.task_id = any (p_task_ids) and a.kind = 'TASK_IMPLEMENTATION'
        union all
        select a.id from public.task_executions e
        join public.agent_jobs a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION'
        where e.task_id = any (p_task_ids)
      )
    order by j.id
    for update
  ) l;
  if v_job_ids is null then
    return;
  end if;

  update public.agent_jobs j
  set open_blockers = c.open_blockers
  from (
    select a.id, private.count_open_blockers(a) as open_blockers from public.agent_jobs a where a.id = any (v_job_ids)
  ) c
  where j.id = c.id and j.open_blockers <> c.open_blockers;
  if found then
    perform private.pass_turn(j.sprint_run_id, j.lane_id)
    from (select distinct a.sprint_run_id, a.lane_id from public.agent_jobs a where a.id = any (v_job_ids) order by 1, 2) j;
  end if;
end;
$$;

comment on function private.recount_blockers is 'Keeps agent_jobs.open_blockers of the jobs of these tasks.';
