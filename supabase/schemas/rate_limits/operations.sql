-- Why: a sign-in is counted before its password is checked, so that parallel guesses all count. A right password gives
-- its count back, so that only failures add up; earlier wrong ones stay counted.
-- Called by the login with the secret key.
create function operations.give_back_limit(p_action text, p_key text)
returns json language plpgsql volatile set search_path = '' as $$
begin
  update public.rate_limit_counters c set count = greatest(c.count - 1, 0)
  where c.action = p_action and c.key = p_key;
  return json_build_object('ok', true);
end;
$$;
grant execute on function operations.give_back_limit to service_role;

-- Why: limits before sign-in are taken before the work, in a separate call, so that a failed try counts (specification:
-- Limits, login, registration, pair/start). Service only: the key is an address or an account.
create function operations.take_limit(p_action text, p_key text)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.take_rate_limit(p_action, p_key);
  return json_build_object('ok', true);
end;
$$;
grant execute on function operations.take_limit to service_role;
