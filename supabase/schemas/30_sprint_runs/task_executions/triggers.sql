-- Why: sets the times when an execution began and ended, whoever writes it.
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

-- Why: in a batch an execution moves its task as a job would, and the batch job names the task at work, else the first
-- unfinished one (specification: Agent job, task_id). Definer: the caller may not write jobs.
create function private.tg_task_executions__advance_task()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  case new.status
    when 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = new.task_id and t.status = 'TO_DO';
    when 'DONE' then
      update public.tasks t set status = case when private.holds_task(t.id, new.verify_result) then 'REVIEW' else 'DONE' end::public.task_status
      where t.id = new.task_id and t.status <> 'DONE';
    when 'SKIPPED' then
      update public.tasks t set status = 'REVIEW' where t.id = new.task_id and t.status not in ('DONE', 'REVIEW');
    when 'FAILED' then
      update public.agent_jobs j set task_id = new.task_id
      where j.sprint_run_id = new.sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
      update public.tasks t set status = 'FAILED' where t.id = new.task_id and t.status <> 'FAILED';
      return null;
    else
      null;
  end case;

  update public.agent_jobs j
  set task_id = n.task_id
  from (
    select e.task_id from public.task_executions e
    where e.sprint_run_id = new.sprint_run_id and e.status in ('RUNNING', 'PENDING')
    order by (e.status = 'RUNNING') desc, e.position
    limit 1
  ) n
  where j.sprint_run_id = new.sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    and j.task_id is distinct from n.task_id;
  return null;
end;
$$;

comment on function private.tg_task_executions__advance_task is
  'A task follows its execution in a batch run (specification: Sprint run, executions; Task).';

create trigger _500_advance_task
after update of status on public.task_executions
for each row when (new.status <> old.status)
execute function private.tg_task_executions__advance_task();

-- Why: a batch is blocked by the blockers of its unfinished tasks; a finished task no longer counts. Definer: the
-- caller may not write jobs.
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

-- Why: pages that show a batch follow each of its tasks.
-- Definer: every write sends its event, but no client may call private.emit.
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
