-- Why: a request that is sent again with its idempotency key happens once; agents do not make what is there under the same title.
set local check_function_bodies = off;

DROP FUNCTION "operations"."create_idea"(uuid, text, text);

DROP FUNCTION "operations"."create_pbi"(uuid, text, text, text, integer);

DROP FUNCTION "operations"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb, jsonb);

DROP FUNCTION "operations"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb, jsonb);

DROP FUNCTION "public"."call_as"(jsonb, text, jsonb);

CREATE TABLE "public"."idempotency_keys" ("user_id" uuid NOT NULL, "key" text NOT NULL, "fingerprint" bytea NOT NULL, "answer" text, "created_at" timestamp with time zone NOT NULL, CONSTRAINT "idempotency_keys_key_check" CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255))), CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY (user_id, key));

ALTER TABLE "public"."idempotency_keys" ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION operations.create_idea(p_product_id uuid, p_title text, p_description text DEFAULT ''::text, p_refuse_similar boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_access('product', p_product_id);
  perform private.require_product_write(p_product_id);
  if p_refuse_similar then
    perform private.lock_product(p_product_id);
    perform private.refuse_similar('idea', p_product_id, p_title);
  end if;
  insert into public.ideas (id, product_id, title, description)
  values (v_id, p_product_id, p_title, coalesce(p_description, ''));
  return (select row_to_json(i) from private.idea_shape i where i.id = v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_pbi(p_product_id uuid, p_title text, p_description text DEFAULT ''::text, p_code text DEFAULT NULL::text, p_priority integer DEFAULT 3, p_refuse_similar boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_write('product', p_product_id);
  if p_refuse_similar then
    perform private.refuse_similar('pbi', p_product_id, p_title);
  end if;

  insert into public.pbis (id, product_id, code, title, description, priority)
  values (v_id, p_product_id, p_code, p_title, coalesce(p_description, ''), coalesce(p_priority, 3));
  return (select row_to_json(b) from private.pbi_shape b where b.id = v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_story(p_pbi_id uuid, p_title text, p_description text DEFAULT ''::text, p_acceptance_criteria text DEFAULT ''::text, p_code text DEFAULT NULL::text, p_priority integer DEFAULT 3, p_sprint_id uuid DEFAULT NULL::uuid, p_assignee_id uuid DEFAULT NULL::uuid, p_blocked_by jsonb DEFAULT NULL::jsonb, p_labels jsonb DEFAULT NULL::jsonb, p_refuse_similar boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
begin
  if p_sprint_id is not null then
    perform private.require_access('sprint', p_sprint_id);
  end if;
  perform private.require_assignee(v_product_id, p_assignee_id);
  if p_refuse_similar then
    perform private.refuse_similar('story', p_pbi_id, p_title);
  end if;

  insert into public.stories
    (id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, label_ids)
  values
    (v_id, p_pbi_id, p_code, p_title, coalesce(p_description, ''), coalesce(p_acceptance_criteria, ''),
      coalesce(p_priority, 3), p_sprint_id, p_assignee_id,
      coalesce(private.require_labels(v_product_id, p_labels), '{}'));
  perform private.add_dependencies('story', v_id, p_blocked_by);
  return private.story_json(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_task(p_story_id uuid, p_title text, p_description text DEFAULT ''::text, p_code text DEFAULT NULL::text, p_implementation_plan text DEFAULT NULL::text, p_priority integer DEFAULT 3, p_repo_url text DEFAULT NULL::text, p_verify_only boolean DEFAULT false, p_verify_required text DEFAULT 'ALIGNED_OR_PARTIAL'::text, p_requires_opus boolean DEFAULT false, p_estimated_minutes integer DEFAULT NULL::integer, p_blocked_by jsonb DEFAULT NULL::jsonb, p_labels jsonb DEFAULT NULL::jsonb, p_refuse_similar boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_label_ids uuid[] := private.require_labels(private.require_write('story', p_story_id), p_labels);
begin
  if p_refuse_similar then
    perform private.refuse_similar('task', p_story_id, p_title);
  end if;

  insert into public.tasks
    (id, story_id, code, title, description, implementation_plan, priority, repo_url, verify_only, verify_required,
      requires_opus, estimated_minutes, label_ids)
  values
    (v_id, p_story_id, p_code, p_title, coalesce(p_description, ''), p_implementation_plan, coalesce(p_priority, 3),
      p_repo_url, coalesce(p_verify_only, false),
      coalesce(p_verify_required, 'ALIGNED_OR_PARTIAL')::public.verify_required, coalesce(p_requires_opus, false),
      p_estimated_minutes, coalesce(v_label_ids, '{}'));
  perform private.add_dependencies('task', v_id, p_blocked_by);
  return private.task_json(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_answer(p_user_id uuid, p_key text, p_answer json)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if json_typeof(p_answer) = 'object' and p_answer -> 'refused' is not null then
    delete from public.idempotency_keys k where k.user_id = p_user_id and k.key = p_key;
  else
    update public.idempotency_keys k set answer = p_answer::text where k.user_id = p_user_id and k.key = p_key;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.kept_call_lifetime()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select interval '24 hours';
$function$;

CREATE OR REPLACE FUNCTION private.normalised_title(p_title text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select btrim(regexp_replace(lower(normalize(p_title, nfkc)), '\s+', ' ', 'g'), ' .,;:!?-');
$function$;

CREATE OR REPLACE FUNCTION private.refuse_similar(p_kind text, p_parent_id uuid, p_title text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_title text := private.normalised_title(p_title);
  v_found json;
  v_code text;
begin
  select json_build_object('kind', p_kind, 'id', x.id, 'code', x.code, 'title', x.title), x.code into v_found, v_code
  from (
    select p.id, p.code, p.title from public.pbis p
    where p_kind = 'pbi' and p.product_id = p_parent_id and p.status <> 'DONE'
    union all
    select s.id, s.code, s.title from public.stories s
    where p_kind = 'story' and s.pbi_id = p_parent_id and s.status <> 'DONE'
    union all
    select t.id, t.code, t.title from public.tasks t
    where p_kind = 'task' and t.story_id = p_parent_id and t.status <> 'DONE'
    union all
    select i.id, i.code, i.title from public.ideas i
    where p_kind = 'idea' and i.product_id = p_parent_id and i.user_id = auth.uid()
      and i.archived_at is null and i.status <> 'PLANNED'
  ) x
  where private.normalised_title(x.title) = v_title
  limit 1;
  if v_found is not null then
    raise exception using errcode = 'PT409',
      message = format('%s has this title and is not done. Work with that one, or send allow_duplicate: true for another.', v_code),
      detail = json_build_object('similar_exists', v_found)::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.remove_stale_rows()
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_counters integer;
  v_sessions integer;
  v_pairings integer;
  v_notices integer;
  v_outputs integer;
  v_diffs integer;
  v_workers integer;
  v_keys integer;
begin
  delete from public.rate_limit_counters c where c.window_start < v_now - interval '2 hours';
  get diagnostics v_counters = row_count;
  delete from public.user_sessions s where least(s.expires_at, s.revoked_at) < v_now - interval '30 days';
  get diagnostics v_sessions = row_count;
  delete from private.changes c where c.changed_at < v_now - interval '1 minute';
  delete from public.login_pairings l where l.created_at < v_now - interval '1 day';
  get diagnostics v_pairings = row_count;
  delete from public.notices n where n.status <> 'PENDING' and n.created_at < v_now - interval '30 days';
  get diagnostics v_notices = row_count;
  delete from public.job_outputs o
  where (o.job_id, o.attempt, o.seq) in (
    select x.job_id, x.attempt, x.seq from public.job_outputs x
    where x.created_at < v_now - interval '14 days' order by x.created_at limit 20000);
  get diagnostics v_outputs = row_count;
  delete from public.job_diffs d
  where d.created_at < v_now - interval '14 days'
    and exists (select from public.job_diffs n where n.job_id = d.job_id and n.attempt > d.attempt);
  get diagnostics v_diffs = row_count;
  perform private.keep_usage_so_far(x.job_id, x.attempt)
  from (
    select distinct s.product_id, s.job_id, s.attempt from public.usage_so_far s
    where s.told_at < v_now - interval '1 hour' and not exists (
      select from public.agent_jobs j where j.id = s.job_id and j.attempt = s.attempt and j.status in ('CLAIMED', 'RUNNING'))
  ) x
  -- Whoever writes lines of the ledger holds a share of its product; one that is busy is looked at the next time.
  where private.try_share_product(x.product_id);
  delete from public.agent_workers w
  where w.last_seen_at < v_now - interval '30 days'
    and not exists (select from public.agent_jobs j where j.worker_id = w.id)
    and not exists (select from public.job_attempts a where a.worker_id = w.id);
  get diagnostics v_workers = row_count;
  delete from public.idempotency_keys k where k.created_at <= v_now - private.kept_call_lifetime();
  get diagnostics v_keys = row_count;
  return jsonb_build_object('rate_limit_counters', v_counters, 'user_sessions', v_sessions, 'login_pairings', v_pairings,
    'notices', v_notices, 'job_outputs', v_outputs, 'job_diffs', v_diffs, 'agent_workers', v_workers,
    'idempotency_keys', v_keys);
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_idempotency_key(p_user_id uuid, p_key text, p_fingerprint bytea)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_timeout text := current_setting('lock_timeout');
  v_is_new boolean;
  v_kept public.idempotency_keys;
begin
  begin
    -- Shorter than any other lock is waited for: the call that holds the key may itself be waiting for one.
    perform set_config('lock_timeout', '1500ms', true);
    insert into public.idempotency_keys as k (user_id, key, fingerprint, created_at)
    values (p_user_id, p_key, p_fingerprint, private.now())
    on conflict (user_id, key) do update
    set fingerprint = excluded.fingerprint, answer = null, created_at = excluded.created_at
    where k.created_at <= private.now() - private.kept_call_lifetime()
    returning true into v_is_new;
  exception when lock_not_available then
    raise exception using errcode = 'PT409',
      message = 'The same request is still running. Send it again in a second to get its answer.',
      detail = json_build_object('retry_after', 1)::text;
  end;
  perform set_config('lock_timeout', v_timeout, true);
  if v_is_new then
    return null;
  end if;

  select k.* into v_kept from public.idempotency_keys k where k.user_id = p_user_id and k.key = p_key;
  if v_kept.fingerprint <> p_fingerprint then
    raise exception using errcode = 'PT422',
      message = 'This idempotency key was used for another request. Send the same request again, or take a new key for a new one.',
      detail = json_build_object('issues', json_build_array(
        json_build_object('path', 'idempotency_key', 'message', 'Was used for another request.')))::text;
  end if;
  return v_kept.answer;
end;
$function$;

CREATE OR REPLACE FUNCTION public.call_as(p_credential jsonb, p_function text, p_arguments jsonb DEFAULT '{}'::jsonb, p_key text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_principal private.principal := private.resolve_credential(p_credential);
  v_caller text := current_setting('role');
  v_claims text := coalesce(current_setting('request.jwt.claims', true), '');
  v_statement text;
  v_writes boolean;
  v_earlier text;
  v_answer json;
begin
  select c.p_statement, c.p_writes into v_statement, v_writes
  from private.build_call('authenticated', p_function, p_arguments) c;

  if v_writes and v_principal.is_demo then
    raise exception using errcode = 'PT403',
      message = 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.';
  end if;

  if v_writes and p_key is not null then
    v_earlier := private.take_idempotency_key(v_principal.user_id, p_key,
      sha256(convert_to(p_function || p_arguments::text, 'UTF8')));
    if v_earlier is not null then
      return json_build_object('answer', v_earlier, 'kept', true, 'replayed', true);
    end if;
  end if;

  perform set_config('request.jwt.claims', json_strip_nulls(json_build_object(
      'sub', v_principal.user_id, 'role', 'authenticated',
      'session_id', v_principal.session_id, 'token_id', v_principal.token_id))::text, true),
    set_config('role', 'authenticated', true);
  execute v_statement into v_answer using p_arguments;

  perform set_config('role', v_caller, true), set_config('request.jwt.claims', v_claims, true);
  if p_key is null then
    return v_answer;
  end if;
  if v_writes then
    perform private.keep_answer(v_principal.user_id, p_key, v_answer);
  end if;
  return json_build_object('answer', v_answer::text, 'kept', v_writes, 'replayed', false);
end;
$function$;

ALTER TABLE "public"."idempotency_keys" ADD CONSTRAINT "idempotency_keys_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

CREATE INDEX idempotency_keys_created_at_idx ON public.idempotency_keys USING btree (created_at);

CREATE POLICY "idempotency_keys_service" ON "public"."idempotency_keys" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON FUNCTION "operations"."create_idea"(uuid, text, text, boolean) IS 'Creates an idea of the caller (specification: Idea, Entity codes 7). 60 per minute.';

COMMENT ON FUNCTION "operations"."create_pbi"(uuid, text, text, text, integer, boolean) IS 'Creates a PBI (specification: PBI, Entity codes). 30 per minute.';

COMMENT ON FUNCTION "operations"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb, jsonb, boolean) IS 'Creates a story (specification: Story, Entity codes). 60 per minute.';

COMMENT ON FUNCTION "operations"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb, jsonb, boolean) IS 'Creates a task (specification: Task, Entity codes). 100 per minute.';

COMMENT ON FUNCTION "private"."keep_answer"(uuid, text, json) IS 'Keeps what a call with an idempotency key answered.';

COMMENT ON FUNCTION "private"."kept_call_lifetime"() IS 'How long the answer to an idempotency key is kept.';

COMMENT ON FUNCTION "private"."normalised_title"(text) IS 'A title without case, spacing and marks at its ends.';

COMMENT ON FUNCTION "private"."refuse_similar"(text, uuid, text) IS 'Refuses what an open sibling with the same title is already: PT409 with its code.';

COMMENT ON FUNCTION "private"."take_idempotency_key"(uuid, text, bytea) IS 'Takes a key of a user for one call, or answers the call that took it.';

COMMENT ON FUNCTION "public"."call_as"(jsonb, text, jsonb, text) IS 'Runs one operation as the user behind a credential (specification: Authentication). Service only.';

COMMENT ON TABLE "public"."idempotency_keys" IS 'Answers of writes that were sent with an idempotency key, by user and key. Service only.';

REVOKE ALL ON FUNCTION "operations"."create_idea"(uuid, text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_idea"(uuid, text, text, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."create_pbi"(uuid, text, text, text, integer, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_pbi"(uuid, text, text, text, integer, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb, jsonb, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb, jsonb, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb, jsonb, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb, jsonb, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."keep_answer"(uuid, text, json) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_answer"(uuid, text, json) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."kept_call_lifetime"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."kept_call_lifetime"() TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."normalised_title"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."normalised_title"(text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_similar"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_similar"(text, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."take_idempotency_key"(uuid, text, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."take_idempotency_key"(uuid, text, bytea) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."call_as"(jsonb, text, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."call_as"(jsonb, text, jsonb, text) TO "postgres", "service_role";

GRANT ALL ON TABLE "public"."idempotency_keys" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."idempotency_keys" TO "service_role";
