-- Why: workers comment once on issues whose work is done and close them when it has landed; insights say how long landing took.
set local check_function_bodies = off;

DROP FUNCTION "private"."settle_item"(uuid, text);

CREATE TABLE "public"."issue_notes" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "url" text NOT NULL, "deed" text NOT NULL, "state" text NOT NULL DEFAULT 'working'::text, "words" text, "worker" text NOT NULL, "tries" integer NOT NULL DEFAULT 0, "lease" uuid NOT NULL DEFAULT gen_random_uuid(), "lease_until" timestamp with time zone NOT NULL, "finished_at" timestamp with time zone, CONSTRAINT "issue_notes_deed_known" CHECK ((deed = ANY (ARRAY['comment'::text, 'close'::text]))), CONSTRAINT "issue_notes_finished" CHECK (((state = 'working'::text) = (finished_at IS NULL))), CONSTRAINT "issue_notes_once" UNIQUE (product_id, url, deed), CONSTRAINT "issue_notes_pkey" PRIMARY KEY (id), CONSTRAINT "issue_notes_state_known" CHECK ((state = ANY (ARRAY['working'::text, 'written'::text, 'refused'::text]))), CONSTRAINT "issue_notes_url_form" CHECK (((url ~* '^https?://'::text) AND (char_length(url) <= 300))), CONSTRAINT "issue_notes_words_length" CHECK ((char_length(words) <= 1000)), CONSTRAINT "issue_notes_worker_length" CHECK ((char_length(worker) <= 200)), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."issue_notes" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."settled_items" ADD COLUMN "merged_into" uuid;

