-- Why: a password change, a reset or a lost role ends every other session at once, and an approved but unclaimed
-- pairing must not become a session afterwards. Definer: users may not write these tables directly.
-- Called by password_changed, revoke_other_sessions and admin_update_user. Returns how many sessions ended.
create function private.end_sessions(p_user_id uuid, p_keep_session_id uuid default null)
returns integer
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_ended integer;
begin
  update public.login_pairings set status = 'CANCELLED' where user_id = p_user_id and status = 'APPROVED';

  update public.user_sessions set revoked_at = private.now()
  where user_id = p_user_id and revoked_at is null and id is distinct from p_keep_session_id;
  get diagnostics v_ended = row_count;
  return v_ended;
end;
$$;

comment on function private.end_sessions is
  'Ends all sessions of a user but one, and their unclaimed pairings (specification: Authentication).';

grant execute on function private.end_sessions to service_role;
