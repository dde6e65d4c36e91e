create trigger _110_lock_products before insert or update or delete on public.stories
  for each statement execute function private.tg_any__lock_products();

-- Why: a story always has the product_id of its PBI (specification: What the service does 1). It may move to another
-- PBI of its product, never to another product. Definer: the PBI may be hidden from the caller, whose write RLS then
-- refuses.
create function private.tg_stories__copy_product()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.product_id := private.product_of('pbi', new.pbi_id);

  if tg_op = 'UPDATE' and new.product_id <> old.product_id then
    raise exception using errcode = 'PT422', message = 'A story cannot move to a PBI of another product.',
      detail = '{"issues":[{"path":"pbi_id","message":"Choose a PBI of the same product."}]}';
  end if;

  return new;
end;
$$;

comment on function private.tg_stories__copy_product is 'product_id of a story from its PBI (specification: Story).';

create trigger _120_copy_product before insert on public.stories
  for each row execute function private.tg_stories__copy_product();
create trigger _121_copy_product before update on public.stories
  for each row when (new.pbi_id <> old.pbi_id or new.product_id <> old.product_id)
  execute function private.tg_stories__copy_product();

create trigger _130_lock_product before insert or update or delete on public.stories
  for each row execute function private.tg_any__lock_product();

-- Why: under a shared product lock two stories of one PBI may end at the same moment. The PBI's status is only right if
-- the second transaction sees the first. Definer: users may not call the helper.
create function private.tg_stories__lock_pbi()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.lock_part('pbi', new.pbi_id);
  return new;
end;
$$;

comment on function private.tg_stories__lock_pbi is
  'Guards the PBI of a story whose status changes (specification: States and transitions, PBI).';

create trigger _132_lock_pbi
before update on public.stories
for each row when (new.status <> old.status and current_setting('backloom.shared_product', true) <> '')
execute function private.tg_stories__lock_pbi();

create trigger _140_take_rate_limit before insert on public.stories
  for each row execute function private.tg_any__take_rate_limit('story');

create trigger _150_assign_code before insert on public.stories
  for each row execute function private.tg_any__assign_code('story');

create trigger _151_assign_code before update on public.stories
  for each row when (new.code is distinct from old.code) execute function private.tg_any__assign_code('story');

create trigger _200_sort_order before insert on public.stories
  for each row execute function private.tg_any__sort_order();

create trigger _201_sort_order before update on public.stories
  for each row when (new.code <> old.code or new.sort_order <> old.sort_order)
  execute function private.tg_any__sort_order();

-- Why: nobody sets a story's status; it is derived from its tasks and its sprint (specification: States, Story),
-- whatever a write says. Stories in triage and templates have their own status.
create function private.tg_stories__derive_status()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if new.is_template then
    new.status := 'TEMPLATE';
  elsif new.in_triage then
    new.status := 'TRIAGE';
  else
    new.status := private.derived_story_status(new.id, new.sprint_id);
  end if;
  return new;
end;
$$;

comment on function private.tg_stories__derive_status is
  'Status of a story from its tasks and sprint (specification: States and transitions, Story). Definer: sees all tasks.';

create trigger _300_derive_status before insert on public.stories
  for each row execute function private.tg_stories__derive_status();
create trigger _301_derive_status before update on public.stories
  for each row when (new.status <> old.status or new.sprint_id is distinct from old.sprint_id or new.in_triage <> old.in_triage
    or new.is_template <> old.is_template)
  execute function private.tg_stories__derive_status();

-- Why: stories join a planned or active sprint, never one that has ended (specification: States, Sprint). Definer: the
-- sprint may be hidden from the caller, whose write RLS then refuses; the composite key ties it to the product.
create function private.tg_stories__guard_sprint()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_sprint public.sprints;
begin
  select s.* into v_sprint from public.sprints s where s.id = new.sprint_id;

  if v_sprint.product_id is distinct from new.product_id then
    raise exception using errcode = 'PT422', message = 'A sprint can only hold stories of its own product.',
      detail = '{"issues":[{"path":"sprint_id","message":"Choose a sprint of the story''s product."}]}';
  end if;

  if new.is_template then
    raise exception using errcode = 'PT409', message = format('%s is a template. The stories it makes join the active sprint by themselves.', new.code);
  end if;
  if new.in_triage then
    raise exception using errcode = 'PT409', message = format('%s is in triage. Accept it before it joins a sprint.', new.code);
  end if;

  if v_sprint.status not in ('PLANNED', 'ACTIVE') then
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s. Stories can only be added to a planned or active sprint.', v_sprint.code, lower(v_sprint.status::text));
  end if;

  return new;
end;
$$;

comment on function private.tg_stories__guard_sprint is
  'Same product, and a sprint that is not over (specification: What the service does 1; States, Sprint).';

create trigger _320_guard_sprint before insert on public.stories
  for each row when (new.sprint_id is not null and auth.uid() is not null)
  execute function private.tg_stories__guard_sprint();
create trigger _321_guard_sprint before update on public.stories
  for each row when (new.sprint_id is not null and new.sprint_id is distinct from old.sprint_id and auth.uid() is not null)
  execute function private.tg_stories__guard_sprint();

create trigger _400_touch before update on public.stories
  for each row execute function private.tg_any__touch();

-- Why: the delete event of a task must carry sprint and assignee, but by then the cascade has removed its story. Kept
-- only for the transaction.
create function private.tg_stories__remember_place()
returns trigger
language plpgsql
set search_path = ''
as $$
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

comment on function private.tg_stories__remember_place is
  'Keeps where a deleted story stood, for the delete events of its tasks (specification: Solo stream).';

create trigger _890_remember_place
before delete on public.stories
for each row execute function private.tg_stories__remember_place();
