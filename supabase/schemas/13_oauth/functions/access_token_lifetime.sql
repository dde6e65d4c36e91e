-- Why: hosted connectors often ask for no refresh in time, and a grant that is revoked is dead at once whatever its token says: so
-- a working day, not the usual hour.
create function private.access_token_lifetime()
returns interval
language plpgsql
immutable
set search_path = ''
as $$
begin
  return interval '8 hours';
end;
$$;

comment on function private.access_token_lifetime is 'How long an access token of a grant is good (docs/agents.md, Signing in over OAuth).';

grant execute on function private.access_token_lifetime to service_role;
