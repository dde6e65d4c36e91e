-- Why: a scheduled entry whose call failed is tried again the same day; Vault's origin may end with a slash; what a caller
-- sent stands in one line of a refusal.
set local check_function_bodies = off;

ALTER TABLE "public"."schedule_runs" ADD COLUMN "finished_at" timestamp with time zone;

-- Entries of before are not run once more.
UPDATE public.schedule_runs SET finished_at = claimed_at;

-- The platform's defaults give it to some projects and not to others.
GRANT UPDATE ON TABLE public.schedule_runs TO service_role;

CREATE OR REPLACE FUNCTION private.call_scheduled_endpoint(p_path text)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_origin text;
  v_secret text;
  v_request_id bigint;
begin
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1'
    into v_origin using 'backloom_origin';
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1'
    into v_secret using 'backloom_cron_secret';
  if v_origin is null or v_secret is null then
    raise exception 'Vault has no secret named backloom_origin or backloom_cron_secret: create both, see docs/deploy.md';
  end if;

  execute 'select net.http_post(url := $1, headers := $2, body := $3)'
    into v_request_id
    using rtrim(v_origin, '/') || p_path,
      jsonb_build_object('Authorization', 'Bearer ' || v_secret, 'Content-Type', 'application/json'),
      '{}'::jsonb;
  return v_request_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.one_line(p_text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select left(regexp_replace(p_text, '[[:cntrl:]]+', ' ', 'g'), 200);
$function$;

CREATE OR REPLACE FUNCTION public.claim_schedule_run(p_name text, p_due_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_taken integer;
begin
  delete from public.schedule_runs where due_at < clock_timestamp() - interval '30 days';

  insert into public.schedule_runs (name, due_at)
  values (p_name, p_due_at)
  on conflict (name, due_at) do update
    set claimed_at = clock_timestamp()
    where schedule_runs.finished_at is null
      and schedule_runs.claimed_at < clock_timestamp() - interval '5 minutes';
  get diagnostics v_taken = row_count;

  return to_json(v_taken = 1);
end;
$function$;

CREATE OR REPLACE FUNCTION public.finish_schedule_run(p_name text, p_due_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.schedule_runs
  set finished_at = clock_timestamp()
  where name = p_name and due_at = p_due_at;
  return json_build_object('ok', true);
end;
$function$;

CREATE OR REPLACE FUNCTION public.resolve_account(p_identifier text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_account json;
begin
  select json_build_object('id', u.id, 'username', u.username, 'email', u.email)
  into v_account
  from public.users u
  where lower(u.username) = lower(p_identifier) or lower(u.email) = lower(p_identifier) or u.id::text = p_identifier;

  if v_account is null then
    raise exception using errcode = 'PT404',
      message = format('There is no user %s. Give the user name or the e-mail address of an account.', private.one_line(p_identifier));
  end if;
  return v_account;
end;
$function$;

CREATE OR REPLACE FUNCTION public.resolve_product(p_reference text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products json;
begin
  select json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name, 'owner_id', p.owner_id) order by p.created_at)
  into v_products
  from public.products p
  join public.users u on u.id = p.owner_id
  where p.id::text = p_reference or p.code = p_reference or u.username || '/' || p.code = p_reference;

  if v_products is null then
    raise exception using errcode = 'PT404',
      message = format('There is no product %s. Give its id, its code, or owner/code.', private.one_line(p_reference));
  end if;

  if json_array_length(v_products) > 1 then
    raise exception using errcode = 'PT409',
      message = format('%s products have the code %s. Give the id, or owner/code.', json_array_length(v_products), p_reference),
      detail = json_build_object('candidates', v_products)::text;
  end if;
  return v_products -> 0;
end;
$function$;

COMMENT ON FUNCTION "private"."one_line"(text) IS 'A text of the caller as part of a sentence: one line, at most 200 characters.';

COMMENT ON FUNCTION "public"."finish_schedule_run"(text, timestamp with time zone) IS 'Keeps a scheduled entry from being taken again (specification: Schedules). Service only.';

REVOKE ALL ON FUNCTION "private"."one_line"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."one_line"(text) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."finish_schedule_run"(text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."finish_schedule_run"(text, timestamp with time zone) TO "postgres", "service_role";
