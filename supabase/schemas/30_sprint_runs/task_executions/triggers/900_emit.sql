-- Why: pages that show a batch run follow each of its tasks.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_task_executions__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'task_execution', to_jsonb(old), to_jsonb(new));
  v_row public.task_executions := coalesce(new, old);
  v_product_id uuid;
begin
  if v_event is null then
    return null;
  end if;

  select r.product_id into v_product_id from public.sprint_runs as r where r.id = v_row.sprint_run_id;
  if not found then
    return null;
  end if;
  v_event := v_event || jsonb_build_object(
    'product_id', v_product_id,
    'sprint_run_id', v_row.sprint_run_id,
    'task_id', v_row.task_id,
    'execution_status', v_row.status
  );
  perform private.emit('product:' || v_product_id, v_event);
  return null;
end;
$$;

comment on function private.tg_task_executions__emit is
  'Announces changes of task executions on product:<id> (specification: Sprint run, execution records).';

create trigger _900_emit
after insert or update or delete on public.task_executions
for each row execute function private.tg_task_executions__emit();
