-- Why: signs out one device from another. Definer: users may not write user_sessions directly; it touches only the
-- caller's rows.
create function operations.revoke_session(p_session_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  if not exists (select from public.user_sessions s where s.id = p_session_id and s.user_id = auth.uid())
    or not private.end_session_chain(p_session_id) then
    raise exception using errcode = 'PT404', message = 'No such device is signed in to your account.';
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'session.revoked', jsonb_build_object('session_id', p_session_id));
  return json_build_object('id', p_session_id);
end;
$$;

comment on function operations.revoke_session is 'Ends one session of the caller (specification: Authentication).';
grant execute on function operations.revoke_session to authenticated;
