-- Why: the first state of the solo stream: the active sprint, the product's unfinished jobs, and how many workers that
-- reach it are online. Job statuses in database form (specification: Solo stream). Definer: access is checked first.
create function operations.get_solo_state(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);
  return json_build_object(
    'sprint_id', (select s.id from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE'),
    'jobs', (
      select coalesce(json_agg(json_build_object('id', j.id, 'task_id', j.task_id, 'kind', j.kind, 'status', j.status,
        'sprint_run_id', j.sprint_run_id) order by j.created_at, j.position, j.id), '[]')
      from public.agent_jobs j
      where j.product_id = p_product_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')),
    'workers', json_build_object('count', private.workers_online(array[p_product_id])));
end;
$$;

comment on function operations.get_solo_state is
  'Active sprint, unfinished jobs and worker count (specification: Solo stream).';
grant execute on function operations.get_solo_state to authenticated;
