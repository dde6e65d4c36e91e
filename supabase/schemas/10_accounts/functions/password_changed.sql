-- Why: a new password ends every other session and every unclaimed pairing at once, and clears or sets the flag that
-- asks for another one. A reset by an administrator also disconnects the account from the sign-in provider. Called with
-- the secret key after Supabase Auth has stored the password: by the person (p_keep_session_id stays), by a recovery,
-- or by an administrator (p_must_reset: the next sign-in asks for another).
create function operations.password_changed(
  p_user_id uuid, p_keep_session_id uuid default null, p_must_reset boolean default false,
  p_actor_id uuid default null, p_ip text default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_ended integer;
begin
  update public.users set must_reset_password = p_must_reset, updated_at = private.now() where id = p_user_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'No such user.';
  end if;

  if p_must_reset then
    delete from public.account_identities i where i.account = p_user_id;
  end if;
  v_ended := private.end_sessions(p_user_id, p_keep_session_id);
  perform private.audit(p_user_id, coalesce(p_actor_id, p_user_id),
    case when p_must_reset then 'password.reset' else 'password.changed' end,
    jsonb_build_object('sessions_ended', v_ended), p_ip);
  return json_build_object('sessions_ended', v_ended);
end;
$$;

comment on function operations.password_changed is
  'Ends the other sessions after a password was changed or reset (specification: Authentication). Service only.';
grant execute on function operations.password_changed to service_role;
