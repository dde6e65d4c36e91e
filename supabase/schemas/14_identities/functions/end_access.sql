-- Why: ends all access to an account at once: sessions, waiting pairings, tokens and grants, and with the tokens its
-- workers. The triggers of both tables end open streams. Returns how many of each. Called by link_identity and
-- end_identity, which hold the user's row, and by claim_identity_checks.
create function private.end_access(p_account uuid)
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_sessions integer := private.end_sessions(p_account);
  v_tokens integer;
begin
  update public.api_tokens t set revoked_at = private.now() where t.user_id = p_account and t.revoked_at is null;
  get diagnostics v_tokens = row_count;
  delete from public.push_subscriptions s where s.user_id = p_account;
  return jsonb_build_object('sessions_ended', v_sessions, 'tokens_ended', v_tokens);
end;
$$;

comment on function private.end_access is 'Ends all sessions, tokens and grants of an account.';
grant execute on function private.end_access to service_role;
