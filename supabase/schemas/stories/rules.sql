create trigger _110_lock_products before insert or update or delete on public.stories
  for each statement execute function private.tg_any__lock_products();

-- A story always has the product_id of its PBI. It may move to another PBI of its product, never to another product.
-- Definer: the PBI may be hidden from the caller, whose write RLS then refuses.
create function private.tg_stories__copy_product()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  new.product_id := private.product_of('pbi', new.pbi_id);

  if tg_op = 'UPDATE' and new.product_id <> old.product_id then
    perform private.refuse(422, 'A story cannot move to a PBI of another product.',
      '{"issues":[{"path":"pbi_id","message":"Choose a PBI of the same product."}]}');
  end if;

  return new;
end;
$$;
create trigger _120_copy_product before insert on public.stories
  for each row execute function private.tg_stories__copy_product();
create trigger _121_copy_product before update on public.stories
  for each row when (new.pbi_id <> old.pbi_id or new.product_id <> old.product_id)
  execute function private.tg_stories__copy_product();
create trigger _130_lock_product before insert or update or delete on public.stories
  for each row execute function private.tg_any__lock_product();

-- Under a shared product lock two stories of one PBI may end at the same moment. Its status is only right if the second
-- sees the first. Definer: users may not call the helper (specification: States and transitions, PBI).
create function private.tg_stories__lock_pbi()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.lock_part('pbi', new.pbi_id);
  return new;
end;
$$;
create trigger _132_lock_pbi
before update on public.stories
for each row when (new.status <> old.status and current_setting('backloom.shared_product', true) <> '')
execute function private.tg_stories__lock_pbi();
create trigger _140_take_rate_limit before insert on public.stories
  for each row execute function private.tg_any__take_rate_limit('story');
create trigger _145_compose_title before insert or update of title on public.stories
  for each row when (new.title is not nfc normalized) execute function private.tg_any__compose_title();
create trigger _150_assign_code before insert on public.stories
  for each row when (new.code is null or current_setting('backloom.taken_codes', true) is distinct from new.product_id::text)
  execute function private.tg_any__assign_code('story');
create trigger _151_assign_code before update on public.stories
  for each row when (new.code is distinct from old.code) execute function private.tg_any__assign_code('story');
create trigger _200_sort_order before insert on public.stories
  for each row execute function private.tg_any__sort_order();
create trigger _201_sort_order before update on public.stories
  for each row when (new.code <> old.code or new.sort_order <> old.sort_order)
  execute function private.tg_any__sort_order();

-- No one sets a story's status; it is derived from its tasks and its sprint (specification: States, Story),
-- for every write. Stories in triage and templates have their own status. A done story that is taken up again, or whose job
-- fails late, leaves a sprint that has ended, where nothing is planned any more.
create function private.tg_stories__derive_status()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.is_template then
    new.status := 'TEMPLATE';
  elsif new.in_triage then
    new.status := 'TRIAGE';
  else
    new.status := private.derived_story_status(new.id, new.sprint_id);
    if tg_op = 'UPDATE' and new.status <> 'DONE' and new.sprint_id = old.sprint_id and exists (
      select from public.sprints s where s.id = new.sprint_id and s.status in ('COMPLETED', 'CANCELLED'))
    then
      new.sprint_id := null;
      new.status := private.derived_story_status(new.id, null);
    end if;
  end if;
  return new;
end;
$$;
create trigger _300_derive_status before insert on public.stories
  for each row execute function private.tg_stories__derive_status();
create trigger _301_derive_status before update on public.stories
  for each row when (new.status <> old.status or new.sprint_id is distinct from old.sprint_id or new.in_triage <> old.in_triage
    or new.is_template <> old.is_template)
  execute function private.tg_stories__derive_status();

-- Stories join a planned or active sprint, never one that has ended (specification: States, Sprint). Definer: the
-- sprint may be hidden from the caller, whose write RLS then refuses; the composite key ties it to the product.
create function private.tg_stories__guard_sprint()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_sprint public.sprints;
begin
  select s.* into v_sprint from public.sprints s where s.id = new.sprint_id;

  if v_sprint.product_id is distinct from new.product_id then
    perform private.refuse(422, 'A sprint can only hold stories of its own product.',
      '{"issues":[{"path":"sprint_id","message":"Choose a sprint of the story''s product."}]}');
  end if;

  if new.is_template then
    perform private.refuse(409, format('%s is a template. The stories it makes join the active sprint by themselves.', new.code));
  end if;
  if new.in_triage then
    perform private.refuse(409, format('%s is in triage. Accept it before it joins a sprint.', new.code));
  end if;

  if v_sprint.status not in ('PLANNED', 'ACTIVE') then
    perform private.refuse(409, format('Sprint %s is %s. Stories can only be added to a planned or active sprint.',
      v_sprint.code, lower(v_sprint.status::text)));
  end if;

  return new;
end;
$$;
create trigger _320_guard_sprint before insert on public.stories
  for each row when (new.sprint_id is not null and auth.uid() is not null)
  execute function private.tg_stories__guard_sprint();
create trigger _321_guard_sprint before update on public.stories
  for each row when (new.sprint_id is not null and new.sprint_id is distinct from old.sprint_id and auth.uid() is not null)
  execute function private.tg_stories__guard_sprint();
create trigger _400_touch before update on public.stories
  for each row execute function private.tg_any__touch();

