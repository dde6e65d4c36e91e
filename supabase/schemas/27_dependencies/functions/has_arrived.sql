-- Why: the one place that decides whether finished code is available to what it blocks. Always, if the product asks for
-- no more than "done". Otherwise it must be on the main branch or on the blocked task's own branch, because jobs that
-- share a branch would wait for a merge that comes after all of them. p_branch is the branch of a job about to be
-- written.
create function private.has_arrived(p_waiting_id uuid, p_kind text, p_blocker_id uuid, p_product_id uuid, p_branch text default null)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  v_branches text[];
begin
  if (select p.dependency_release from public.products p where p.id = p_product_id) = 'done' then
    return true;
  end if;
  v_branches := array_remove(array(
    select j.branch from public.agent_jobs j
    where j.task_id = p_waiting_id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    union all
    select j.branch from public.task_executions e
    join public.agent_jobs j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    where e.task_id = p_waiting_id
  ) || p_branch, null);
  return not exists (
    select from private.unmerged_works(p_kind, p_blocker_id) w where w.branch is null or w.branch <> all (v_branches));
end;
$$;

comment on function private.has_arrived is 'Whether the code of a done task or story is where a waiting task needs it (docs/dependencies.md).';

grant execute on function private.has_arrived to authenticated;
