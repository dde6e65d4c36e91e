-- Why: an export must not depend on the session's time zone, or two exports of the same rows would differ.
create function private.export_time(p_time timestamptz)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
end;
$$;

comment on function private.export_time is 'A point in time as the export file writes it (docs/export-format.md).';

grant execute on function private.export_time to service_role;
