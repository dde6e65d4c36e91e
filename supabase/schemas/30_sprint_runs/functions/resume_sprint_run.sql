-- Why: resumes a paused run and closes its question. Returns the run that continues, a new one for a batch.
-- Refusals: 404, 403, 409 when the run is not paused, or its budget is used up. Definer: runs are written by functions
-- only.
create function operations.resume_sprint_run(p_sprint_run_id uuid)
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
  perform private.require_budget_left(v_run);
  perform private.close_question(v_run.pause_question_id);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.continue_run(v_run);
  return private.run_json(v_run, false);
end;
$$;

comment on function operations.resume_sprint_run is
  'PAUSED to RUNNING or QUEUED, or a new batch run (specification: Sprint run).';
grant execute on function operations.resume_sprint_run to authenticated;
