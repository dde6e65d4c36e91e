-- Why: a reused code or refresh token, or a program that signs out, ends the grant at once, including open streams (by
-- the trigger of api_tokens).
create function private.end_grant(p_token_id uuid, p_reason text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_grant public.api_tokens;
begin
  update public.api_tokens set revoked_at = private.now()
  where id = p_token_id and revoked_at is null
  returning * into v_grant;
  if found then
    perform private.audit(v_grant.user_id, null, 'grant.ended',
      jsonb_build_object('token_id', p_token_id, 'client', v_grant.label, 'reason', p_reason));
  end if;
end;
$$;

comment on function private.end_grant is 'Ends a grant and says why in the audit trail (docs/agents.md, Signing in over OAuth).';

grant execute on function private.end_grant to service_role;
