-- Why: the one place where a call stops being the service's and becomes a user's: role and claims for the rest of the
-- transaction, or until the caller takes them back. Invoker, because only an invoker can change the role.
-- Called by public.call_as and private.act_as. A demo account that calls what writes: PT403.
create function private.become_user(p_principal private.principal, p_writes boolean)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_writes and p_principal.is_demo then
    raise exception using errcode = 'PT403',
      message = 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.';
  end if;

  perform set_config('request.jwt.claims', json_strip_nulls(json_build_object(
      'sub', p_principal.user_id, 'role', 'authenticated',
      'session_id', p_principal.session_id, 'token_id', p_principal.token_id))::text, true),
    set_config('role', 'authenticated', true);
end;
$$;

comment on function private.become_user is
  'Takes on a user''s role and claims, unless a demo account would write (specification: Authentication 3).';

grant execute on function private.become_user to service_role;
