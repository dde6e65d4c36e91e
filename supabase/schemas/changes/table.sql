-- A person can undo a change or deletion within 30 seconds. One row for each item that one transaction of a
-- person's session changed, with its state before and after. Changes by agents and the service are not recorded. For a
-- job, the row records that the owner marked its work as merged into the main branch. Rows live for a minute: a
-- session's next change deletes its old ones, the sweep the rest.
create table private.changes (
  id bigint generated always as identity primary key,
  session_id uuid not null,
  transaction_id xid8 not null default pg_current_xact_id(),
  product_id uuid not null,
  kind text not null,
  thing_id uuid not null,
  code text not null,
  before jsonb not null,
  -- Null when the thing was deleted.
  after jsonb,
  -- What went with a deleted thing and cannot be brought back, in words.
  lost text,
  changed_at timestamptz not null default private.now()
);

comment on table private.changes is 'Changes a user can still undo. Written by triggers, read by undo_change.';
create index changes_session_idx on private.changes (session_id, id);
create index changes_changed_at_idx on private.changes (changed_at);

alter table private.changes enable row level security;

-- Only for the functions of this folder, which are definer.
grant select, insert, update, delete on private.changes to service_role;
