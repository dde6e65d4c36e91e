-- Why: a template story and its schedule. The app parses cron lines and stores the next slot; the database decides
-- which process fires it.
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

-- Why: a slot is decided once, even if several processes see that it is due: the one that inserts its row decides.
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
