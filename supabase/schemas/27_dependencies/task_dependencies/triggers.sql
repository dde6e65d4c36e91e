create trigger _130_lock_product before insert or update or delete on public.task_dependencies
  for each row execute function private.tg_any__lock_product();

-- Why: a dependency that comes or goes changes what jobs wait for: those that have not begun are held or freed at once, those at
-- work are left alone. Definer: the caller may not write jobs.
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

-- Why: cards of both ends show what waits for what, so both are announced as changed.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
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
