-- Why: the admin command line names people by user name or e-mail address, products by code, all else by id. Service
-- only: it resolves any account.
create function operations.resolve_account(p_identifier text)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_account json;
begin
  select json_build_object('id', u.id, 'username', u.username, 'email', u.email)
  into v_account
  from public.users u
  where lower(u.username) = lower(p_identifier) or lower(u.email) = lower(p_identifier) or u.id::text = p_identifier;

  if v_account is null then
    raise exception using errcode = 'PT404',
      message = format('There is no user %s. Give the user name or the e-mail address of an account.', private.one_line(p_identifier));
  end if;
  return v_account;
end;
$$;

comment on function operations.resolve_account is
  'A user by name, e-mail address or id, for the admin command line. Service only.';
grant execute on function operations.resolve_account to service_role;
