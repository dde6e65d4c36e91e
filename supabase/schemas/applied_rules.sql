-- The rules that this database has. A start applies its own only where the newest hash differs (docs/operate.md).
create table private.applied_rules (
  id bigint generated always as identity primary key,
  hash text not null check (char_length(hash) = 64),
  release text not null check (char_length(release) between 1 and 40),
  applied_at timestamptz not null default clock_timestamp()
);

comment on table private.applied_rules is 'The rules that were applied, the newest last. Owner only.';

alter table private.applied_rules enable row level security;
