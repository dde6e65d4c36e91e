-- Why: demo accounts read everything and write nothing, on every path. Policies refuse them too, but without a message.
create function private.require_no_demo()
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if private.is_demo() then
    raise exception using errcode = 'PT403',
      message = 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.';
  end if;
end;
$$;

comment on function private.require_no_demo is 'PT403 for demo accounts (specification: Authentication 3).';

grant execute on function private.require_no_demo to authenticated;
