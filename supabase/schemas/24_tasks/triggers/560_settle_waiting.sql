-- Why: a task that becomes DONE frees what waits for it, and holds it again when it is opened anew; a task that moves waits for what
-- its new story waits for, and whoever waits for a whole story waits for another set of tasks; so it is with one that is deleted. Definer: the caller may not write jobs.
create function private.tg_tasks__settle_waiting()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_task_ids uuid[];
begin
  if tg_op = 'DELETE' then
    perform private.settle_waiting(nullif(private.waiting_for('{}', array[old.story_id]), '{}'));
    return null;
  end if;
  -- A batch counts for its tasks, so one in a batch is counted anew itself.
  v_task_ids := array(
    select d.blocked_id from public.task_dependencies d where d.blocker_id = new.id
    union all
    (select e.task_id from public.task_executions e where e.task_id = new.id limit 1));
  if new.story_id <> old.story_id then
    perform private.refuse_moved_cycle(new.id);
    v_task_ids := v_task_ids || new.id || private.waiting_for('{}', array[old.story_id, new.story_id]);
  end if;
  if v_task_ids <> '{}' then
    perform private.settle_waiting(v_task_ids);
  end if;
  return null;
end;
$$;

comment on function private.tg_tasks__settle_waiting is 'Counters follow the status and the story of tasks.';

create trigger _560_settle_waiting
after update of status, story_id on public.tasks
for each row when ((new.status = 'DONE') <> (old.status = 'DONE') or new.story_id <> old.story_id)
execute function private.tg_tasks__settle_waiting();

create trigger _560_settle_waiting_deleted
after delete on public.tasks
for each row when (old.status = 'DONE')
execute function private.tg_tasks__settle_waiting();
