-- Why: accepted lessons go into AGENTS.md, and boxes of done tasks into specs, by pull requests of workers.
set local check_function_bodies = off;

CREATE TABLE "public"."upkeeps" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "kind" text NOT NULL, "state" text NOT NULL DEFAULT 'waiting'::text, "digest" text, "url" text, "words" text, "worker" text NOT NULL, "lease" uuid NOT NULL DEFAULT gen_random_uuid(), "lease_until" timestamp with time zone NOT NULL, "look_at" timestamp with time zone, "landed_at" timestamp with time zone, CONSTRAINT "upkeeps_kind_known" CHECK ((kind = ANY (ARRAY['agents_md'::text, 'spec_boxes'::text]))), CONSTRAINT "upkeeps_once" UNIQUE (product_id, kind), CONSTRAINT "upkeeps_pkey" PRIMARY KEY (id), CONSTRAINT "upkeeps_state_known" CHECK ((state = ANY (ARRAY['waiting'::text, 'open'::text, 'merged'::text, 'closed'::text, 'branch'::text, 'conflict'::text]))), CONSTRAINT "upkeeps_url_form" CHECK (((url ~ '^https?://'::text) AND (char_length(url) <= 2000))), CONSTRAINT "upkeeps_words_length" CHECK ((char_length(words) <= 1000)), CONSTRAINT "upkeeps_worker_length" CHECK ((char_length(worker) <= 200)), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "updated_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."upkeeps" ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION operations.list_lessons(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);
  return (
    with shown as materialized (
      select l.*, array_position(array['accepted', 'proposed', 'retired', 'declined'], l.status) as place
      from public.lessons l where l.product_id = p_product_id
      order by place, l.created_at desc, l.id limit 1000
    ), known as materialized (
      select k.cause, k.label_ids, private.lesson_effect(p_product_id, k.cause, k.label_ids, '-infinity') as before
      from (select distinct s.cause, s.label_ids from shown s where s.status = 'proposed') k
    )
    select json_build_object('files', private.upkeep_states(p_product_id), 'lessons', coalesce(json_agg(
      private.lesson_json(l, coalesce(k.before, l.before), case when l.status = 'accepted' then private.effect_since(l) else l.after end)
      order by s.place, s.created_at desc, s.id), '[]'))
    from shown s
    join public.lessons l on l.id = s.id
    left join known k on s.status = 'proposed' and k.cause = s.cause and k.label_ids = s.label_ids);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.next_upkeep(p_product_id uuid, p_worker text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_due record;
  v_upkeep public.upkeeps;
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('upkeeps', auth.uid()::text);
  perform private.lock_product(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.hear_worker(p_product_id);
  select w.*, u.lease_until into v_due
  from private.wanted_upkeeps(p_product_id) w
  left join public.upkeeps u on u.product_id = p_product_id and u.kind = w.kind
  where case when u.id is null then w.content is not null
    else u.lease_until <= private.now() and (u.digest is distinct from w.digest or u.look_at <= private.now()) end
  order by u.lease_until nulls first, w.kind limit 1;
  if v_due.kind is null then
    return json_build_object('upkeep', null);
  end if;
  insert into public.upkeeps as u (product_id, kind, worker, lease_until)
  values (p_product_id, v_due.kind, left(p_worker, 200), private.now() + interval '5 minutes')
  on conflict on constraint upkeeps_once do update
  set worker = excluded.worker, lease = gen_random_uuid(), lease_until = excluded.lease_until
  returning u.* into v_upkeep;
  return json_build_object('upkeep', (
    select json_build_object('id', v_upkeep.id, 'lease', v_upkeep.lease, 'kind', v_upkeep.kind, 'digest', v_due.digest,
      'product', private.branch_part(p.code, p.id), 'branch', private.upkeep_branch(p, v_upkeep.kind),
      'content', coalesce(v_due.content, '[]'), 'has_landed', v_upkeep.landed_at is not null,
      'open_url', case when v_upkeep.state = 'open' and v_upkeep.digest = v_due.digest then v_upkeep.url end)
    from public.products p where p.id = p_product_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_upkeep(p_upkeep_id uuid, p_lease uuid, p_state text, p_digest text DEFAULT NULL::text, p_url text DEFAULT NULL::text, p_words text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_upkeep public.upkeeps;
begin
  select u.* into v_upkeep from public.upkeeps u where u.id = p_upkeep_id;
  perform private.require_product_access(v_upkeep.product_id);
  perform private.take_rate_limit('upkeeps', auth.uid()::text);
  perform private.lock_product(v_upkeep.product_id);
  perform private.require_product_write(v_upkeep.product_id);
  perform private.hear_worker(v_upkeep.product_id, case when p_state <> 'put_off' then
    jsonb_build_object('kind', v_upkeep.kind, 'state', p_state, 'url', coalesce(p_url, v_upkeep.url)) end, array_remove(array[p_url], null));
  update public.upkeeps u
  set state = case p_state when 'put_off' then u.state else p_state end,
      digest = case p_state when 'put_off' then u.digest else p_digest end,
      url = case when p_state in ('open', 'branch', 'conflict') then p_url else coalesce(p_url, u.url) end,
      words = left(p_words, 1000), lease = gen_random_uuid(),
      lease_until = private.now() + case p_state when 'put_off' then interval '5 minutes' else interval '0' end,
      look_at = case when p_state in ('open', 'branch', 'conflict') then private.now() + interval '5 minutes' end,
      landed_at = case when p_state <> 'merged' then u.landed_at when p_digest <> md5('') then coalesce(u.landed_at, private.now()) end
  where u.id = p_upkeep_id and u.lease = p_lease
  returning u.* into v_upkeep;
  if not found then
    perform private.refuse(409, 'Another worker has taken this file over, or it was reported. Ask for the next one.');
  end if;
  return json_build_object('id', v_upkeep.id, 'state', v_upkeep.state);
end;
$function$;

CREATE OR REPLACE FUNCTION private.done_boxes(p_product_id uuid)
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select json_agg(substr(t.external_id, 10) order by t.external_id)
  from public.tasks t where t.product_id = p_product_id and t.status = 'DONE' and t.external_id ~ '^spec-kit:[^/]+/T\d{1,6}[a-z]?$';
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
      ('lesson', 120, 60),
      ('comment', 60, 60),
      ('file', 60, 60),
      ('file_read', 600, 60),
      ('import', 10, 60),
      ('search', 240, 60),
      ('candidates', 240, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      ('viewed', 600, 60),
      ('worker_word', 600, 3600),
      ('pulls_observed', 120, 60),
      ('issues_observed', 120, 60),
      ('issue_notes', 120, 60),
      ('landings', 300, 60),
      ('upkeeps', 120, 60),
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

CREATE OR REPLACE FUNCTION private.upkeep_branch(p_product public.products, p_kind text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return format('%s/%s/%s', p_product.branch_prefix, private.branch_part(p_product.code, p_product.id), replace(p_kind, '_', '-'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.upkeep_states(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object('kind', w.kind, 'state', case when u.digest = w.digest then u.state else 'waiting' end,
      'url', u.url, 'branch', private.upkeep_branch(p, w.kind), 'words', u.words) order by w.kind), '[]')
    from private.wanted_upkeeps(p_product_id) w
    join public.products p on p.id = p_product_id
    left join public.upkeeps u on u.product_id = p_product_id and u.kind = w.kind
    where w.content is not null or u.state <> 'merged' or u.digest <> w.digest);
end;
$function$;

CREATE OR REPLACE FUNCTION private.wanted_upkeeps(p_product_id uuid)
 RETURNS TABLE(kind text, content json, digest text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select w.kind, w.content, md5(coalesce(w.content::text, ''))
    from (
      values ('agents_md', private.accepted_lessons(p_product_id)), ('spec_boxes', private.done_boxes(p_product_id))
    ) w (kind, content)
    where exists (
      select from public.products p where p.id = p_product_id and p.archived_at is null and p.pull_requests <> 'none');
end;
$function$;

ALTER TABLE "public"."upkeeps" ADD CONSTRAINT "upkeeps_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

CREATE TRIGGER _400_touch BEFORE UPDATE ON public.upkeeps FOR EACH ROW EXECUTE FUNCTION private.tg_any__touch();

CREATE TRIGGER _900_emit AFTER UPDATE ON public.upkeeps FOR EACH ROW WHEN (((old.state IS DISTINCT FROM new.state) OR (old.words IS DISTINCT FROM new.words) OR (old.digest IS DISTINCT FROM new.digest))) EXECUTE FUNCTION private.tg_any__emit('upkeep', '{product:product_id}', '{"state": "state"}');

CREATE POLICY "upkeeps_select" ON "public"."upkeeps" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

COMMENT ON COLUMN "public"."upkeeps"."digest" IS 'Of the content that the state is about; another one is due.';

COMMENT ON COLUMN "public"."upkeeps"."landed_at" IS 'When the main branch had it first: what is not there after that, a person took out.';

COMMENT ON COLUMN "public"."upkeeps"."look_at" IS 'When a worker looks again; null where only new content is due.';

COMMENT ON TABLE "public"."upkeeps" IS 'Files of the repository that follow the backlog by pull request (docs/forges.md).';

REVOKE ALL ON FUNCTION "operations"."next_upkeep"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."next_upkeep"(uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."report_upkeep"(uuid, uuid, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."report_upkeep"(uuid, uuid, text, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."done_boxes"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."done_boxes"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."upkeep_branch"(public.products, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."upkeep_branch"(public.products, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."upkeep_states"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."upkeep_states"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."wanted_upkeeps"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."wanted_upkeeps"(uuid) TO "postgres";

GRANT SELECT ON TABLE "public"."upkeeps" TO "authenticated";

GRANT ALL ON TABLE "public"."upkeeps" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."upkeeps" TO "service_role";
