-- A template story and its schedule. The app parses cron lines; the database decides which process fires a slot.
create table public.recurrences (
  story_id uuid primary key references public.stories (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  cron text not null constraint recurrences_cron_length check (char_length(cron) between 9 and 200),
  zone text not null constraint recurrences_zone_length check (char_length(zone) between 1 and 100),
  missed text not null constraint recurrences_missed check (missed in ('once', 'skip')),
  -- Null when the line has no further slot.
  next_at timestamptz,
  created_by uuid references public.users (id) on delete set null,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now()
);

comment on table public.recurrences is 'When template stories make their next story.';
create index recurrences_next_at_idx on public.recurrences (next_at) where next_at is not null;
create index recurrences_product_id_idx on public.recurrences (product_id);
create index recurrences_created_by_idx on public.recurrences (created_by);

alter table public.recurrences enable row level security;

-- Members read. No one writes directly.
create policy recurrences_select on public.recurrences for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.recurrences to authenticated;

-- A slot is decided once, even if several processes see that it is due: the one that inserts its row decides.
create table public.recurrence_slots (
  story_id uuid not null references public.recurrences (story_id) on delete cascade,
  slot timestamptz not null,
  outcome text not null constraint recurrence_slots_outcome check (outcome in ('fired', 'open', 'budget', 'missed')),
  fired_story_id uuid references public.stories (id) on delete set null,
  decided_at timestamptz not null default private.now(),
  primary key (story_id, slot)
);

comment on table public.recurrence_slots is 'Result of each scheduled time of a template: a story, or the reason for none.';
create index recurrence_slots_fired_idx on public.recurrence_slots (fired_story_id) where fired_story_id is not null;

alter table public.recurrence_slots enable row level security;

-- Members read the slots of their stories. No one writes directly.
create policy recurrence_slots_select on public.recurrence_slots for select to authenticated
  using (story_id in (select r.story_id from public.recurrences r));
grant select on public.recurrence_slots to authenticated;

-- The template is a normal story again, copies stay. 404, 403. Definer: recurrences are written by functions only.
create function operations.delete_recurrence(p_story_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_write('story', p_story_id);
  delete from public.recurrences r where r.story_id = p_story_id;
  if not found then
    perform private.refuse(404, 'This story does not recur. Make it a template first.');
  end if;
  update public.stories s set is_template = false, in_triage = false where s.id = p_story_id;
  return json_build_object('story_id', p_story_id);
end;
$$;
grant execute on function operations.delete_recurrence to authenticated;

-- A slot creates one story, whichever process is first, or records why not: the last copy is not done, a budget of
-- the product is used up, or the slot was missed and the template skips missed ones. p_due_at is the next_at the caller
-- has seen, p_slot the last slot up to now, p_next_at the one after. Service only. Definer: there is no user.
create function operations.fire_recurrence(
  p_story_id uuid, p_due_at timestamptz, p_slot timestamptz, p_is_late boolean, p_next_at timestamptz default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_recurrence public.recurrences;
  v_outcome text;
  v_fired_id uuid;
begin
  perform private.lock_product((select r.product_id from public.recurrences r where r.story_id = p_story_id));
  update public.recurrences r set next_at = p_next_at
  where r.story_id = p_story_id and r.next_at = p_due_at
  returning r.* into v_recurrence;
  if not found then
    return json_build_object('outcome', 'taken');
  end if;

  v_outcome := case
    when p_is_late and v_recurrence.missed = 'skip' then 'missed'
    when exists (select from public.stories s where s.template_id = p_story_id and s.status <> 'DONE') then 'open'
    when exists (
      select from public.budgets b
      where b.product_id = v_recurrence.product_id and b.scope = 'product'
        and (private.is_budget_reached(b) or private.budget_spent(b) >= b.amount)) then 'budget'
    else 'fired'
  end;
  insert into public.recurrence_slots (story_id, slot, outcome) values (p_story_id, p_slot, v_outcome)
  on conflict (story_id, slot) do nothing;
  if not found then
    return json_build_object('outcome', 'taken');
  end if;
  delete from public.recurrence_slots s where s.story_id = p_story_id and s.slot < private.now() - interval '90 days';
  if v_outcome = 'fired' then
    v_fired_id := private.copy_template(p_story_id);
    update public.recurrence_slots s set fired_story_id = v_fired_id where s.story_id = p_story_id and s.slot = p_slot;
  end if;
  return json_build_object('outcome', v_outcome, 'story_id', v_fired_id);
end;
$$;
grant execute on function operations.fire_recurrence to service_role;

-- The copy has everything planned in the template: texts, labels, tasks with their plans, dependencies and budgets.
-- It joins the active sprint, or else the backlog. The caller holds the product's lock.
create function private.copy_template(p_template_id uuid)
returns uuid language plpgsql volatile set search_path = '' as $$
declare
  v_id uuid := gen_random_uuid();
  v_copies jsonb;
begin
  perform private.insert_rows('public.stories', (
    select jsonb_agg(private.own_fields('story', to_jsonb(s)) - '{code,in_triage,external_id,external_url,origin}'::text[]
      || jsonb_build_object('id', v_id, 'template_id', s.id,
        'sprint_id', (select p.id from public.sprints p where p.product_id = s.product_id and p.status = 'ACTIVE')))
    from public.stories s where s.id = p_template_id));

  v_copies := (
    select coalesce(jsonb_object_agg(t.id, gen_random_uuid()), '{}') from public.tasks t where t.story_id = p_template_id);
  perform private.insert_rows('public.tasks', (
    select jsonb_agg(private.own_fields('task', to_jsonb(t)) - '{code,status}'::text[]
      || jsonb_build_object('id', v_copies -> t.id::text, 'story_id', v_id)
      order by t.sort_order, t.created_at, t.id)
    from public.tasks t where t.story_id = p_template_id));
  -- The repository of a task counts for whoever named it, and here that was not the service.
  update public.tasks c set repo_url_by = t.repo_url_by
  from public.tasks t
  where t.story_id = p_template_id and t.repo_url_by is not null and c.id = (v_copies ->> t.id::text)::uuid;
  insert into public.task_dependencies (blocked_id, blocker_id, product_id, created_by)
  select (v_copies ->> d.blocked_id::text)::uuid, coalesce((v_copies ->> d.blocker_id::text)::uuid, d.blocker_id), d.product_id, d.created_by
  from public.task_dependencies d
  where v_copies ? d.blocked_id::text;
  insert into public.budgets (product_id, scope, task_id, unit, amount, created_by)
  select b.product_id, 'task', (v_copies ->> b.task_id::text)::uuid, b.unit, b.amount, b.created_by
  from public.budgets b
  where v_copies ? b.task_id::text;
  return v_id;
end;
$$;

-- Turns a story into a template, or changes its schedule. A template leaves its sprint and is hidden from agents,
-- and creates a story at every slot. The app has parsed the cron line and passes the next slot. Refusals: 404, 403
-- (also for a token in products where agents' items go to triage), 409 for a story that cannot become a template, 422.
-- Definer: recurrences are written by functions only.
create function operations.set_recurrence(
  p_story_id uuid, p_cron text, p_zone text, p_missed text, p_next_at timestamptz
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_write('story', p_story_id);
  v_missed text := lower(private.require_choice('missed', p_missed, array['ONCE', 'SKIP']));
  v_story public.stories;
begin
  perform private.take_rate_limit('change', auth.uid()::text);
  if private.is_token() and (select p.agent_items = 'triage' from public.products p where p.id = v_product_id) then
    perform private.refuse(403, 'Only people schedule recurring work in this product, because what agents create waits in triage. Ask one of its members.');
  end if;
  select s.* into v_story from public.stories s where s.id = p_story_id;
  if not v_story.is_template then
    perform private.require_set_aside(v_story);
    update public.stories s set is_template = true, in_triage = true, sprint_id = null where s.id = p_story_id;
  end if;
  insert into public.recurrences as r (story_id, product_id, cron, zone, missed, next_at, created_by)
  values (p_story_id, v_product_id, p_cron, p_zone, v_missed, p_next_at, auth.uid())
  on conflict (story_id) do update
  set cron = excluded.cron, zone = excluded.zone, missed = excluded.missed, next_at = excluded.next_at, created_by = excluded.created_by,
    updated_at = private.now();
  return json_build_object('recurrence', private.recurrence_json(p_story_id), 'template', null);
end;
$$;
grant execute on function operations.set_recurrence to authenticated;

-- A template is never worked on, so no one may be at work on it, and it may block nothing.
create function private.require_set_aside(p_story public.stories)
returns void language plpgsql stable set search_path = '' as $$
declare
  v_waiting text;
begin
  if p_story.in_triage then
    perform private.refuse(409, format('%s is in triage. Accept it before it recurs.', p_story.code));
  end if;
  if exists (select from public.tasks t where t.story_id = p_story.id and t.status in ('IN_PROGRESS', 'REVIEW'))
    or exists (
      select from public.tasks t join public.agent_jobs j on j.task_id = t.id
      where t.story_id = p_story.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')) then
    perform private.refuse(409, format('%s is being worked on. Wait until it is done, or make another story the template.', p_story.code));
  end if;
  select min(x.code) into v_waiting from (
    select s.code from public.story_dependencies d join public.stories s on s.id = d.blocked_id where d.blocker_id = p_story.id
    union all
    select b.code from public.task_dependencies d
    join public.tasks a on a.id = d.blocker_id and a.story_id = p_story.id
    join public.tasks b on b.id = d.blocked_id and b.story_id <> p_story.id
  ) x;
  if v_waiting is not null then
    perform private.refuse(409, format('%s is waiting for %s, which would never be done as a template. Remove that dependency first.',
      v_waiting, p_story.code));
  end if;
end;
$$;

-- Also returns the template of a fired story.
create function operations.get_recurrence(p_story_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_access('story', p_story_id);
  return json_build_object(
    'recurrence', private.recurrence_json(p_story_id),
    'template', (
      select json_build_object('id', t.id, 'code', t.code, 'title', t.title)
      from public.stories s join public.stories t on t.id = s.template_id
      where s.id = p_story_id));
end;
$$;
grant execute on function operations.get_recurrence to authenticated;

-- One form of a recurrence, with its last decided slot; null for a story that is not a template.
create function private.recurrence_json(p_story_id uuid) returns json language sql stable set search_path = '' as $$
  select json_build_object('story_id', r.story_id, 'cron', r.cron, 'zone', r.zone, 'missed', r.missed, 'next_at', r.next_at,
    'created_by_name', private.username(r.created_by),
    'last', (
      select json_build_object('slot', s.slot, 'outcome', s.outcome, 'story_id', f.id, 'story_code', f.code)
      from public.recurrence_slots s left join public.stories f on f.id = s.fired_story_id
      where s.story_id = r.story_id
      order by s.slot desc
      limit 1))
  from public.recurrences r
  where r.story_id = p_story_id;
$$;
grant execute on function private.recurrence_json to authenticated;

-- Due recurrences with their cron lines, which the app parses. Archived products are left out. Service only.
create function operations.list_due_recurrences() returns json language plpgsql stable set search_path = '' as $$
declare
  v_now timestamptz := private.now();
begin
  return json_build_object('now', v_now, 'due', (
    select coalesce(json_agg(json_build_object('story_id', x.story_id, 'cron', x.cron, 'zone', x.zone, 'due_at', x.next_at)), '[]')
    from (
      select r.* from public.recurrences r
      join public.products p on p.id = r.product_id and p.archived_at is null
      where r.next_at <= v_now
      order by r.next_at, r.story_id
      limit 200
    ) x));
end;
$$;
grant execute on function operations.list_due_recurrences to service_role;
