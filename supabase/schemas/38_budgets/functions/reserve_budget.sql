-- Why: reserves what a claimed job is expected to use; if less is left, the rest.
create function private.reserve_budget(p_job public.agent_jobs, p_rooms private.budget_room[])
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_tasks integer := 1;
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    select count(*) into v_tasks from public.task_executions e
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING');
  end if;
  insert into public.budget_reservations as r (job_id, unit, attempt, product_id, amount)
  select p_job.id, x.unit, p_job.attempt, p_job.product_id, least(greatest(v_tasks, 1) * x.need, x.amount)
  from private.budget_left(p_job, p_rooms) x
  on conflict (job_id, unit) do update
  set attempt = excluded.attempt, amount = excluded.amount, seen = 0, step = 0;
end;
$$;

comment on function private.reserve_budget is 'Reserves for a claimed job what it is expected to use.';
