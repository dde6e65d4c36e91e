-- Why: administrators see and change users. Read from the database on each request, never from a token or cookie.
-- Definer, because users may not read the flags of profiles.
create function private.is_admin()
returns boolean
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return exists (select from public.users u where u.id = auth.uid() and u.role = 'ADMIN');
end;
$$;

comment on function private.is_admin is 'Whether the caller has the role ADMIN (specification: Other records, User).';

grant execute on function private.is_admin to authenticated, service_role;
