-- Why: one shape of a job for all who read it: the contract's fields, and the codes and names that a page needs beside them.
create function private.job_json(p_job public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_task record;
  v_costs jsonb := private.job_costs(p_job.id);
begin
  select t.code, t.title, t.status, t.story_id, s.code as story_code, s.title as story_title
  into v_task
  from public.tasks t
  join public.stories s on s.id = t.story_id
  where t.id = p_job.task_id;

  if not private.may_read_talk(p_job) then
    p_job.summary := null;
    p_job.failure_reason := null;
    p_job.evidence := null;
  end if;
  return to_jsonb(p_job) - 'lane_id' - 'claim_rank' || jsonb_build_object(
    'status', lower(p_job.status::text),
    'task_code', v_task.code,
    'task_title', v_task.title,
    'task_status', case v_task.status when 'TO_DO' then 'todo' else lower(v_task.status::text) end,
    'story_id', v_task.story_id,
    'story_code', v_task.story_code,
    'story_title', v_task.story_title,
    'idea_code', (select i.code from public.ideas i where i.id = p_job.idea_id and private.may_read_talk(p_job)),
    'product_code', (select p.code from public.products p where p.id = p_job.product_id),
    'worker_name', (select w.name from public.agent_workers w where w.id = p_job.worker_id),
    'doing', case when p_job.status in ('CLAIMED', 'RUNNING') then private.doing_now(p_job.id, p_job.attempt) end,
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end
  );
end;
$$;

comment on function private.job_json is
  'An agent job as the contract shows it, status lowercase (specification: Agent job).';

grant execute on function private.job_json to authenticated;
