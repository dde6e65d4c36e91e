-- Why: pages show who owns, is assigned or wrote something, and a user may not read the profiles of others. Definer; it is
-- only called for people who share a product with the caller.
create function private.username(p_user_id uuid)
returns text
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (select u.username from public.users u where u.id = p_user_id);
end;
$$;

comment on function private.username is 'The name of a user, or null.';

grant execute on function private.username to authenticated, service_role;
