-- Why: a batch is one job for many tasks; its agent must not begin a task before the task's blockers are on the branch.
create function private.refuse_waiting(p_task_id uuid, p_sprint_run_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_codes text[] := array(
    select b.code from private.task_blockers b
    where b.task_id = p_task_id and not b.resolved
      and not private.comes_with_batch(p_sprint_run_id, b.task_id, b.kind, b.blocker_id, true)
    order by b.sort_order, b.code);
begin
  if v_codes <> '{}' then
    perform private.refuse(409,
      format('This task is blocked by %s. You still hold the job: continue with the next task, and come back to this one.', array_to_string(v_codes, ', ')),
      jsonb_build_object('blocked_by', v_codes));
  end if;
end;
$$;

comment on function private.refuse_waiting is 'PT409 for a task of a batch that waits for others (specification: Sprint run, executions).';
