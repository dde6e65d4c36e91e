-- Why: redeeming and refreshing give the same answer. The app generates the tokens; they never reach the database.
create function private.oauth_answer(p_scopes text[])
returns json
language plpgsql
immutable
set search_path = ''
as $$
begin
  return json_build_object('expires_in', extract(epoch from private.access_token_lifetime())::integer, 'scope', array_to_string(p_scopes, ' '));
end;
$$;

comment on function private.oauth_answer is 'What a token answer says beside the tokens (docs/agents.md, Signing in over OAuth).';

grant execute on function private.oauth_answer to service_role;
