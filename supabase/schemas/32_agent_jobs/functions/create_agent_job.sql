-- Why: single jobs outside a run are no longer possible (specification: Starting a sprint run 3). The operation stays,
-- so that callers get the alternative. Refusals: 404, 403, then always 409.
create function operations.create_agent_job(p_task_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_access('task', p_task_id);
  perform private.refuse(409,
    'Single jobs can no longer be created. Start a sprint run instead: it creates the jobs of all its tasks (start_sprint_run).');
  return null;
end;
$$;

comment on function operations.create_agent_job is
  'Always refused with the way to sprint runs (specification: Starting a sprint run 3).';
grant execute on function operations.create_agent_job to authenticated;