-- The delete event of a task must carry sprint and assignee, but by then the cascade has removed its story. Kept
-- only for the transaction (specification: Solo stream).
create function private.tg_stories__remember_place() returns trigger language plpgsql set search_path = '' as $$
begin
  perform set_config(
    'backloom.deleted_stories',
    (
      coalesce(nullif(current_setting('backloom.deleted_stories', true), '')::jsonb, '{}')
      || jsonb_build_object(
        old.id,
        jsonb_build_object('pbi_id', old.pbi_id, 'sprint_id', old.sprint_id, 'assignee_id', old.assignee_id)
      )
    )::text,
    true
  );
  return old;
end;
$$;
create trigger _890_remember_place
before delete on public.stories
for each row execute function private.tg_stories__remember_place();

-- A story's status follows from its tasks and its sprint: failed before done, done only with at least one task; in
-- sprint or open otherwise. Definer: for all callers alike (specification: States and transitions, Story).
create function private.derived_story_status(p_story_id uuid, p_sprint_id uuid)
returns public.story_status language plpgsql volatile security definer set search_path = '' as $$
declare
  v_failed boolean;
  v_done boolean;
begin
  select bool_or(t.status = 'FAILED'), bool_and(t.status = 'DONE')
  into v_failed, v_done
  from public.tasks t
  where t.story_id = p_story_id;

  return case
    when v_failed then 'FAILED'
    when v_done then 'DONE'
    when p_sprint_id is not null then 'IN_SPRINT'
    else 'OPEN'
  end;
end;
$$;

-- Sends every change of a story to the solo and backlog streams of its product. A moved story's has its old place, for
-- streams that lose it. Definer: no client may call private.emit (specification: Solo stream, Backlog stream).
create function private.tg_stories__emit() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_event jsonb := private.change_event(tg_op, 'story', to_jsonb(old), to_jsonb(new));
  v_row public.stories := coalesce(new, old);
begin
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
create trigger _900_emit
after insert or update or delete on public.stories
for each row execute function private.tg_stories__emit();
create trigger _940_limit_rows after insert on public.stories
  referencing new table as added
  for each statement execute function private.tg_any__limit_rows('product_id', '100000', 'stories in this product, which is the limit. Delete some that are not needed.');

-- What happens when stories change, in this order. By statement, because stories are moved, imported and deleted in
-- bulk. It comes after their own events, so that streams send the cause first.
-- Definer: users may not write statuses, the history and jobs (specification: States and transitions, Story, PBI).
create function private.after_story_change()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    perform private.derive_pbis(array(select distinct n.pbi_id from new_stories n));
    perform private.notify_triage(array(select distinct n.product_id from new_stories n where n.in_triage and not n.is_template));
    return null;
  elsif tg_op = 'DELETE' then
    perform private.derive_pbis(array(select distinct o.pbi_id from old_stories o));
    perform private.notify_triage(array(select distinct o.product_id from old_stories o where o.in_triage));
    return null;
  end if;

  perform private.derive_pbis(array(
    select c.pbi_id
    from new_stories n
    join old_stories o on o.id = n.id
    cross join lateral (values (n.pbi_id), (o.pbi_id)) as c (pbi_id)
    where n.status <> o.status or n.pbi_id <> o.pbi_id));

  -- Each day's tasks in a burn-down: late ones do not change earlier days, and those that leave stay in theirs.
  insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
  select t.id, t.story_id, t.product_id, n.sprint_id, t.status, t.status
  from new_stories n
  join old_stories o on o.id = n.id and o.sprint_id is distinct from n.sprint_id
  join public.tasks t on t.story_id = n.id;

  -- A done story releases the tasks of the stories it blocks, a reopened one blocks them again.
  perform private.recount_now_or_at_job_end(private.tasks_blocked_by('{}', array(
    select n.id from new_stories n join old_stories o on o.id = n.id and (o.status = 'DONE') <> (n.status = 'DONE'))));

  perform private.notify_triage(array(
    select distinct n.product_id from new_stories n join old_stories o on o.id = n.id and o.in_triage <> n.in_triage));
  return null;
end;
$$;
create trigger _950_follow_insert after insert on public.stories
  referencing new table as new_stories
  for each statement execute function private.after_story_change();
create trigger _950_follow_update after update on public.stories
  referencing old table as old_stories new table as new_stories
  for each statement execute function private.after_story_change();
create trigger _950_follow_delete after delete on public.stories
  referencing old table as old_stories
  for each statement execute function private.after_story_change();

-- A PBI that is not blocked follows its stories (specification: States and transitions, PBI).
create function private.derive_pbis(p_pbi_ids uuid[]) returns void language plpgsql volatile set search_path = '' as $$
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

-- Stories in triage are in the inbox of everyone who may accept them.
create function private.notify_triage(p_product_ids uuid[])
returns void language plpgsql volatile set search_path = '' as $$
begin
  perform private.emit_to_members(p.id, jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p.id, 'product_id', p.id))
  from unnest(p_product_ids) as p (id);
end;
$$;

-- A story follows its tasks, even when the last two finish at the same moment: every change of a task holds the
-- product lock, or a share of it and the story's lock (`lock_part`), and this reads the tasks afterwards. The PBI follows by the trigger on stories (specification: States
-- and transitions, Story).
create function private.derive_stories(p_story_ids uuid[])
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_story_ids uuid[];
begin
  -- Most changes leave the story as it is: then no write is tried, and no trigger of stories fires.
  select array_agg(s.id)
  into v_story_ids
  from public.stories s
  where s.id = any (p_story_ids) and s.status <> private.derived_story_status(s.id, s.sprint_id);
  if v_story_ids is not null then
    update public.stories s
    set status = private.derived_story_status(s.id, s.sprint_id)
    where s.id = any (v_story_ids);
  end if;
end;
$$;
