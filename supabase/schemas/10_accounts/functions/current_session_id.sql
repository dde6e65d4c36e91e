-- Why: the devices page marks the current session, and "all others" keeps it.
create function private.current_session_id()
returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id')::uuid;
end;
$$;

comment on function private.current_session_id is 'The session of this request, or null for a token.';

grant execute on function private.current_session_id to authenticated;
