-- Why: a paused run goes on: RUNNING while a claim is still held, else QUEUED; the linked question is closed and the context
-- cleared. A batch run with unfinished executions goes on as a new run. Answers the run that goes on.
-- Refusals: 404, 403, 409 when the run is not paused. Definer: runs are written by functions only.
create function private.resume_sprint_run(p_sprint_run_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_run public.sprint_runs := private.lock_run(p_sprint_run_id);
begin
  if v_run.status <> 'PAUSED' then
    perform private.refuse(409, format('Only a paused run can be resumed; this one is %s.', lower(v_run.status::text)));
  end if;
  perform private.close_question(v_run.pause_question_id);

  if v_run.pr_strategy = 'SPRINT_BATCH' and exists (
    select from public.task_executions e
    where e.sprint_run_id = v_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED')
  ) then
    -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
    v_run := private.resume_batch_run(v_run);
    return private.run_json(v_run, false);
  end if;

  update public.sprint_runs r
  set pause_context = null,
      status = case when exists (
        select from public.agent_jobs j where j.sprint_run_id = r.id and j.status in ('CLAIMED', 'RUNNING')
      ) then 'RUNNING' else 'QUEUED' end::public.sprint_run_status
  where r.id = v_run.id;
  perform private.complete_run(v_run.id);

  select r.* into v_run from public.sprint_runs r where r.id = p_sprint_run_id;
  return private.run_json(v_run, false);
end;
$$;

grant execute on function private.resume_sprint_run to authenticated;

create function public.resume_sprint_run(p_sprint_run_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.resume_sprint_run(p_sprint_run_id);
end;
$$;

comment on function public.resume_sprint_run is
  'PAUSED to RUNNING or QUEUED, or a new batch run (specification: Sprint run).';

grant execute on function public.resume_sprint_run to authenticated;
