-- Why: limits before sign-in are taken before the work, in a separate call, so that a failed try counts (specification:
-- Limits, login, registration, pair/start). Service only: the key is an address or an account.
create function operations.take_limit(p_action text, p_key text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.take_rate_limit(p_action, p_key);
  return json_build_object('ok', true);
end;
$$;

comment on function operations.take_limit is
  'Counts one try of login, registration, recovery, pair/start or a password change, or PT429 (specification: Limits). Service only.';
grant execute on function operations.take_limit to service_role;
