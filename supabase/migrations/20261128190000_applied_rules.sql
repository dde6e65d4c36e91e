-- Which rules a database has.
create table private.applied_rules (
  id bigint generated always as identity primary key,
  hash text not null check (char_length(hash) = 64),
  release text not null check (char_length(release) between 1 and 40),
  applied_at timestamptz not null default clock_timestamp()
);
