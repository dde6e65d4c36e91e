-- Why: some calls are for people only, and a token may be in anybody's hands, including an agent's.
create function private.is_token()
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'token_id' is not null;
end;
$$;

comment on function private.is_token is 'Whether this call was made with an API token (specification: Authentication 1).';

grant execute on function private.is_token to authenticated;
