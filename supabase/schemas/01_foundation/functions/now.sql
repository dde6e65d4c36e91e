-- Why: every rule about time asks this one clock, so that a test can stand at any moment (`backloom.now`, which no API
-- client can set) and a waiting transaction does not decide by the stale time of its start.
create function private.now()
returns timestamptz
language plpgsql
volatile
set search_path = ''
as $$
begin
  return coalesce(nullif(current_setting('backloom.now', true), '')::timestamptz, clock_timestamp());
end;
$$;

comment on function private.now is 'The clock of all rules about time (specification: States and transitions, Limits).';

grant execute on function private.now to authenticated, service_role;
