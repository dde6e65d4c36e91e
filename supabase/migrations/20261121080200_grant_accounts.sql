-- What each role may do with the account tables. Secrets and other people's addresses are out of reach of a user's
-- JWT: columns are named one by one, and every change goes through a function.
revoke all on public.users, public.user_sessions, public.api_tokens, public.login_pairings,
  public.rate_limit_counters, public.audit_events from anon, authenticated;

grant select (id, username, role, is_demo, created_at) on public.users to authenticated;
grant select on public.user_sessions, public.audit_events to authenticated;
grant select (id, user_id, label, prefix, expires_at, last_used_at, revoked_at, created_at)
  on public.api_tokens to authenticated;

grant select, insert, update, delete on public.users, public.user_sessions, public.api_tokens,
  public.login_pairings, public.rate_limit_counters, public.audit_events to service_role;

-- call_as and authenticate run as the service role and use these helpers.
grant usage on schema private to service_role;
revoke execute on function private.touch_credential(uuid, uuid), private.resolve_credential(jsonb),
  private.build_call(text, jsonb) from public;
grant execute on function private.touch_credential(uuid, uuid), private.resolve_credential(jsonb),
  private.build_call(text, jsonb) to service_role;
