-- Why: people sign in with user name or e-mail address, but Supabase Auth knows only the address. For an unknown name
-- it returns somebody else's address and no user id, so that the caller does the same work with a password that cannot
-- be right: neither answer nor time reveals whether the account exists.
-- limit_key is where a failed try counts and is refused: by the name or address as given, so that a refusal does not
-- reveal which of them belong together. account_key counts over all names of the account; beyond its limit the password
-- is not checked, which the caller does not learn. A browser with an earlier session of the account (live or not yet
-- deleted) has its own limit_key and no account_key, so that strangers cannot lock the user out.
-- Called by the login, the registration and the admin commands with the secret key.
create function operations.find_login_identity(p_identifier text, p_session_id uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_given text := lower(p_identifier);
  v_user public.users;
  v_is_known boolean;
begin
  if position('@' in p_identifier) > 0 then
    select * into v_user from public.users u where lower(u.email) = v_given limit 1;
  else
    select * into v_user from public.users u where lower(u.username) = v_given;
  end if;

  if v_user.id is null then
    return json_build_object('user_id', null, 'limit_key', 'name:' || v_given, 'account_key', 'account:' || v_given,
      'email', coalesce((select u.email from public.users u order by u.id limit 1), 'nobody@example.invalid'));
  end if;
  v_is_known := exists (select from public.user_sessions s where s.id = p_session_id and s.user_id = v_user.id);
  return json_build_object('user_id', v_user.id, 'email', v_user.email,
    'limit_key', case when v_is_known then 'session:' || p_session_id else 'name:' || v_given end,
    'account_key', case when not v_is_known then 'account:' || v_user.id end);
end;
$$;

comment on function operations.find_login_identity is
  'User id, e-mail address and limit keys behind a user name or address, with a decoy for unknown ones. Service only.';
grant execute on function operations.find_login_identity to service_role;
