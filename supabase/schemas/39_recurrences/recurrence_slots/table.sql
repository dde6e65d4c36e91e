-- Why: a slot is decided once, however many processes see that it is due: the one that inserts its row decides.
create table public.recurrence_slots (
  story_id uuid not null references public.recurrences (story_id) on delete cascade,
  slot timestamptz not null,
  outcome text not null constraint recurrence_slots_outcome check (outcome in ('fired', 'open', 'budget', 'missed')),
  fired_story_id uuid references public.stories (id) on delete set null,
  decided_at timestamptz not null default private.now(),
  primary key (story_id, slot)
);

comment on table public.recurrence_slots is 'What became of the slots of a template: a story, or why there is none.';

create index recurrence_slots_fired_idx on public.recurrence_slots (fired_story_id) where fired_story_id is not null;

alter table public.recurrence_slots enable row level security;

-- Members read the slots of their stories. Nobody writes directly.
create policy recurrence_slots_select on public.recurrence_slots for select to authenticated
  using (story_id in (select r.story_id from public.recurrences r));

grant select on public.recurrence_slots to authenticated;
grant select, insert, update, delete on public.recurrence_slots to service_role;
