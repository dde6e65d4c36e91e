-- Why: several app processes may share one database, and each entry of the schedule must run once. The process that
-- inserts the row for (name, due_at) runs the entry; the others find it taken. An unfinished one (its call failed, or
-- its process died) is taken again after five minutes.
create table public.schedule_runs (
  name text not null check (char_length(name) between 1 and 100),
  due_at timestamptz not null,
  claimed_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  primary key (name, due_at)
);

comment on table public.schedule_runs is
  'Which entry of the in-process schedule was taken for which due time (specification: Schedules). Service only.';

alter table public.schedule_runs enable row level security;
create policy schedule_runs_service on public.schedule_runs for all to service_role using (true) with check (true);
