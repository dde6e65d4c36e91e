-- Why: a batch waits for what its unfinished tasks wait for; one that ends waits no more. Definer: the caller may not write jobs.
create function private.tg_task_executions__recount()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.recount_blockers(array[new.task_id]);
  return null;
end;
$$;

comment on function private.tg_task_executions__recount is 'The counter of a batch follows its executions.';

create trigger _560_recount
after update of status on public.task_executions
for each row when ((new.status in ('PENDING', 'RUNNING')) <> (old.status in ('PENDING', 'RUNNING')))
execute function private.tg_task_executions__recount();
