-- Why: signing out must also invalidate copies of the cookie. It does not count as a write for demo accounts.
-- Called by POST /logout and by pages that find an expired paired session, with the secret key. Idempotent.
create function operations.end_session(p_session_id uuid, p_ip text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_user_id uuid;
begin
  update public.user_sessions set revoked_at = private.now()
  where id = p_session_id and revoked_at is null
  returning user_id into v_user_id;

  if v_user_id is not null then
    perform private.audit(v_user_id, v_user_id, 'session.ended', jsonb_build_object('session_id', p_session_id), p_ip);
  end if;
  return json_build_object('ended', v_user_id is not null);
end;
$$;

comment on function operations.end_session is
  'Ends one session, as sign-out does (specification: Authentication 2). Service only.';
grant execute on function operations.end_session to service_role;
