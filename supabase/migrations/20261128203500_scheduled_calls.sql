-- What became of the calls that pg_cron makes.
alter table public.schedule_runs add column request_id bigint;
