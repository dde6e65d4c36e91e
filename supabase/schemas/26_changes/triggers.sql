-- Why: a change can be undone whichever way it was made (page, menu, keys, bulk), so row triggers record it, not the
-- operations. Definer: users may not write private.changes.
create function private.tg_any__remember_change()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_kind text := tg_argv[0];
  v_old jsonb := to_jsonb(old);
  v_before jsonb := private.own_fields(v_kind, v_old);
  v_after jsonb;
begin
  if tg_op = 'DELETE' then
    perform private.remember_change(v_kind, old.id, old.product_id, old.code,
      v_old || coalesce(private.task_history(v_kind, old.id), '{}'), null, private.lost_with(v_kind, v_old));
    return old;
  end if;

  v_after := private.own_fields(v_kind, to_jsonb(new));
  select jsonb_object_agg(b.key, b.value), jsonb_object_agg(b.key, v_after -> b.key) into v_before, v_after
  from jsonb_each(v_before) b
  where b.value is distinct from v_after -> b.key;
  if v_before is not null then
    perform private.remember_change(v_kind, new.id, new.product_id, new.code, v_before, v_after);
  end if;
  return null;
end;
$$;

comment on function private.tg_any__remember_change is 'Keeps what a person changed, for undo_change. The argument names the kind.';

-- Only people have a session; workers and tokens have none and pay one comparison.
create trigger _870_remember after update on public.tasks for each row
  when (current_setting('request.jwt.claims', true) like '%"session_id"%')
  execute function private.tg_any__remember_change('task');
create trigger _870_remember after update on public.stories for each row
  when (current_setting('request.jwt.claims', true) like '%"session_id"%')
  execute function private.tg_any__remember_change('story');
create trigger _870_remember after update on public.pbis for each row
  when (current_setting('request.jwt.claims', true) like '%"session_id"%')
  execute function private.tg_any__remember_change('pbi');

-- Before the delete, because dependent rows can still be read then.
create trigger _871_remember before delete on public.tasks for each row
  when (current_setting('request.jwt.claims', true) like '%"session_id"%')
  execute function private.tg_any__remember_change('task');
create trigger _871_remember before delete on public.stories for each row
  when (current_setting('request.jwt.claims', true) like '%"session_id"%')
  execute function private.tg_any__remember_change('story');
create trigger _871_remember before delete on public.pbis for each row
  when (current_setting('request.jwt.claims', true) like '%"session_id"%')
  execute function private.tg_any__remember_change('pbi');

-- Why: a restored task needs its status history, or the burn-down would be wrong.
create function private.task_history(p_kind text, p_id uuid)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object('history', jsonb_agg(to_jsonb(c) order by c.id))
  from public.task_status_changes c
  where p_kind = 'task' and c.task_id = p_id
  having count(*) > 0;
$$;

comment on function private.task_history is 'The statuses of a task that is about to be deleted.';

-- Why: jobs, logs and questions are deleted with their item and not kept for undo. Deleting an item that has them says
-- that it cannot be undone.
create function private.lost_with(p_kind text, p_row jsonb)
returns text
language sql
stable
set search_path = ''
as $$
  select case
    when p_kind = 'story' and p_row ->> 'is_template' = 'true' then 'a schedule'
    when p_kind = 'task' and exists (select from public.agent_jobs j where j.task_id = (p_row ->> 'id')::uuid) then 'jobs'
    when p_kind = 'task' and exists (select from public.task_executions e where e.task_id = (p_row ->> 'id')::uuid) then 'jobs'
    when p_kind = 'task' and exists (select from public.agent_questions q where q.task_id = (p_row ->> 'id')::uuid) then 'questions'
    when p_kind = 'story' and exists (select from public.story_logs l where l.story_id = (p_row ->> 'id')::uuid) then 'a log'
    when p_kind = 'story' and (exists (select from public.evidence e where e.story_id = (p_row ->> 'id')::uuid)
      or exists (select from public.waivers w where w.story_id = (p_row ->> 'id')::uuid)) then 'evidence'
    when p_kind = 'story' and exists (select from public.agent_questions q where q.story_id = (p_row ->> 'id')::uuid) then 'questions'
    when p_kind = 'task' and exists (select from public.task_dependencies d
      where (p_row ->> 'id')::uuid in (d.blocked_id, d.blocker_id)) then 'dependencies'
    when p_kind = 'story' and exists (select from public.story_dependencies d
      where (p_row ->> 'id')::uuid in (d.blocked_id, d.blocker_id)) then 'dependencies'
    when p_kind = 'task' and exists (select from public.budgets b where b.task_id = (p_row ->> 'id')::uuid) then 'a budget'
    when p_kind = 'pbi' and p_row ->> 'idea_id' is not null then 'a link to its idea'
  end;
$$;

comment on function private.lost_with is 'What is gone for good with a deleted task, story or PBI; null for nothing.';
