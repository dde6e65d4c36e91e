-- Why: an operation that touches no product still refuses a demo account, also when its JWT comes straight to the
-- Data API, where call_as is not in between. Called first by the volatile operations of accounts.
create function private.refuse_demo()
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

comment on function private.refuse_demo() is 'PT403 for demo accounts (specification: Authentication 3).';

grant execute on function private.refuse_demo() to authenticated, service_role;
