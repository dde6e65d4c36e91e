-- Why: a token of the sign-in provider that no secret opens any longer is forgotten, and nothing that was made as an account ended stays.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.claim_identity_checks(p_issuer text, p_limit integer DEFAULT 20)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_claimed json;
begin
  perform private.end_access(e.account) from (
    select distinct i.account from public.account_identities i
    where i.issuer = p_issuer and i.ended_at > private.now() - interval '1 day'
      and not exists (select from public.account_identities o where o.account = i.account and o.ended_at is null)
      and (exists (select from public.api_tokens t where t.user_id = i.account and t.revoked_at is null)
        or exists (select from public.user_sessions s where s.user_id = i.account and s.revoked_at is null))) e;

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
$function$;

CREATE OR REPLACE FUNCTION operations.keep_identity(p_issuer text, p_subject text, p_refresh_token text DEFAULT NULL::text, p_tried text DEFAULT NULL::text, p_is_admin boolean DEFAULT NULL::boolean)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;
