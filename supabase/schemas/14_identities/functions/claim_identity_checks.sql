-- Why: only one process asks the provider about an account, so that a refresh token is used once. A claim without a
-- result is free again after four minutes. Also ends access that an ended account received at the very moment of its
-- end. Service only.
create function operations.claim_identity_checks(p_issuer text, p_limit integer default 20, p_recheck_hours integer default 168)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_claimed json;
begin
  perform private.end_access(e.account) from (
    select distinct i.account from public.account_identities i
    where i.issuer = p_issuer and i.ended_at > private.now() - interval '1 day'
      and not exists (select from public.account_identities o where o.account = i.account and o.ended_at is null)
      and (exists (select from public.api_tokens t where t.user_id = i.account and t.revoked_at is null)
        or exists (select from public.user_sessions s where s.user_id = i.account and s.revoked_at is null))) e;

  perform private.end_unconfirmed(p_issuer, make_interval(hours => p_recheck_hours));

  with due as (
    select i.issuer, i.subject from public.account_identities i
    where i.issuer = p_issuer and i.ended_at is null and i.refresh_token is not null
      and i.checked_at <= private.now() - interval '20 minutes' and coalesce(i.asked_until, '-infinity') <= private.now()
    order by i.checked_at limit p_limit for update skip locked
  ), claimed as (
    update public.account_identities i set asked_until = private.now() + interval '4 minutes'
    from due where i.issuer = due.issuer and i.subject = due.subject
    returning i.issuer, i.subject, i.refresh_token
  )
  select coalesce(json_agg(claimed), '[]') into v_claimed from claimed;
  return v_claimed;
end;
$$;

comment on function operations.claim_identity_checks is 'Accounts to ask the provider about, each for one process. Service only.';
grant execute on function operations.claim_identity_checks to service_role;
