-- Why: the provider has just confirmed that the account exists, by a sign-in or a renewal. p_tried is the renewed
-- token; after a sign-in in between, that newer token stays. An empty token deletes the stored one. Without p_is_admin
-- the role stays; the last administrator always keeps it. Service only.
create function operations.keep_identity(
  p_issuer text, p_subject text, p_refresh_token text default null, p_tried text default null, p_is_admin boolean default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_account uuid;
begin
  update public.account_identities i
  set refresh_token = nullif(coalesce(p_refresh_token, i.refresh_token), ''), checked_at = private.now(), asked_until = null,
    ended_at = case when p_tried is null then null else i.ended_at end
  where i.issuer = p_issuer and i.subject = p_subject and (p_tried is null or i.refresh_token = p_tried)
  returning i.account into v_account;
  if v_account is not null and p_is_admin is not null then
    perform private.set_role_by_claim(v_account, p_is_admin);
  end if;
  return json_build_object('kept', v_account is not null);
end;
$$;

comment on function operations.keep_identity is 'Notes that the account at the provider exists, and its role. Service only.';
grant execute on function operations.keep_identity to service_role;

create function private.set_role_by_claim(p_account uuid, p_is_admin boolean)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_role public.user_role := case when p_is_admin then 'ADMIN' else 'DEVELOPER' end;
begin
  -- Two administrators who lose the role at the same moment must not both lose it.
  perform pg_advisory_xact_lock(hashtextextended('administrators', 0));
  update public.users u set role = v_role, updated_at = private.now()
  where u.id = p_account and u.role <> v_role and not u.is_demo
    and (p_is_admin or exists (select from public.users o where o.role = 'ADMIN' and not o.is_demo and o.id <> p_account));
  if found then
    perform private.audit(p_account, null, 'user.changed', jsonb_build_object('role', v_role, 'by', 'OIDC_ADMIN_CLAIM'));
  end if;
end;
$$;

comment on function private.set_role_by_claim is 'Gives or takes the role ADMIN as the provider says.';
grant execute on function private.set_role_by_claim to service_role;
