-- Why: rows record the session that created them. Null for bearer tokens and for JWTs of Auth, whose sessions are not
-- rows here.
create function private.own_session_id()
returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select s.id from public.user_sessions s
    where s.id = private.current_session_id() and s.user_id = auth.uid());
end;
$$;

comment on function private.own_session_id is 'The session of this request, where there is one (specification: Authentication).';
