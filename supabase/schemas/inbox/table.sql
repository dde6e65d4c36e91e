-- Why: the items a person archived or snoozed. Inbox items are never stored: they are read from questions, tasks, runs,
-- jobs and memberships (private.inbox_items), so they can be neither lost nor stale. A mark holds for the item as of
-- `item_at`: when it needs the person again, it is back.
create table public.inbox_marks (
  user_id uuid not null references public.users (id) on delete cascade,
  item_kind text not null
    constraint inbox_marks_kind check (item_kind in ('question', 'review', 'run', 'job', 'added', 'mention', 'triage', 'invitation', 'lesson')),
  item_id uuid not null,
  item_at timestamptz not null,
  -- Null once it is done; else when it comes back.
  later_until timestamptz,
  marked_at timestamptz not null default private.now(),
  primary key (user_id, item_kind, item_id)
);

comment on table public.inbox_marks is 'Inbox items a user has archived or snoozed. Private to the user.';
comment on column public.inbox_marks.item_at is 'Version of the item when it was marked. An item that is newer is shown again.';

alter table public.inbox_marks enable row level security;

create policy inbox_marks_select on public.inbox_marks for select to authenticated
  using (user_id = (select auth.uid()));
grant select on public.inbox_marks to authenticated;
