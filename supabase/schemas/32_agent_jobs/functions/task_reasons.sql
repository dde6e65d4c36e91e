-- Why: a task moves by its job. Without one, the question is why there is none: no run of its sprint, no sprint, or done.
create function private.task_reasons(p_task_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_task public.tasks;
  v_run public.sprint_runs := private.active_run_of_task(p_task_id);
  v_job public.agent_jobs;
  v_sprint record;
begin
  select t.* into v_task from public.tasks t where t.id = p_task_id;
  if v_task.status = 'DONE' then
    return jsonb_build_array(jsonb_build_object('code', 'finished', 'message', 'The task is done.'));
  end if;
  if v_task.status = 'REVIEW' then
    return jsonb_build_array(jsonb_build_object('code', 'review', 'message', 'The task waits for a person to review it.'));
  end if;
  if v_run.id is not null then
    select j.* into v_job from public.agent_jobs j
    where j.sprint_run_id = v_run.id and (j.task_id = p_task_id or j.kind = 'SPRINT_IMPLEMENTATION')
    order by (j.status in ('QUEUED', 'CLAIMED', 'RUNNING')) desc, j.created_at desc
    limit 1;
    return private.job_reasons(v_job);
  end if;

  select j.* into v_job from public.agent_jobs j where j.task_id = p_task_id order by j.created_at desc, j.id limit 1;
  if v_task.status = 'FAILED' then
    return jsonb_build_array(jsonb_build_object('code', 'failed',
      'message', format('The task failed%s Resume the sprint to try it again.', coalesce(': ' || v_job.failure_reason, '.')), 'job_id', v_job.id));
  end if;
  select s.id, s.code, s.status into v_sprint
  from public.stories st join public.sprints s on s.id = st.sprint_id where st.id = v_task.story_id;
  if v_sprint.id is null then
    return jsonb_build_array(jsonb_build_object('code', 'no_sprint', 'message', 'The story of this task is in no sprint.'))
      || private.dependency_reasons(array[p_task_id]);
  end if;
  return jsonb_build_array(jsonb_build_object('code', 'no_run', 'sprint_id', v_sprint.id,
    'message', format('No run of sprint %s (%s) is under way. Start one.', v_sprint.code, lower(v_sprint.status::text))))
    || private.dependency_reasons(array[p_task_id]);
end;
$$;

comment on function private.task_reasons is 'Why a task does not move (specification: Task; Agent job).';
