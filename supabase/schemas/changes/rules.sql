-- By row, so that a change can be undone whichever way it was made. Definer: users may not write private.changes.
create function private.tg_any__remember_change()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_kind text := tg_argv[0];
  v_old jsonb := to_jsonb(old);
  v_before jsonb := private.own_fields(v_kind, v_old);
  v_after jsonb;
begin
  if tg_op = 'DELETE' then
    perform private.remember_change(v_kind, old.id, old.product_id, old.code,
      -- A restored task needs its status history, or the burn-down would be wrong.
      v_old || coalesce((
        select jsonb_build_object('history', jsonb_agg(to_jsonb(c) order by c.id))
        from public.task_status_changes c where v_kind = 'task' and c.task_id = old.id having count(*) > 0), '{}'), null, private.lost_with(v_kind, v_old));
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

-- All other calls pay one comparison.
create trigger _870_remember after update on public.tasks for each row
  when (current_setting('request.jwt.claims', true) like '%"undoable"%')
  execute function private.tg_any__remember_change('task');
create trigger _870_remember after update on public.stories for each row
  when (current_setting('request.jwt.claims', true) like '%"undoable"%')
  execute function private.tg_any__remember_change('story');
create trigger _870_remember after update on public.pbis for each row
  when (current_setting('request.jwt.claims', true) like '%"undoable"%')
  execute function private.tg_any__remember_change('pbi');

-- Before the delete, because dependent rows can still be read then.
create trigger _871_remember before delete on public.tasks for each row
  when (current_setting('request.jwt.claims', true) like '%"undoable"%')
  execute function private.tg_any__remember_change('task');
create trigger _871_remember before delete on public.stories for each row
  when (current_setting('request.jwt.claims', true) like '%"undoable"%')
  execute function private.tg_any__remember_change('story');
create trigger _871_remember before delete on public.pbis for each row
  when (current_setting('request.jwt.claims', true) like '%"undoable"%')
  execute function private.tg_any__remember_change('pbi');

-- Jobs, logs and questions are deleted with their item: one that has them cannot be undone, and says so.
create function private.lost_with(p_kind text, p_row jsonb) returns text language sql stable set search_path = '' as $$
  select case
    when p_kind = 'story' and p_row ->> 'is_template' = 'true' then 'a schedule'
    when p_kind = 'task' and exists (select from public.agent_jobs j where j.task_id = (p_row ->> 'id')::uuid) then 'jobs'
    when p_kind = 'task' and exists (select from public.task_executions e where e.task_id = (p_row ->> 'id')::uuid) then 'jobs'
    when p_kind = 'task' and exists (select from public.agent_questions q where q.task_id = (p_row ->> 'id')::uuid) then 'questions'
    when p_kind = 'story' and exists (select from public.story_logs l where l.story_id = (p_row ->> 'id')::uuid) then 'a log'
    when p_kind = 'story' and (exists (select from public.evidence e where e.story_id = (p_row ->> 'id')::uuid)
      or exists (select from public.waivers w where w.story_id = (p_row ->> 'id')::uuid)) then 'evidence'
    when p_kind = 'story' and exists (select from public.agent_questions q where q.story_id = (p_row ->> 'id')::uuid) then 'questions'
    when exists (select from private.dependencies d
      where d.kind = p_kind and (p_row ->> 'id')::uuid in (d.blocked_id, d.blocker_id)) then 'dependencies'
    when p_kind = 'task' and exists (select from public.budgets b where b.task_id = (p_row ->> 'id')::uuid) then 'a budget'
    when p_kind = 'pbi' and p_row ->> 'idea_id' is not null then 'a link to its idea'
  end;
$$;

-- The operations that a person can undo. What any other changes on items follows from something that stays, such as a
-- verdict, a run, a schedule or a role; undone alone, it would contradict that.
create function private.is_undoable(p_function text) returns boolean language sql immutable set search_path = '' as $$
  select p_function = any ('{change_things, edit_task, update_task, set_task_status, move_task, delete_task, update_story, assign_story,
    add_story_to_sprint, remove_story_from_sprint, move_stories, accept_story, merge_story, decline_story, delete_story, update_pbi, move_pbi,
    delete_pbi, report_merged}'::text[]);
$$;
grant execute on function private.is_undoable to service_role;

-- The only writer of private.changes, for a session's own changes. One of more than 1,000 items is lost.
create function private.remember_change(
  p_kind text, p_thing_id uuid, p_product_id uuid, p_code text, p_before jsonb, p_after jsonb, p_lost text default null
) returns void language plpgsql volatile set search_path = '' as $$
declare
  v_session_id uuid := (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id')::uuid;
  v_known integer := coalesce(nullif(current_setting('backloom.remembered_changes', true), ''), '0')::integer;
begin
  if v_session_id is null or v_known > 1000 then
    return;
  end if;

  if v_known = 0 then
    delete from private.changes c
    where c.session_id = v_session_id and c.changed_at < private.now() - interval '1 minute';
  end if;
  insert into private.changes (session_id, product_id, kind, thing_id, code, before, after, lost)
  values (v_session_id, p_product_id, p_kind, p_thing_id, p_code, p_before, p_after,
    case when v_known = 1000 then 'more than 1,000 items' else p_lost end);
  perform set_config('backloom.remembered_changes', (v_known + 1)::text, true);
end;
$$;
