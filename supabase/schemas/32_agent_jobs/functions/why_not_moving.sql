-- Why: answers "why is this not moving?" for a job, a task or a run, in codes and messages; the same on the board, in
-- tool results and in a worker's log. `moving` is true while somebody holds the work.
-- Refusals: 404, 403, 422. Definer: access is checked first.
create function operations.why_not_moving(p_kind text, p_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_kind text := lower(private.require_choice('kind', p_kind, array['JOB', 'TASK', 'RUN']));
  v_job public.agent_jobs;
  v_run public.sprint_runs;
  v_status text;
  v_reasons jsonb;
begin
  if v_kind = 'job' then
    perform private.require_job(p_id);
    select j.* into v_job from public.agent_jobs j where j.id = p_id;
    v_status := lower(v_job.status::text);
    v_reasons := private.job_reasons(v_job);
  elsif v_kind = 'run' then
    perform private.require_run(p_id);
    select r.* into v_run from public.sprint_runs r where r.id = p_id;
    v_status := lower(v_run.status::text);
    v_reasons := private.run_reasons(v_run);
  else
    perform private.require_access('task', p_id);
    select private.task_status_word(t.status) into v_status from public.tasks t where t.id = p_id;
    v_reasons := private.task_reasons(p_id);
  end if;
  v_reasons := v_reasons || private.conflict_reasons(v_kind, p_id) || private.pull_reasons(v_kind, p_id);
  return json_build_object('kind', v_kind, 'id', p_id, 'status', v_status,
    'moving', exists (select from jsonb_array_elements(v_reasons) r where r ->> 'code' = 'lease'),
    'reasons', v_reasons,
    'text', (select string_agg(r ->> 'message', ' ') from jsonb_array_elements(v_reasons) r));
end;
$$;

comment on function operations.why_not_moving is
  'Why a job, task or run does not move, in codes and words (specification: Agent job; Sprint run).';
grant execute on function operations.why_not_moving to authenticated;

-- Why: a run moves when one of its jobs is held or claimable. Otherwise: the reasons of the next jobs in its branch
-- queues, each code once.
create function private.run_reasons(p_run public.sprint_runs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_run.status in ('DONE', 'FAILED', 'CANCELLED') then
    return jsonb_build_array(jsonb_build_object('code', 'finished',
      'message', format('The run is %s%s', lower(p_run.status::text), coalesce(': ' || (p_run.failure ->> 'reason'), '.')),
      'failure', p_run.failure, 'finished_at', p_run.finished_at));
  end if;
  return (
    select coalesce(jsonb_agg(x.reason order by x.place), '[]')
    from (
      select distinct on (r.reason ->> 'code') r.reason || jsonb_build_object('job_id', coalesce(r.reason -> 'job_id', to_jsonb(j.id))) as reason,
        j.position as place
      from (
        select * from public.agent_jobs a
        where a.sprint_run_id = p_run.id and a.in_turn and a.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by a.position limit 50
      ) j
      cross join lateral jsonb_array_elements(private.job_reasons(j)) as r (reason)
      order by r.reason ->> 'code', j.position
    ) x
  );
end;
$$;

comment on function private.run_reasons is 'Why a run does not move (specification: Sprint run).';

-- Why: a task moves by its job. Without one, the reason is why there is none: no run of its sprint, no sprint, or done.
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
    select j.* into v_job from public.agent_jobs j where j.task_id = p_task_id and j.status = 'QUEUED' and j.phase = 'review' limit 1;
    if v_job.id is not null then
      return private.job_reasons(v_job);
    end if;
    return jsonb_build_array(jsonb_build_object('code', 'review', 'message', 'The task is waiting for a person to review it.'));
  end if;
  if v_run.id is not null then
    select j.* into v_job from public.agent_jobs j
    where j.sprint_run_id = v_run.id and (j.task_id = p_task_id or j.kind = 'SPRINT_IMPLEMENTATION')
    order by (j.status in ('QUEUED', 'CLAIMED', 'RUNNING')) desc, j.created_at desc
    limit 1;
    return private.job_reasons(v_job);
  end if;

  select j.* into v_job from public.agent_jobs j where j.task_id = p_task_id order by j.created_at desc, j.id limit 1;
  select s.id, s.code, s.status into v_sprint
  from public.stories st join public.sprints s on s.id = st.sprint_id where st.id = v_task.story_id;
  if v_task.status = 'FAILED' then
    return jsonb_build_array(jsonb_build_object('code', 'failed',
      'message', format('The task failed%s %s to try it again.', coalesce(': ' || v_job.failure_reason, '.'),
        case v_sprint.status when 'FAILED' then 'Resume the sprint' else 'Run it' end), 'job_id', v_job.id));
  end if;
  if v_sprint.id is null then
    return jsonb_build_array(jsonb_build_object('code', 'no_sprint', 'message', 'The story of this task is not in a sprint. Run the task by itself, or put its story into a sprint.'))
      || private.dependency_reasons(array[p_task_id]);
  end if;
  return jsonb_build_array(jsonb_build_object('code', 'no_run', 'sprint_id', v_sprint.id,
    'message', format('Sprint %s (%s) has no run in progress. Start one, or run this task by itself.', v_sprint.code, lower(v_sprint.status::text))))
    || private.dependency_reasons(array[p_task_id]);
end;
$$;

comment on function private.task_reasons is 'Why a task does not move (specification: Task; Agent job).';
