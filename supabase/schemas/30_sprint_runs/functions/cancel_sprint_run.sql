-- Why: cancels an unfinished run with its unfinished jobs and its pause question. Tasks, stories, PBIs and the sprint
-- keep their status (specification: Sprint run).
-- Refusals: 404, 403, 409 when the run is finished. Definer: runs and jobs are written by functions only.
create function operations.cancel_sprint_run(p_sprint_run_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_run public.sprint_runs := private.lock_run(p_sprint_run_id);
begin
  if v_run.status not in ('QUEUED', 'RUNNING', 'PAUSED') then
    perform private.refuse(409, format('Only an unfinished run can be cancelled; this one is %s.', lower(v_run.status::text)));
  end if;
  perform private.end_run(v_run, 'CANCELLED', 'The run was cancelled.', null);
  select r.* into v_run from public.sprint_runs r where r.id = p_sprint_run_id;
  return private.run_json(v_run, false);
end;
$$;

comment on function operations.cancel_sprint_run is 'Unfinished run to CANCELLED, without cascade (specification: Sprint run).';
grant execute on function operations.cancel_sprint_run to authenticated;
