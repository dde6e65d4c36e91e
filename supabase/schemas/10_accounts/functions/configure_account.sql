-- Why: sets what registration cannot: an administrator role or the demo flag, by an admin command or on the first
-- start. Called with the secret key, right after the account was created.
create function operations.configure_account(p_user_id uuid, p_role text default null, p_is_demo boolean default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.users
  set role = coalesce(p_role::public.user_role, role),
      is_demo = coalesce(p_is_demo, is_demo),
      updated_at = private.now()
  where id = p_user_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'No such user.';
  end if;

  perform private.audit(p_user_id, null, 'user.configured',
    jsonb_strip_nulls(jsonb_build_object('role', p_role, 'is_demo', p_is_demo)));
  return json_build_object('id', p_user_id);
end;
$$;

comment on function operations.configure_account is
  'Sets role and demo flag of an account from the command line (specification: Other records). Service only.';
grant execute on function operations.configure_account to service_role;
