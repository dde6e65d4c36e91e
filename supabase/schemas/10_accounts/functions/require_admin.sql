-- Why: one wording for every operation that only administrators may call.
create function private.require_admin()
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if not private.is_admin() then
    raise exception using errcode = 'PT403', message = 'Only administrators can do this. Ask one of them.';
  end if;
end;
$$;

comment on function private.require_admin is 'PT403 for everybody who is no administrator.';

grant execute on function private.require_admin to authenticated;
