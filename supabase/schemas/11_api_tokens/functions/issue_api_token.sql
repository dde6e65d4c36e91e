-- Why: the operator creates tokens for any account, including demo accounts, which cannot create their own. Hourly
-- limits are for users only. Receives only the SHA-256. Service only.
create function operations.issue_api_token(
  p_user_id uuid, p_label text, p_prefix text, p_token_hash text, p_expires_days integer default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid;
begin
  insert into public.api_tokens (user_id, label, prefix, token_hash, expires_at, created_at)
  values (p_user_id, p_label, p_prefix, decode(p_token_hash, 'hex'),
    private.now() + make_interval(days => p_expires_days), private.now())
  returning id into v_id;

  perform private.audit(p_user_id, null, 'token.created', jsonb_build_object('token_id', v_id, 'label', p_label));
  return json_build_object('id', v_id);
end;
$$;

comment on function operations.issue_api_token is
  'A new API token of any account, by its hash, for the operator (specification: Authentication 1). Service only.';
grant execute on function operations.issue_api_token to service_role;
