-- Why: an agent that plans first hands in its plan before it goes on. The plan is stored in the task, where people read
-- and edit it, and in the frozen plans of the job and the batch. A plan that somebody wrote meanwhile is kept, and
-- becomes the plan of this attempt.
create function private.keep_plan(p_job public.agent_jobs, p_task_id uuid, p_plan text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_plan text;
begin
  if p_plan !~ '\S' or char_length(p_plan) > 100000 then
    perform private.refuse(422, 'implementation_plan takes 1 to 100000 characters.');
  end if;
  if p_job.phase <> 'implement' or p_task_id is null then
    perform private.refuse(422, 'Only who implements a task plans it.');
  end if;
  update public.tasks t set implementation_plan = p_plan
  where t.id = p_task_id and coalesce(t.implementation_plan, '') !~ '\S';
  select t.implementation_plan into v_plan from public.tasks t where t.id = p_task_id;
  update public.agent_jobs j set plan_snapshot = v_plan
  where j.id = p_job.id and j.task_id = p_task_id and coalesce(j.plan_snapshot, '') !~ '\S';
  update public.task_executions e set plan_snapshot = v_plan
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id and coalesce(e.plan_snapshot, '') !~ '\S';
end;
$$;

comment on function private.keep_plan is 'The plan that an agent wrote for a task that had none (docs/agents.md).';
