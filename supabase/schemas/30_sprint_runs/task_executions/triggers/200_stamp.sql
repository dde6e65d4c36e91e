-- Why: an execution that began or ended knows when, whoever wrote it.
create function private.tg_task_executions__stamp()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.status in ('DONE', 'FAILED', 'SKIPPED') then
    new.finished_at := coalesce(new.finished_at, private.now());
  else
    new.finished_at := null;
  end if;
  if new.status = 'RUNNING' then
    new.started_at := coalesce(new.started_at, private.now());
  end if;
  return new;
end;
$$;

comment on function private.tg_task_executions__stamp is
  'Keeps started_at and finished_at (specification: Sprint run, executions).';

create trigger _200_stamp
before insert or update on public.task_executions
for each row execute function private.tg_task_executions__stamp();
