-- Why: sends every change of a story to the solo and backlog streams of its product. The event of a moved story
-- includes its old place, so that streams which lose it get it too.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_stories__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'story', to_jsonb(old), to_jsonb(new));
  v_row public.stories := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'pbi_id', v_row.pbi_id,
    'sprint_id', v_row.sprint_id,
    'assignee_id', v_row.assignee_id,
    'story_status', v_row.status,
    'story_title', v_row.title,
    'story_code', v_row.code,
    'story_sort_order', v_row.sort_order
  );
  if tg_op = 'UPDATE' and v_event -> 'changed_fields' ?| array['pbi_id', 'sprint_id', 'assignee_id'] then
    v_event := v_event || jsonb_build_object(
      'old_pbi_id', old.pbi_id, 'old_sprint_id', old.sprint_id, 'old_assignee_id', old.assignee_id
    );
  end if;
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$$;

comment on function private.tg_stories__emit is
  'Announces changes of stories on product:<id> (specification: Solo stream, Backlog stream).';

create trigger _900_emit
after insert or update or delete on public.stories
for each row execute function private.tg_stories__emit();

-- Why: what happens when stories change, in this order. By statement, because stories are moved, imported and deleted in
-- bulk. It comes after their own events, so that streams tell the cause first.
-- Definer: users may not write statuses, the history and jobs.
create function private.after_story_change()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.derive_pbis(array(select distinct n.pbi_id from new_stories n));
    perform private.tell_triage(array(select distinct n.product_id from new_stories n where n.in_triage and not n.is_template));
    return null;
  elsif tg_op = 'DELETE' then
    perform private.derive_pbis(array(select distinct o.pbi_id from old_stories o));
    perform private.tell_triage(array(select distinct o.product_id from old_stories o where o.in_triage));
    return null;
  end if;

  perform private.derive_pbis(array(
    select c.pbi_id
    from new_stories n
    join old_stories o on o.id = n.id
    cross join lateral (values (n.pbi_id), (o.pbi_id)) as c (pbi_id)
    where n.status <> o.status or n.pbi_id <> o.pbi_id));

  -- A burn-down shows the tasks in the sprint on each day: those that join late do not change earlier days, and those
  -- that leave stay in the days they were there.
  insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
  select t.id, t.story_id, t.product_id, n.sprint_id, t.status, t.status
  from new_stories n
  join old_stories o on o.id = n.id and o.sprint_id is distinct from n.sprint_id
  join public.tasks t on t.story_id = n.id;

  -- A done story releases the tasks of the stories it blocks, a reopened one blocks them again.
  perform private.settle_waiting((
    select array_agg(t.id)
    from new_stories n
    join old_stories o on o.id = n.id and (o.status = 'DONE') <> (n.status = 'DONE')
    join public.story_dependencies d on d.blocker_id = n.id
    join public.tasks t on t.story_id = d.blocked_id));

  perform private.tell_triage(array(
    select distinct n.product_id from new_stories n join old_stories o on o.id = n.id and o.in_triage <> n.in_triage));
  return null;
end;
$$;

comment on function private.after_story_change is
  'What follows from new, changed and deleted stories (specification: States and transitions, Story, PBI).';

create trigger _950_follow_insert after insert on public.stories
  referencing new table as new_stories
  for each statement execute function private.after_story_change();
create trigger _950_follow_update after update on public.stories
  referencing old table as old_stories new table as new_stories
  for each statement execute function private.after_story_change();
create trigger _950_follow_delete after delete on public.stories
  referencing old table as old_stories
  for each statement execute function private.after_story_change();

-- Why: a PBI that is not blocked follows its stories.
create function private.derive_pbis(p_pbi_ids uuid[])
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_pbi_ids uuid[];
begin
  -- Most changes leave the PBI as it is: then no write is tried, and no trigger of PBIs fires.
  select array_agg(b.id)
  into v_pbi_ids
  from public.pbis b
  where b.id = any (p_pbi_ids) and b.status <> 'BLOCKED' and b.status <> private.derived_pbi_status(b.id);
  if v_pbi_ids is not null then
    update public.pbis b set status = private.derived_pbi_status(b.id) where b.id = any (v_pbi_ids);
  end if;
end;
$$;

comment on function private.derive_pbis is 'PBIs follow their stories (specification: States and transitions, PBI).';

-- Why: stories in triage are in the inbox of everybody who may accept them.
create function private.tell_triage(p_product_ids uuid[])
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.emit_to_members(p.id, jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p.id, 'product_id', p.id))
  from unnest(p_product_ids) as p (id);
end;
$$;

comment on function private.tell_triage is 'Tells the members of products that what waits in triage has changed.';
