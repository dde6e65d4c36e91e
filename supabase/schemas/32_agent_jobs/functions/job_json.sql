-- Why: one shape of a job for all who read it: the contract's fields, and the codes and names that a page needs beside them.
create function private.job_json(p_job public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_task public.tasks;
  v_story public.stories;
  v_product_code text;
  v_worker_name text;
  v_idea_code text;
  v_costs jsonb := private.job_costs(p_job.id);
begin
  select t.* into v_task from public.tasks t where t.id = p_job.task_id;
  select s.* into v_story from public.stories s where s.id = v_task.story_id;
  select p.code into v_product_code from public.products p where p.id = p_job.product_id;
  select w.name into v_worker_name from public.agent_workers w where w.id = p_job.worker_id;

  if not private.may_read_talk(p_job) then
    p_job.summary := null;
    p_job.failure_reason := null;
    p_job.evidence := null;
  elsif p_job.idea_id is not null then
    select i.code into v_idea_code from public.ideas i where i.id = p_job.idea_id;
  end if;
  return to_jsonb(p_job) - '{lane_id,claim_rank}'::text[] || jsonb_build_object(
    'status', lower(p_job.status::text),
    'task_code', v_task.code,
    'task_title', v_task.title,
    'task_status', case v_task.status when 'TO_DO' then 'todo' else lower(v_task.status::text) end,
    'story_id', v_task.story_id,
    'story_code', v_story.code,
    'story_title', v_story.title,
    'idea_code', v_idea_code,
    'product_code', v_product_code,
    'worker_name', v_worker_name,
    'doing', case when p_job.status in ('CLAIMED', 'RUNNING') then private.doing_now(p_job.id, p_job.attempt) end,
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end
  );
end;
$$;

comment on function private.job_json is
  'An agent job as the contract shows it, status lowercase (specification: Agent job).';

grant execute on function private.job_json to authenticated;
