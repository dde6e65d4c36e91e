-- Why: the one place that decides whom a credential belongs to. Everything is read from the database on each request:
-- revocation, expiry, the end of a paired session, role, demo flag. Only the id is taken from the cookie.
-- Called by public.call_as and public.authenticate. Unknown, expired or revoked: PT401.
create function private.resolve_credential(p_credential jsonb)
returns private.principal
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_used_at timestamptz := v_now;
  v_principal private.principal;
begin
  if p_credential ? 'token_hash' then
    select u.id, u.username, u.email, u.role, u.is_demo, u.must_reset_password, u.min_quota_pct,
           u.active_product_id, u.theme, u.avatar is not null, null, false, null, t.id, t.scopes, t.product_ids,
           coalesce(t.last_used_at, '-infinity')
    into v_principal.user_id, v_principal.username, v_principal.email, v_principal.role,
         v_principal.is_demo, v_principal.must_reset_password, v_principal.min_quota_pct,
         v_principal.active_product_id, v_principal.theme, v_principal.has_avatar, v_principal.session_id, v_principal.paired,
         v_principal.paired_expires_at, v_principal.token_id, v_principal.scopes, v_principal.product_ids, v_used_at
    from public.api_tokens t
    join public.users u on u.id = t.user_id
    where t.token_hash = decode(p_credential ->> 'token_hash', 'hex')
      -- The token of a grant is good at the one address that it was asked for, and nowhere else.
      and (t.audience is null or t.audience = p_credential ->> 'audience')
      and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > v_now);
  elsif p_credential ? 'session_id' then
    select u.id, u.username, u.email, u.role, u.is_demo, u.must_reset_password, u.min_quota_pct,
           u.active_product_id, u.theme, u.avatar is not null, s.id, s.paired, s.paired_expires_at, null, s.last_seen_at
    into v_principal.user_id, v_principal.username, v_principal.email, v_principal.role,
         v_principal.is_demo, v_principal.must_reset_password, v_principal.min_quota_pct,
         v_principal.active_product_id, v_principal.theme, v_principal.has_avatar, v_principal.session_id, v_principal.paired,
         v_principal.paired_expires_at, v_principal.token_id, v_used_at
    from public.user_sessions s
    join public.users u on u.id = s.user_id
    where s.id = (p_credential ->> 'session_id')::uuid
      and s.revoked_at is null
      and s.expires_at > v_now
      and (s.paired_expires_at is null or s.paired_expires_at > v_now);
  else
    select u.id, u.username, u.email, u.role, u.is_demo, u.must_reset_password, u.min_quota_pct,
           u.active_product_id, u.theme, u.avatar is not null, false
    into v_principal.user_id, v_principal.username, v_principal.email, v_principal.role,
         v_principal.is_demo, v_principal.must_reset_password, v_principal.min_quota_pct,
         v_principal.active_product_id, v_principal.theme, v_principal.has_avatar, v_principal.paired
    from public.users u
    where u.id = (p_credential ->> 'user_id')::uuid;
  end if;

  if v_principal.user_id is null then
    raise exception using errcode = 'PT401',
      message = 'Not signed in: the token or session is missing, unknown, expired or revoked. Sign in, or create a token in the settings.';
  end if;

  if v_used_at <= v_now - interval '1 minute' then
    perform private.touch_credential(v_principal.session_id, v_principal.token_id);
  end if;

  return v_principal;
end;
$$;

comment on function private.resolve_credential is
  'The principal behind a token hash, session id or trusted user id, or PT401 (specification: Authentication).';

grant execute on function private.resolve_credential to service_role;

-- Why: shows on the devices and tokens pages when a credential was last used, and extends normal sessions to 30 days
-- after their last use. A paired session keeps its deadline (specification: Authentication 5).
-- Called by private.resolve_credential at most once a minute per credential. Concurrent requests with one credential
-- never wait here: a locked row is left to the request that holds it.
create function private.touch_credential(p_session_id uuid, p_token_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_session_id is not null then
    update public.user_sessions
    set last_seen_at = private.now(),
        expires_at = case when paired then expires_at else private.now() + interval '30 days' end
    where id in (select id from public.user_sessions where id = p_session_id for update skip locked);
    return;
  end if;

  update public.api_tokens
  set last_used_at = private.now(), first_used_at = coalesce(first_used_at, private.now())
  where id in (select id from public.api_tokens where id = p_token_id for update skip locked);
end;
$$;

comment on function private.touch_credential is
  'Notes the use of a session or token and lets a normal session slide (specification: Authentication).';

grant execute on function private.touch_credential to service_role;
