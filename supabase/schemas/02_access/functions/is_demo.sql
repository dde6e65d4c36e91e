-- Why: the demo flag is read from the database on every request, never from a token or cookie. Definer, because users
-- may not read the profile table freely. A caller without a profile counts as demo: nobody writes without an account.
create function private.is_demo()
returns boolean
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return coalesce((select u.is_demo from public.users u where u.id = auth.uid()), true);
end;
$$;

comment on function private.is_demo is 'Whether the caller may only read (specification: Authentication 3).';

grant execute on function private.is_demo to authenticated, service_role;
