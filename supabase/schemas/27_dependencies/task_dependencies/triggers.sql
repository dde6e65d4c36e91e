create trigger _130_lock_product before insert or update or delete on public.task_dependencies
  for each row execute function private.tg_any__lock_product();

-- Why: adding or removing a dependency changes what blocks jobs: those that have not begun are blocked or released at
-- once, those at work continue. Definer: the caller may not write jobs.
create function private.tg_task_dependencies__recount()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.recount_blockers(array[coalesce(new.blocked_id, old.blocked_id)]);
  return null;
end;
$$;

comment on function private.tg_task_dependencies__recount is 'Counters follow the dependencies of tasks.';

create trigger _500_recount
after insert or delete on public.task_dependencies
for each row execute function private.tg_task_dependencies__recount();

-- Why: the cards of both ends show dependencies, so both are announced as changed.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_task_dependencies__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.emit_task_change(coalesce(new.blocked_id, old.blocked_id), 'blocked_by'),
    private.emit_task_change(coalesce(new.blocker_id, old.blocker_id), 'blocks');
  return null;
end;
$$;

comment on function private.tg_task_dependencies__emit is
  'Announces dependencies as changes of their tasks (specification: Solo stream, Backlog stream).';

create trigger _900_emit
after insert or delete on public.task_dependencies
for each row execute function private.tg_task_dependencies__emit();

-- Why: related data of a task may change without its row; this sends the usual event of a changed task.
create function private.emit_task_change(p_task_id uuid, p_field text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_task public.tasks;
begin
  select t.* into v_task from public.tasks t where t.id = p_task_id;
  if not found then
    return;
  end if;
  perform private.emit('product:' || v_task.product_id, jsonb_build_object('op', 'U', 'entity', 'task', 'id', v_task.id,
    'product_id', v_task.product_id, 'changed_fields', jsonb_build_array(p_field), 'story_id', v_task.story_id,
    'task_status', v_task.status, 'task_title', v_task.title, 'task_sort_order', v_task.sort_order)
    || private.story_place(v_task.story_id));
end;
$$;

comment on function private.emit_task_change is
  'Announces a task of which something beside its row changed (specification: Solo stream, Backlog stream).';
