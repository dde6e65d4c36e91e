-- Why: the codes are those of RFC 6749 and 8707; the app adds each code's sentence and status.
create function private.oauth_refusal(p_error text)
returns json
language plpgsql
immutable
set search_path = ''
as $$
begin
  return json_build_object('refused', p_error);
end;
$$;

comment on function private.oauth_refusal is 'A refusal of the token endpoint, as an answer (docs/agents.md, Signing in over OAuth).';

grant execute on function private.oauth_refusal to service_role;
