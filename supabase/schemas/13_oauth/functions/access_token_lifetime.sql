-- Why: a working day instead of the usual hour: hosted connectors often refresh too late, and a revoked grant ends at
-- once whatever the lifetime of its token.
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
