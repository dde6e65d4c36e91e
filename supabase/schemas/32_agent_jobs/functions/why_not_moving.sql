-- Why: "why is this not moving?" answered for a job, a task or a run, in codes and words; the same on the board, in tool
-- results and in a worker's log. `moving` is true while somebody holds the work.
-- Refusals: 404, 403, 422. Definer: access is checked first.
create function private.why_not_moving(p_kind text, p_id uuid)
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
  v_reasons := v_reasons || private.conflict_reasons(v_kind, p_id);
  return json_build_object('kind', v_kind, 'id', p_id, 'status', v_status,
    'moving', exists (select from jsonb_array_elements(v_reasons) r where r ->> 'code' = 'lease'),
    'reasons', v_reasons,
    'text', (select string_agg(r ->> 'message', ' ') from jsonb_array_elements(v_reasons) r));
end;
$$;

grant execute on function private.why_not_moving to authenticated;

create function public.why_not_moving(p_kind text, p_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.why_not_moving(p_kind, p_id);
end;
$$;

comment on function public.why_not_moving is
  'Why a job, task or run does not move, in codes and words (specification: Agent job; Sprint run).';

grant execute on function public.why_not_moving to authenticated;
