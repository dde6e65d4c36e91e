-- Why: what workers write under an issue of the code host, once each: the comment that its work is done, and its
-- closing. One worker at a time has the row of an issue and a deed. It outlives its story, so that nothing is ever
-- written twice.
-- Written by operations.next_issue_note and operations.report_issue_note.
create table public.issue_notes (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  url text not null constraint issue_notes_url_form check (url ~* '^https?://' and char_length(url) <= 300),
  deed text not null constraint issue_notes_deed_known check (deed in ('comment', 'close')),
  state text not null default 'working' constraint issue_notes_state_known check (state in ('working', 'written', 'refused')),
  words text constraint issue_notes_words_length check (char_length(words) <= 1000),
  worker text not null constraint issue_notes_worker_length check (char_length(worker) <= 200),
  tries integer not null default 0,
  lease uuid not null default gen_random_uuid(),
  lease_until timestamptz not null,
  created_at timestamptz not null default private.now(),
  finished_at timestamptz,
  constraint issue_notes_once unique (product_id, url, deed),
  constraint issue_notes_finished check ((state = 'working') = (finished_at is null))
);

comment on table public.issue_notes is 'Comments on issues of the code host, and their closing, once each (docs/forges.md).';

alter table public.issue_notes enable row level security;

create policy issue_notes_select on public.issue_notes for select to authenticated
  using (product_id in (select private.accessible_product_ids()));

grant select on public.issue_notes to authenticated;
grant select, insert, update, delete on public.issue_notes to service_role;
