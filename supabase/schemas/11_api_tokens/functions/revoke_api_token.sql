-- Why: ends a leaked token, or a program's access, at once. Idempotent.
-- Definer: users may not write api_tokens directly; it touches only the caller's rows.
create function operations.revoke_api_token(p_token_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  update public.api_tokens set revoked_at = coalesce(revoked_at, private.now())
  where id = p_token_id and user_id = auth.uid();
  if not found then
    raise exception using errcode = 'PT404', message = 'No such token.';
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'token.revoked', jsonb_build_object('token_id', p_token_id));
  return json_build_object('id', p_token_id);
end;
$$;

comment on function operations.revoke_api_token is 'Revokes an API token of the caller (specification: Authentication 1).';
grant execute on function operations.revoke_api_token to authenticated;
