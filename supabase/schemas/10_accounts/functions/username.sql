-- Why: pages name owners, assignees and authors, but users may not read others' profiles. Definer; called only for
-- people who share a product with the caller.
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
