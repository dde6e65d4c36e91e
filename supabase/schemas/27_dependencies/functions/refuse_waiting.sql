-- Why: a batch is one job for many tasks; an agent does not begin one of them before what it waits for is done.
create function private.refuse_waiting(p_task_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_codes text[] := array(
    select b.code from private.task_blockers b where b.task_id = p_task_id and not b.resolved order by b.sort_order, b.code);
begin
  if v_codes <> '{}' then
    perform private.refuse(409, format('This task waits for %s. Do that first.', array_to_string(v_codes, ', ')),
      jsonb_build_object('blocked_by', v_codes));
  end if;
end;
$$;

comment on function private.refuse_waiting is 'PT409 for a task that waits for others (specification: Sprint run, executions).';
