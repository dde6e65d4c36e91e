-- Why: decides which app process runs a scheduled entry.
-- Called by app/server/scheduler.server.ts with the secret key before it calls the endpoint. Returns true for one
-- caller per (p_name, p_due_at), and again for one every five minutes until finish_schedule_run is called. Deletes
-- entries older than 30 days.
create function operations.claim_schedule_run(p_name text, p_due_at timestamptz)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_taken integer;
begin
  delete from public.schedule_runs where due_at < clock_timestamp() - interval '30 days';

  insert into public.schedule_runs (name, due_at)
  values (p_name, p_due_at)
  on conflict (name, due_at) do update
    set claimed_at = clock_timestamp()
    where schedule_runs.finished_at is null
      and schedule_runs.claimed_at < clock_timestamp() - interval '5 minutes';
  get diagnostics v_taken = row_count;

  return to_json(v_taken = 1);
end;
$$;

comment on function operations.claim_schedule_run is
  'True for the one process that runs this scheduled entry (specification: Schedules). Service only.';
grant execute on function operations.claim_schedule_run to service_role;
