-- Why: words of workers about the code host fill no disk, and an address beside the product's repository is not taken for one in it.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.hear_worker(p_product_id uuid, p_said jsonb DEFAULT NULL::jsonb, p_addresses text[] DEFAULT '{}'::text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_foreign text;
  v_detail jsonb := jsonb_build_object('product_id', p_product_id, 'said', p_said,
    'code', (select p.code from public.products p where p.id = p_product_id));
begin
  if not exists (
    select from public.product_members m
    where m.product_id = p_product_id and m.user_id = auth.uid() and (m.role = 'OWNER' or m.workers_allowed))
  then
    perform private.refuse(403, 'Only workers that are allowed in this product can report what happens in its repository and land its branches. Allow yours on the members page, or ask the owner.');
  end if;
  select a into v_foreign from unnest(p_addresses) a where not private.is_own_address(p_product_id, a) limit 1;
  if v_foreign is not null then
    perform private.refuse(403, format('%s is not in the repository of this product. If it should be, set the repository in the product''s settings to its address at the code host.', left(v_foreign, 300)));
  end if;
  if p_said is not null and not exists (
    select from public.audit_events e
    where e.user_id = auth.uid() and e.kind = 'worker.word' and e.created_at > private.now() - interval '1 hour' and e.detail = v_detail)
  then
    perform private.take_rate_limit('worker_word', auth.uid()::text);
    perform private.audit(auth.uid(), auth.uid(), 'worker.word', v_detail);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_own_address(p_product_id uuid, p_url text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_repository text := (
    select regexp_replace(rtrim(lower(p.repo_url), '/'), '\.git$', '') from public.products p where p.id = p_product_id);
  v_address text := regexp_replace(lower(p_url), '^https?://', '');
  v_host text := regexp_replace(v_address, '[/:].*$', '');
  v_ssh text[] := regexp_match(v_repository, '^(?:ssh://)?[^@/:]+@([^/:]+)(?::[0-9]+(?=/))?[:/]+(.+)$');
begin
  if v_address ~ '[\\[:space:][:cntrl:]@?#]|(\.|%2e){2}' then
    return false;
  elsif v_repository ~ '^https?://' then
    return starts_with(v_address, regexp_replace(v_repository, '^https?://([^@/]*@)?', '') || '/');
  elsif v_ssh is not null then
    return case when v_ssh[1] ~ '\.'
      then '.' || v_ssh[1] like '%.' || v_host and starts_with(regexp_replace(v_address, '^[^/]*', ''), '/' || v_ssh[2] || '/')
      else position('/' || v_ssh[2] || '/' in v_address) > 0 end;
  end if;
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pull_said(p_seen jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('url', left(p_seen ->> 'url', 300), 'head_sha', p_seen -> 'head_sha', 'state', p_seen -> 'state', 'ci', p_seen -> 'ci' -> 'state',
    'review', p_seen -> 'review', 'mergeable', p_seen -> 'mergeable', 'comments', (
      select count(*) from jsonb_array_elements(coalesce(p_seen -> 'comments', '[]')) c where (c ->> 'trusted')::boolean));
end;
$function$;

CREATE OR REPLACE FUNCTION private.rate_limit(p_action text, OUT p_max integer, OUT p_seconds integer)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  select l.max_count, l.seconds
  into p_max, p_seconds
  from (
    values
      -- per client address (login also the failed tries of an account, or of a browser it was signed in on)
      ('login', 10, 60),
      ('provider_sign_in', 60, 60),
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      ('oauth_register', 20, 600),
      ('oauth_token', 120, 60),
      ('hook_address', 3000, 60),
      ('open_door', 600, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('member_lookup', 10, 3600),
      ('join', 20, 60),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('dependency', 120, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('change', 120, 60),
      ('undo', 60, 60),
      ('api_token', 10, 3600),
      ('oauth_consent', 100, 600),
      ('client_document', 60, 60),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      ('inbox', 240, 60),
      ('saved_view', 60, 60),
      ('label', 60, 60),
      ('comment', 60, 60),
      ('file', 60, 60),
      ('file_read', 600, 60),
      ('import', 10, 60),
      ('search', 240, 60),
      ('candidates', 240, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      ('worker_word', 600, 3600),
      ('pulls_observed', 120, 60),
      ('issues_observed', 120, 60),
      ('issue_notes', 120, 60),
      ('landings', 300, 60),
      ('idempotency_key', 600, 60),
      -- per hook address: what is sent, and what is new
      ('hook', 3000, 60),
      ('hook_item', 300, 3600),
      -- per job
      ('job_output', 240, 60),
      ('job_diff', 30, 60),
      ('job_conflict', 30, 60),
      ('job_merged', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;
