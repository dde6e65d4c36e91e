-- Why: the first line of every change of a job: 404, 403, the product lock, demo and archive. Returns the current row.
-- With p_share a job of one task takes only a share of the lock, and locks the story of its task: enough for the end of
-- one task, and for less. A batch affects more and always takes the exclusive lock.
create function private.lock_job(p_job_id uuid, p_share boolean default false)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  if not found then
    perform private.refuse(404, 'No such agent job.');
  end if;
  perform private.require_product_access(v_job.product_id);
  if p_share and v_job.kind = 'TASK_IMPLEMENTATION' then
    perform private.share_product(v_job.product_id);
    -- Read under the lock: a task may have moved to another story until then.
    perform private.lock_part('story', (select t.story_id from public.tasks t where t.id = v_job.task_id));
  else
    perform private.lock_product(v_job.product_id);
  end if;
  perform private.require_product_write(v_job.product_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id for update;
  if not found then
    perform private.refuse(404, 'No such agent job.');
  end if;
  return v_job;
end;
$$;

comment on function private.lock_job is 'A job under the product lock, for a change (specification: Agent job).';
