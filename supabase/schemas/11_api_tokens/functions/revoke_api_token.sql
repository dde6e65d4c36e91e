-- Why: a token that leaked ends at once. Revoking twice is the same as once.
-- The definer half exists because users may not write api_tokens directly; it touches rows of the caller only.
create function private.revoke_api_token(p_token_id uuid)
returns boolean
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.api_tokens set revoked_at = coalesce(revoked_at, private.now())
  where id = p_token_id and user_id = auth.uid();
  return found;
end;
$$;

comment on function private.revoke_api_token is 'Revokes a token of the caller; false when there is none.';

grant execute on function private.revoke_api_token to authenticated;

create function public.revoke_api_token(p_token_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_no_demo();
  if not private.revoke_api_token(p_token_id) then
    raise exception using errcode = 'PT404', message = 'No such token.';
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'token.revoked', jsonb_build_object('token_id', p_token_id));
  return json_build_object('id', p_token_id);
end;
$$;

comment on function public.revoke_api_token is 'Revokes an API token of the caller (specification: Authentication 1).';
grant execute on function public.revoke_api_token to authenticated;
