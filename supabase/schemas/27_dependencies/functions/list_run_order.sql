-- Why: the run page shows which jobs can run at once and which come later, by their branch queue and their blockers.
-- Definer: access is checked first.
create function operations.list_run_order(p_sprint_run_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_run(p_sprint_run_id);
  return (
    select coalesce(json_agg(json_build_object('job_id', j.id, 'lane', j.lane_id, 'blocked_by', (
      select coalesce(json_agg(json_build_object('id', b.blocker_id, 'code', b.code, 'resolved', b.resolved) order by b.sort_order, b.code), '[]')
      from private.task_blockers b where b.task_id = j.task_id)) order by j.position, j.id), '[]')
    from public.agent_jobs j
    where j.sprint_run_id = p_sprint_run_id and j.kind = 'TASK_IMPLEMENTATION'
  );
end;
$$;

comment on function operations.list_run_order is 'Lanes of a run and what its tasks wait for, in the order of the run.';
grant execute on function operations.list_run_order to authenticated;
