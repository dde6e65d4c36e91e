-- Why: a claimed entry whose call failed is taken again; one that succeeded is not.
-- Called by app/server/scheduler.server.ts with the secret key after the endpoint succeeded.
create function operations.finish_schedule_run(p_name text, p_due_at timestamptz)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.schedule_runs
  set finished_at = clock_timestamp()
  where name = p_name and due_at = p_due_at;
  return json_build_object('ok', true);
end;
$$;

comment on function operations.finish_schedule_run is
  'Keeps a scheduled entry from being taken again (specification: Schedules). Service only.';
grant execute on function operations.finish_schedule_run to service_role;
