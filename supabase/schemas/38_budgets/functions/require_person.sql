-- Why: tokens belong to agents. What only people may do needs a session, whatever the token's account.
create function private.require_person()
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if nullif(current_setting('request.jwt.claims', true), '')::jsonb ? 'token_id' then
    perform private.refuse(403, 'Only people can set budgets: sign in. An API token can only read them.');
  end if;
end;
$$;

comment on function private.require_person is 'PT403 for API tokens (specification: Authentication).';
