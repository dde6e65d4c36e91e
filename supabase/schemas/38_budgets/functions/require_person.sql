-- Why: a token is an agent's. What only a person may do asks for a session, whatever the account behind the token is.
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
