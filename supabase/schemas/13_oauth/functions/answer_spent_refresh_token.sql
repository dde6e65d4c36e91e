-- Why: processes of one program that share a stored token refresh at the same time, and an answer can get lost. So the
-- same client gets the same tokens again for 30 seconds. Later, or from another client, the token was stolen, and its
-- grant ends; that refusal is returned, not raised, which would roll it back.
create function private.answer_spent_refresh_token(p_refresh_hash bytea, p_client_id text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_spent public.spent_refresh_tokens;
  v_grant public.api_tokens;
begin
  select * into v_spent from public.spent_refresh_tokens s where s.refresh_hash = p_refresh_hash;
  select * into v_grant from public.api_tokens t where t.id = v_spent.token_id;
  if v_grant.client_id = p_client_id and v_grant.revoked_at is null and v_spent.next_tokens is not null
    and v_spent.spent_at > private.now() - interval '30 seconds' then
    return (private.oauth_answer(v_grant.scopes)::jsonb || jsonb_build_object('next_tokens', v_spent.next_tokens))::json;
  end if;
  perform private.end_grant(v_grant.id, 'refresh token used again');
  return private.oauth_refusal('invalid_grant');
end;
$$;

comment on function private.answer_spent_refresh_token is
  'The answer to a refresh token that was used already (docs/agents.md, Signing in over OAuth).';

grant execute on function private.answer_spent_refresh_token to service_role;
