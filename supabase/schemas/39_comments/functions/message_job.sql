-- Why: people who watch a job can write to its agent from there. The message is a comment on the job's task, in a batch
-- on the task it is at. Refusals: 404, 403, 409, 422, 429. Definer: comments are written by functions only.
create function operations.message_job(p_job_id uuid, p_body text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_job public.agent_jobs;
  v_task_id uuid;
begin
  perform private.require_job(p_job_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  v_task_id := coalesce(v_job.task_id, (
    select e.task_id from public.task_executions e
    where e.sprint_run_id = v_job.sprint_run_id and e.status in ('RUNNING', 'PENDING')
    order by e.status = 'RUNNING' desc, e.position
    limit 1));
  if v_task_id is null or v_job.status not in ('QUEUED', 'CLAIMED', 'RUNNING') then
    perform private.require_product_write(v_job.product_id);
    perform private.refuse(409, 'This job has no agent to write to any more. Comment on its task instead.');
  end if;
  return operations.add_comment('task', v_task_id, p_body, true);
end;
$$;

comment on function operations.message_job is 'Comments on the task of a job and sends that to its agent.';
grant execute on function operations.message_job to authenticated;