CREATE OR REPLACE FUNCTION operations.get_insights(p_product_id uuid, p_sprint_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
begin
  perform private.require_product_access(p_product_id);
  select s.* into v_sprint from public.sprints s
  where s.product_id = p_product_id and (p_sprint_id is null or s.id = p_sprint_id)
  order by (s.status = 'ACTIVE') desc, s.started_at desc nulls last, s.created_at desc
  limit 1;
  if p_sprint_id is not null and v_sprint.id is null then
    perform private.refuse(404, 'No such sprint.');
  end if;
  return jsonb_build_object(
    'product_id', p_product_id,
    'sprint', case when v_sprint.id is not null then jsonb_build_object('id', v_sprint.id, 'code', v_sprint.code,
      'sprint_goal', v_sprint.sprint_goal, 'status', lower(v_sprint.status::text), 'start_date', v_sprint.start_date,
      'end_date', v_sprint.end_date, 'started_at', v_sprint.started_at, 'completed_at', v_sprint.completed_at) end,
    'burndown', case when v_sprint.id is not null then private.burndown(v_sprint) else '[]' end)
    || private.usage_by(p_product_id, p_sprint_id) || private.cost_insights(p_product_id)
    || jsonb_build_object('landing', private.landing_insights(p_product_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.merge_story(p_story_id uuid, p_into uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
  v_target public.stories;
  v_text text;
begin
  perform private.require_triage(p_story_id);
  perform private.require_access('story', p_into);
  select s.* into v_story from public.stories s where s.id = p_story_id;
  select s.* into v_target from public.stories s where s.id = p_into;
  if v_target.product_id <> v_story.product_id or v_target.in_triage then
    perform private.refuse(422, 'Choose a story of this product that is not in triage.',
      '{"issues":[{"path":"into","message":"Choose a story of the backlog."}]}');
  end if;
  v_text := concat_ws(E'\n\n', nullif(v_target.description, ''), format('Merged from %s: %s', v_story.code, v_story.title),
    nullif(v_story.description, ''), nullif(v_story.acceptance_criteria, ''));
  if char_length(v_text) > 100000 then
    perform private.refuse(422, format('The description of %s has no room for this text. Accept the story instead.', v_target.code));
  end if;

  update public.stories s set description = v_text where s.id = p_into;
  update public.tasks t set story_id = p_into where t.story_id = p_story_id;
  perform private.settle_item(p_story_id, 'merged', p_into);
  delete from public.stories s where s.id = p_story_id;
  return private.story_json(p_into);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.next_issue_note(p_product_id uuid, p_worker text, p_project text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_due record;
  v_note public.issue_notes;
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('issue_notes', auth.uid()::text);
  perform private.lock_product(p_product_id);
  perform private.require_product_write(p_product_id);
  select d.* into v_due from private.due_issue_notes(p_product_id) d
  where position(lower('/' || p_project || '/') in lower(d.url)) > 0
  limit 1;
  if v_due.url is null then
    return json_build_object('note', null);
  end if;
  insert into public.issue_notes as n (product_id, url, deed, worker, lease_until)
  values (p_product_id, v_due.url, v_due.deed, left(p_worker, 200), private.now() + interval '5 minutes')
  on conflict on constraint issue_notes_once do update
  set worker = excluded.worker, lease = gen_random_uuid(), lease_until = excluded.lease_until
  returning n.* into v_note;
  return json_build_object('note', json_build_object('id', v_note.id, 'lease', v_note.lease, 'deed', v_note.deed, 'url', v_note.url,
    'number', substring(v_note.url from '(\d{1,9})/?$')::integer, 'text', private.done_words(v_due.story_id), 'mark', v_due.story_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_issue_note(p_issue_note_id uuid, p_lease uuid, p_state text, p_words text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_note public.issue_notes;
begin
  select n.* into v_note from public.issue_notes n where n.id = p_issue_note_id;
  perform private.require_product_access(v_note.product_id);
  perform private.take_rate_limit('issue_notes', auth.uid()::text);
  perform private.lock_product(v_note.product_id);
  perform private.require_product_write(v_note.product_id);
  select n.* into v_note from public.issue_notes n where n.id = p_issue_note_id;
  if v_note.lease is distinct from p_lease or v_note.state <> 'working' then
    perform private.refuse(409, 'Another worker has taken this note over, or it has ended. Ask for the next one.');
  end if;
  if p_state = 'put_off' and v_note.tries >= 4 then
    p_state := 'refused';
  end if;
  update public.issue_notes n
  set state = case when p_state in ('written', 'refused') then p_state else 'working' end,
      words = left(p_words, 1000), tries = n.tries + (p_state = 'put_off')::integer,
      lease = case when p_state = 'put_off' then gen_random_uuid() else n.lease end,
      lease_until = private.now() + case p_state when 'put_off' then interval '1 minute' * 4 ^ n.tries else interval '5 minutes' end,
      finished_at = case when p_state in ('written', 'refused') then private.now() end
  where n.id = p_issue_note_id
  returning n.* into v_note;
  return json_build_object('id', v_note.id, 'state', v_note.state);
end;
$function$;

CREATE OR REPLACE FUNCTION private.done_words(p_story_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select format('Done (%s)', s.code) || coalesce(': ' || (
      select string_agg(x.url, ', ' order by x.number)
      from (
        select distinct p.url, p.number
        from private.jobs_of_story(p_story_id) j
        join public.pulls p on p.product_id = j.product_id and p.branch = j.branch and p.state <> 'closed'
        order by p.number desc limit 5
      ) x), '') || '.'
    from public.stories s where s.id = p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.due_issue_notes(p_product_id uuid)
 RETURNS TABLE(url text, deed text, story_id uuid)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    with issues as (
      select s.id, s.external_url as url from public.stories s
      where s.product_id = p_product_id and s.origin = 'forge' and not s.in_triage
      union all
      select i.merged_into, i.external_id from public.settled_items i
      where i.product_id = p_product_id and i.merged_into is not null
    ), done as (
      select i.url, s.id, c.state as comment_state, c.lease_until as comment_lease
      from issues i
      join public.stories s on s.id = i.id and s.status = 'DONE'
      left join public.issue_notes c on c.product_id = p_product_id and c.url = i.url and c.deed = 'comment'
      where i.url ~ '\d{1,9}/?$'
        and exists (select from public.products p where p.id = p_product_id and p.archived_at is null and p.forge_issue_label <> '')
    )
    select d.url, 'comment', d.id from done d
    where d.comment_state is null or d.comment_state = 'working' and d.comment_lease <= private.now()
    union all
    select d.url, 'close', d.id
    from done d
    left join public.issue_notes x on x.product_id = p_product_id and x.url = d.url and x.deed = 'close'
    where d.comment_state <> 'working' and (x.state is null or x.state = 'working' and x.lease_until <= private.now())
      and private.has_landed(d.id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_landed(p_story_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (select from private.jobs_of_story(p_story_id) j where j.merged_at is not null)
    and not exists (select from private.unlanded_work(array[p_story_id]));
end;
$function$;

CREATE OR REPLACE FUNCTION private.jobs_of_story(p_story_id uuid)
 RETURNS SETOF public.agent_jobs
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select j.* from public.tasks t join public.agent_jobs j on j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION'
    where t.story_id = p_story_id
    union all
    select j.* from (
      select distinct e.sprint_run_id from public.tasks t join public.task_executions e on e.task_id = t.id
      where t.story_id = p_story_id
    ) r
    join public.agent_jobs j on j.sprint_run_id = r.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION';
end;
$function$;

CREATE OR REPLACE FUNCTION private.landing_insights(p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_since timestamptz := private.now() - interval '90 days';
begin
  return jsonb_build_object('returns', (
      select coalesce(jsonb_agg(to_jsonb(r) order by r.returned + r.asked desc, r.kind), '[]')
      from (
        select x.kind, count(*) filter (where not x.asks) as returned, count(*) filter (where x.asks) as asked
        from (
          select distinct k.kind, k.pull_id, k.head_sha, k.decision = 'asked' as asks
          from public.pull_reactions k join public.pulls p on p.id = k.pull_id
          where p.product_id = p_product_id and k.created_at >= v_since and k.decision <> 'noted'
          union all
          select 'landing_' || l.state, l.id, '', l.state = 'refused'
          from public.landings l
          where l.product_id = p_product_id and l.finished_at >= v_since and l.state in ('conflict', 'test_failed', 'refused')
        ) x
        group by x.kind
      ) r)) || (
    select jsonb_build_object('landed', count(*), 'median_seconds', round(percentile_cont(0.5) within group (order by w.seconds))::bigint,
      'longest_seconds', round(max(w.seconds))::bigint)
    from (
      select extract(epoch from j.merged_at - j.finished_at) as seconds
      from public.agent_jobs j
      where j.product_id = p_product_id and j.status = 'DONE' and j.merged_at >= v_since and j.merged_at >= j.finished_at
        and j.head_sha is distinct from j.base_sha
    ) w);
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
      ('import', 10, 60),
      ('search', 240, 60),
      ('candidates', 240, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      ('pulls_observed', 120, 60),
      ('issues_observed', 120, 60),
      ('issue_notes', 120, 60),
      ('landings', 300, 60),
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

CREATE OR REPLACE FUNCTION private.settle_item(p_story_id uuid, p_outcome text, p_into uuid DEFAULT NULL::uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.settled_items (product_id, external_id, story_id, code, outcome, merged_into)
  select s.product_id, s.external_id, s.id, s.code, p_outcome, case when s.origin = 'forge' then p_into end
  from public.stories s
  where s.id = p_story_id and s.in_triage and s.external_id is not null and s.origin is not null
    and s.product_id in (select private.writable_product_ids())
  on conflict (product_id, external_id) do update
  set story_id = excluded.story_id, code = excluded.code, outcome = excluded.outcome,
      merged_into = excluded.merged_into, settled_at = private.now();
end;
$function$;

ALTER TABLE "public"."issue_notes" ADD CONSTRAINT "issue_notes_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."settled_items" ADD CONSTRAINT "settled_items_merged_into_fkey" FOREIGN KEY (merged_into) REFERENCES public.stories(id) ON DELETE SET NULL;

CREATE INDEX settled_items_merged_into_idx ON public.settled_items USING btree (merged_into) WHERE (merged_into IS NOT NULL);

CREATE INDEX stories_of_issues_idx ON public.stories USING btree (product_id) WHERE (origin = 'forge'::text);

CREATE POLICY "issue_notes_select" ON "public"."issue_notes" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

COMMENT ON COLUMN "public"."settled_items"."merged_into" IS 'The story that an issue of the code host was merged into.';

COMMENT ON FUNCTION "operations"."get_insights"(uuid, uuid) IS 'Burn-down, tokens, cost and landing (specification: Sprint; Agent job; Model price).';

COMMENT ON FUNCTION "operations"."next_issue_note"(uuid, text, text) IS 'What a worker writes under an issue next (docs/forges.md).';

COMMENT ON FUNCTION "operations"."report_issue_note"(uuid, uuid, text, text) IS 'What became of a note under an issue (docs/forges.md).';

COMMENT ON FUNCTION "private"."done_words"(uuid) IS 'The comment on an issue whose work is done.';

COMMENT ON FUNCTION "private"."due_issue_notes"(uuid) IS 'What is to be written under issues and nobody is writing (docs/forges.md).';

COMMENT ON FUNCTION "private"."has_landed"(uuid) IS 'Whether agents worked on a story, and all of it is on the main branch.';

COMMENT ON FUNCTION "private"."jobs_of_story"(uuid) IS 'The jobs that implemented tasks of a story, batches included.';

COMMENT ON FUNCTION "private"."landing_insights"(uuid) IS 'From done to landed, and what came back (docs/forges.md).';

COMMENT ON FUNCTION "private"."settle_item"(uuid, text, uuid) IS 'Remembers an item from outside that leaves triage.';

COMMENT ON TABLE "public"."issue_notes" IS 'Comments on issues of the code host, and their closing, once each (docs/forges.md).';

REVOKE ALL ON FUNCTION "operations"."next_issue_note"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."next_issue_note"(uuid, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."report_issue_note"(uuid, uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."report_issue_note"(uuid, uuid, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."done_words"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."done_words"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."due_issue_notes"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."due_issue_notes"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_landed"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."has_landed"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."jobs_of_story"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."jobs_of_story"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."landing_insights"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."landing_insights"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_item"(uuid, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_item"(uuid, text, uuid) TO "authenticated", "postgres";

GRANT SELECT ON TABLE "public"."issue_notes" TO "authenticated";

GRANT ALL ON TABLE "public"."issue_notes" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."issue_notes" TO "service_role";
