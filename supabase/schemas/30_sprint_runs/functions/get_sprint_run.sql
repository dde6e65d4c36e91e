-- Why: a run with its jobs in order, executions, pause question, tokens and cost.
-- Definer: access is checked first; RLS would check it again for each row.
create function operations.get_sprint_run(p_sprint_run_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_run(p_sprint_run_id);
  return (select private.run_json(r, true) from public.sprint_runs r where r.id = p_sprint_run_id);
end;
$$;

comment on function operations.get_sprint_run is 'A sprint run with its jobs and executions (specification: Sprint run).';
grant execute on function operations.get_sprint_run to authenticated;
