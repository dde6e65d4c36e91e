-- Why: a PBI that is not blocked follows its stories (specification: States, PBI). One statement for all rows of a
-- write. Definer: users may only block a PBI, not set any other status.
create function private.tg_stories__derive_pbi()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_pbi_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct n.pbi_id) into v_pbi_ids from new_stories n;
  elsif tg_op = 'DELETE' then
    select array_agg(distinct o.pbi_id) into v_pbi_ids from old_stories o;
  else
    select array_agg(distinct c.pbi_id)
    into v_pbi_ids
    from new_stories n
    join old_stories o on o.id = n.id
    cross join lateral (values (n.pbi_id), (o.pbi_id)) as c (pbi_id)
    where n.status <> o.status or n.pbi_id <> o.pbi_id;
  end if;

  -- Most changes leave the PBI as it is: then no write is tried, and no trigger of PBIs fires.
  if v_pbi_ids is not null then
    select array_agg(b.id)
    into v_pbi_ids
    from public.pbis b
    where b.id = any (v_pbi_ids) and b.status <> 'BLOCKED' and b.status <> private.derived_pbi_status(b.id);
  end if;

  if v_pbi_ids is not null then
    update public.pbis b set status = private.derived_pbi_status(b.id) where b.id = any (v_pbi_ids);
  end if;
  return null;
end;
$$;

comment on function private.tg_stories__derive_pbi is
  'PBIs follow their stories (specification: States and transitions, PBI).';

create trigger _510_derive_pbi_insert after insert on public.stories
  referencing new table as new_stories
  for each statement execute function private.tg_stories__derive_pbi();
create trigger _510_derive_pbi_update after update on public.stories
  referencing old table as old_stories new table as new_stories
  for each statement execute function private.tg_stories__derive_pbi();
create trigger _510_derive_pbi_delete after delete on public.stories
  referencing old table as old_stories
  for each statement execute function private.tg_stories__derive_pbi();

-- Why: a burn-down shows the tasks in the sprint on each day: those that join late do not change earlier days, and
-- those that leave stay in the days they were there. Definer: users may not write the history.
create function private.tg_stories__record_sprint()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
  select t.id, t.story_id, t.product_id, new.sprint_id, t.status, t.status
  from public.tasks t
  where t.story_id = new.id;
  return null;
end;
$$;

comment on function private.tg_stories__record_sprint is
  'Writes task_status_changes when a story comes to a sprint or leaves it (specification: Sprint).';

create trigger _550_record_sprint after update of sprint_id on public.stories
  for each row when (new.sprint_id is distinct from old.sprint_id)
  execute function private.tg_stories__record_sprint();

-- Why: a story that becomes DONE releases the tasks of the stories it blocks, and blocks them again when it is
-- reopened. Definer: the caller may not write jobs.
create function private.tg_stories__settle_waiting()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.settle_waiting((
    select array_agg(t.id) from public.story_dependencies d join public.tasks t on t.story_id = d.blocked_id
    where d.blocker_id = new.id));
  return null;
end;
$$;

comment on function private.tg_stories__settle_waiting is 'Counters follow the status of stories.';

create trigger _560_settle_waiting
after update of status on public.stories
for each row when ((new.status = 'DONE') <> (old.status = 'DONE'))
execute function private.tg_stories__settle_waiting();

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

-- Why: stories in triage are in the inbox of everybody who may accept them.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_stories__tell_inbox()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_row public.stories := coalesce(new, old);
begin
  perform private.emit_to_members(v_row.product_id,
    jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', v_row.product_id, 'product_id', v_row.product_id));
  return null;
end;
$$;

comment on function private.tg_stories__tell_inbox is 'Tells the members of a product that what waits in triage has changed.';

create trigger _890_tell_inbox after insert on public.stories
  for each row when (new.in_triage and not new.is_template) execute function private.tg_stories__tell_inbox();
create trigger _891_tell_inbox after update of in_triage on public.stories
  for each row when (new.in_triage <> old.in_triage) execute function private.tg_stories__tell_inbox();
create trigger _892_tell_inbox after delete on public.stories
  for each row when (old.in_triage) execute function private.tg_stories__tell_inbox();

create trigger _900_emit
after insert or update or delete on public.stories
for each row execute function private.tg_stories__emit();
