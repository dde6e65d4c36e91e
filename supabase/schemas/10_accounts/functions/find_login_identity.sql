-- Why: people sign in with user name or e-mail address; Supabase Auth knows only the address.
-- For an unknown name it answers the address of somebody else and no user id, so that the caller does the same work
-- with a password that cannot be right, and neither answer nor time tells whether the account exists.
-- Called by the login, the registration and the admin commands with the secret key.
create function public.find_login_identity(p_identifier text)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_user public.users;
begin
  if position('@' in p_identifier) > 0 then
    select * into v_user from public.users u where lower(u.email) = lower(p_identifier) limit 1;
  else
    select * into v_user from public.users u where lower(u.username) = lower(p_identifier);
  end if;

  if v_user.id is null then
    return json_build_object('user_id', null,
      'email', coalesce((select u.email from public.users u order by u.id limit 1), 'nobody@example.invalid'));
  end if;
  return json_build_object('user_id', v_user.id, 'email', v_user.email);
end;
$$;

comment on function public.find_login_identity is
  'User id and e-mail address behind a user name or address, with a decoy for unknown ones. Service only.';
grant execute on function public.find_login_identity to service_role;
