-- Why: a blocker of a task in a batch may come with the batch: what has ended on its branch is there, even if a person
-- has yet to review it or has reopened it, and what this run has yet to do (unless p_ended) will be there in time. True
-- if every task of the blocker is there, or is done elsewhere with its code available. For a task worked on twice on
-- this branch, the last time counts.
create function private.comes_with_batch(p_sprint_run_id uuid, p_waiting_id uuid, p_kind text, p_blocker_id uuid, p_ended boolean)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  v_branch text := (select r.branch from public.sprint_runs r where r.id = p_sprint_run_id);
begin
  return (
    select count(e.status) > 0 and bool_and(
      coalesce(e.status in ('DONE', 'SKIPPED')
        or not p_ended and e.sprint_run_id = p_sprint_run_id and e.status in ('PENDING', 'RUNNING'), false)
      or t.status = 'DONE' and private.has_arrived(p_waiting_id, 'task', t.id, t.product_id, v_branch))
    from public.tasks t
    left join lateral (
      select x.status, x.sprint_run_id
      from public.task_executions x
      join public.sprint_runs r on r.id = x.sprint_run_id
      where x.task_id = t.id and r.product_id = t.product_id and r.branch = v_branch
      order by r.created_at desc, r.id desc
      limit 1
    ) e on true
    where p_kind = 'task' and t.id = p_blocker_id or p_kind = 'story' and t.story_id = p_blocker_id
  );
end;
$$;

comment on function private.comes_with_batch is 'Whether a batch brings what one of its tasks waits for (docs/dependencies.md).';
