-- Why: all rules about time use this clock, so that tests can set it (`backloom.now`, which no API client can set) and
-- a transaction that waited does not decide by the stale time of its start.
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
