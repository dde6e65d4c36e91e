-- Why: a task is in at most one unfinished run. Returns which run holds which tasks of a product, optionally only runs
-- without a sprint, because an unfinished sprint run is its own blocker of the next start.
create function private.held_by_runs(p_product_id uuid, p_own_only boolean)
returns table (task_id uuid, run_id uuid, subject text, status text)
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
    select x.task_id, r.id, private.run_subject(r), lower(r.status::text)
    from public.sprint_runs r
    cross join lateral private.run_tasks(r.id) x
    where r.product_id = p_product_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED') and (not p_own_only or r.sprint_id is null);
end;
$$;

comment on function private.held_by_runs is 'Tasks of unfinished runs, with their run.';
