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
