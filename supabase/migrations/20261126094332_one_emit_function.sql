-- Why: one trigger function builds the events of all tables whose rows say all that their event carries. No event changes.
set local check_function_bodies = off;

DROP TRIGGER "_900_emit" ON "public"."api_tokens";

DROP TRIGGER "_900_emit" ON "public"."comments";

DROP TRIGGER "_900_emit_voided" ON "public"."evidence";

DROP TRIGGER "_900_emit" ON "public"."evidence";

DROP TRIGGER "_900_emit" ON "public"."files";

DROP TRIGGER "_900_emit" ON "public"."ideas";

DROP TRIGGER "_900_emit_insert" ON "public"."landings";

DROP TRIGGER "_900_emit_update" ON "public"."landings";

DROP TRIGGER "_900_emit" ON "public"."lessons";

DROP TRIGGER "_900_emit" ON "public"."login_pairings";

DROP TRIGGER "_900_emit" ON "public"."pbis";

DROP TRIGGER "_900_emit" ON "public"."product_members";

DROP TRIGGER "_900_emit" ON "public"."pulls";

DROP TRIGGER "_900_emit" ON "public"."sprint_runs";

DROP TRIGGER "_500_recount" ON "public"."story_dependencies";

DROP TRIGGER "_900_emit" ON "public"."story_dependencies";

DROP TRIGGER "_500_recount" ON "public"."task_dependencies";

DROP TRIGGER "_900_emit" ON "public"."task_dependencies";

DROP TRIGGER "_900_emit" ON "public"."user_sessions";

DROP TRIGGER "_900_emit" ON "public"."waivers";

DROP FUNCTION "private"."emit_story_change"(uuid, text);

DROP FUNCTION "private"."emit_task_change"(uuid, text);

DROP FUNCTION "private"."tg_api_tokens__emit"();

DROP FUNCTION "private"."tg_comments__emit"();

DROP FUNCTION "private"."tg_evidence__emit"();

DROP FUNCTION "private"."tg_files__emit"();

DROP FUNCTION "private"."tg_ideas__emit"();

DROP FUNCTION "private"."tg_lessons__emit"();

DROP FUNCTION "private"."tg_login_pairings__emit"();

DROP FUNCTION "private"."tg_pbis__emit"();

DROP FUNCTION "private"."tg_product_members__emit"();

DROP FUNCTION "private"."tg_pulls__emit"();

DROP FUNCTION "private"."tg_sprint_runs__emit"();

DROP FUNCTION "private"."tg_story_dependencies__emit"();

DROP FUNCTION "private"."tg_story_dependencies__recount"();

DROP FUNCTION "private"."tg_task_dependencies__emit"();

DROP FUNCTION "private"."tg_task_dependencies__recount"();

DROP FUNCTION "private"."tg_user_sessions__emit"();

DROP FUNCTION "private"."tg_waivers__emit"();

CREATE OR REPLACE FUNCTION operations.review_job(p_job_id uuid, p_verdict text, p_summary text DEFAULT NULL::text, p_attempt integer DEFAULT NULL::integer, p_criteria jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_verdict text := lower(private.require_choice('verdict', p_verdict, array['APPROVE', 'REQUEST_CHANGES']));
  v_summary text := coalesce(btrim(p_summary), '');
  v_review public.job_reviews;
  v_waited double precision;
begin
  perform private.require_reviewer(v_job);
  perform private.take_rate_limit('job_review', auth.uid()::text);
  if p_attempt is distinct from v_job.attempt and p_attempt is not null then
    perform private.refuse(409, format('Attempt %s has begun since you looked. Reload the page and judge what is there now.', v_job.attempt));
  end if;
  perform private.require_reviewable(v_job, v_verdict);
  if v_verdict = 'request_changes' and v_summary = '' and not exists (
    select from public.job_comments c where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null)
  then
    perform private.refuse(422, 'Say what should change: comment on a line, or write it in the summary.');
  end if;

  insert into public.job_reviews (job_id, product_id, attempt, verdict, summary, author_id, author, head_sha, handed_in_at, first_seen_at)
  values (p_job_id, v_job.product_id, v_job.attempt, v_verdict, v_summary, auth.uid(),
    coalesce(private.username(auth.uid()), 'someone'), v_job.head_sha, private.handed_in_at(p_job_id, private.now()), v_job.first_seen_at)
  returning * into v_review;
  update public.job_comments c set review_id = v_review.id
  where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null;

  if v_job.judged_at is null then
    v_waited := extract(epoch from private.now() - v_review.handed_in_at);
    update public.agent_jobs j set judged_at = private.now() where j.id = p_job_id;
  end if;
  if v_verdict = 'request_changes' then
    perform private.void_proof(v_job), private.note_return(v_job, 'changes_requested');
  end if;
  if v_job.status = 'QUEUED' and v_verdict = 'approve' then
    perform private.pass_review(p_job_id, v_summary, p_criteria);
  elsif v_job.status = 'QUEUED' then
    perform private.reject_review(p_job_id);
  elsif v_verdict = 'request_changes' then
    perform private.reopen_job(v_job);
  end if;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  perform private.emit_part_change('job', p_job_id, 'review');
  return private.review_json(v_review) || jsonb_build_object('job', private.job_json(v_job), 'waited_seconds', v_waited);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.start_over(p_kind text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := lower(private.require_choice('kind', p_kind, array['STORY', 'SPRINT']));
  v_product_id uuid := private.require_write(v_kind, p_id);
  v_story_ids uuid[];
  v_left jsonb;
  v_busy text;
begin
  if private.is_token() then
    perform private.refuse(403, 'Only a person can discard work: sign in to start over from main.');
  end if;
  v_story_ids := case v_kind when 'story' then array[p_id]
    else array(select s.id from public.stories s where s.sprint_id = p_id) end;
  v_left := private.beginnings(v_story_ids);
  if v_left = '[]' then
    perform private.refuse(409, 'There is nothing to discard: the next run already begins from main.');
  end if;
  v_busy := private.run_with_work(v_story_ids);
  if v_busy is not null then
    perform private.refuse(409, format('The run of %s has work of its own on this branch. Cancel it first, then start over.', v_busy));
  end if;

  insert into public.fresh_starts (product_id, story_id, left_branches, user_id, started_by)
  select v_product_id, (l ->> 'story_id')::uuid, jsonb_agg(jsonb_build_object('branch', l -> 'branch', 'head_sha', l -> 'head_sha')),
    auth.uid(), coalesce(private.username(auth.uid()), 'someone')
  from jsonb_array_elements(v_left) l
  group by 2;
  perform private.audit(auth.uid(), auth.uid(), 'story.started_over', jsonb_build_object('product_id', v_product_id,
    'stories', (select jsonb_agg(distinct l ->> 'story_code') from jsonb_array_elements(v_left) l), 'left', v_left));
  perform private.emit_part_change('story', l.id, 'begins_from')
  from (select distinct (e ->> 'story_id')::uuid as id from jsonb_array_elements(v_left) e) l;
  return json_build_object('left', v_left);
end;
$function$;

CREATE OR REPLACE FUNCTION private.changed_fields(p_old jsonb, p_new jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return to_jsonb(array(
    select f.key
    from jsonb_each(p_new) as f
    where f.value is distinct from p_old -> f.key and f.key not in ('updated_at', 'version', 'field_versions', 'observed_at')
    order by f.key
  ));
end;
$function$;

CREATE OR REPLACE FUNCTION private.emit_part_change(p_kind text, p_id uuid, p_field text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_event jsonb := jsonb_build_object('op', 'U', 'entity', p_kind, 'id', p_id, 'changed_fields', jsonb_build_array(p_field));
begin
  case p_kind
    when 'task' then
      perform private.emit('product:' || t.product_id, v_event || private.story_place(t.story_id) || jsonb_build_object('product_id', t.product_id,
        'story_id', t.story_id, 'task_status', t.status, 'task_title', t.title, 'task_sort_order', t.sort_order))
      from public.tasks t where t.id = p_id;
    when 'story' then
      perform private.emit('product:' || s.product_id, v_event || jsonb_build_object('product_id', s.product_id, 'pbi_id', s.pbi_id,
        'sprint_id', s.sprint_id, 'assignee_id', s.assignee_id, 'story_status', s.status, 'story_title', s.title,
        'story_code', s.code, 'story_sort_order', s.sort_order))
      from public.stories s where s.id = p_id;
    when 'job' then
      perform private.emit('product:' || j.product_id, v_event || jsonb_build_object('product_id', j.product_id, 'task_id', j.task_id,
        'idea_id', j.idea_id, 'kind', j.kind, 'status', j.status, 'sprint_run_id', j.sprint_run_id))
      from public.agent_jobs j where j.id = p_id;
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_messages__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit('product:' || new.product_id, jsonb_build_object(
    'op', 'U', 'entity', 'comment', 'id', new.comment_id, 'product_id', new.product_id));
  perform private.emit_part_change('job', new.job_id, 'messages');
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_row jsonb := coalesce(to_jsonb(new), to_jsonb(old));
  v_event jsonb := private.change_event(case when tg_nargs = 4 then left(tg_op, 1) else tg_op end, tg_argv[0], to_jsonb(old), to_jsonb(new));
begin
  if v_event is null then
    return null;
  end if;

  select v_event || jsonb_object_agg(k.key, case k.key when 'status' then to_jsonb(lower(v_row ->> k.value)) else v_row -> k.value end)
  into v_event from jsonb_each_text(tg_argv[2]::jsonb) k;
  perform private.emit(split_part(t.topic, ':', 1) || ':' || (v_row ->> split_part(t.topic, ':', 2)), v_event)
  from unnest(tg_argv[1]::text[]) t (topic);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__emit_credential()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit('user:' || old.user_id, jsonb_build_object(
    'op', case when tg_op = 'DELETE' or (new.revoked_at is not null and old.revoked_at is null) then 'D' else 'U' end,
    'entity', tg_argv[0], 'id', old.id, 'product_id', null, 'user_id', old.user_id));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__emit_dependency()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit_part_change(tg_argv[0], coalesce(new.blocked_id, old.blocked_id), 'blocked_by'),
    private.emit_part_change(tg_argv[0], coalesce(new.blocker_id, old.blocker_id), 'blocks');
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__emit_proof()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit('product:' || n.product_id, jsonb_build_object('op', left(tg_op, 1), 'entity', tg_argv[0], 'id', n.id,
    'product_id', n.product_id, 'story_id', n.story_id))
  from (select distinct on (c.story_id) c.* from changed c) n;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__recount_blockers()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_blocked_id uuid := coalesce(new.blocked_id, old.blocked_id);
begin
  perform private.recount_blockers(case tg_argv[0] when 'task' then array[v_blocked_id]
    else array(select t.id from public.tasks t where t.story_id = v_blocked_id) end);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_landings__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit_part_change('job', new.job_id, 'landing');
  return null;
end;
$function$;

CREATE TRIGGER _900_emit AFTER DELETE ON public.api_tokens FOR EACH ROW EXECUTE FUNCTION private.tg_any__emit_credential('api_token');

CREATE TRIGGER _901_emit AFTER UPDATE ON public.api_tokens FOR EACH ROW WHEN ((((new.revoked_at IS NOT NULL) AND (old.revoked_at IS NULL)) OR (new.expires_at IS DISTINCT FROM old.expires_at))) EXECUTE FUNCTION private.tg_any__emit_credential('api_token');

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE OR UPDATE ON public.comments FOR EACH ROW EXECUTE FUNCTION private.tg_any__emit('comment', '{product:product_id}', '{"pbi_id": "pbi_id", "story_id": "story_id", "task_id": "task_id"}', 'without changed fields');

CREATE TRIGGER _900_emit AFTER INSERT ON public.evidence REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__emit_proof('evidence');

CREATE TRIGGER _901_emit AFTER UPDATE ON public.evidence REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__emit_proof('evidence');

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE ON public.files FOR EACH ROW EXECUTE FUNCTION private.tg_any__emit('file', '{product:product_id}', '{"story_id": "story_id", "task_id": "task_id"}');

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE OR UPDATE ON public.ideas FOR EACH ROW EXECUTE FUNCTION private.tg_any__emit('idea', '{user:user_id}', '{"idea_id": "id", "status": "status"}');

CREATE TRIGGER _900_emit AFTER INSERT ON public.landings FOR EACH ROW EXECUTE FUNCTION private.tg_landings__emit();

CREATE TRIGGER _901_emit AFTER UPDATE ON public.landings FOR EACH ROW WHEN ((old.state IS DISTINCT FROM new.state)) EXECUTE FUNCTION private.tg_landings__emit();

CREATE TRIGGER _900_emit AFTER INSERT OR UPDATE ON public.lessons FOR EACH ROW EXECUTE FUNCTION private.tg_any__emit('lesson', '{product:product_id}', '{"status": "status"}');

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE OR UPDATE OF status ON public.login_pairings FOR EACH ROW EXECUTE FUNCTION private.tg_any__emit('pairing', '{pairing:id}', '{"pairing_id": "id", "status": "status"}', 'without changed fields');

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE OR UPDATE ON public.pbis FOR EACH ROW EXECUTE FUNCTION private.tg_any__emit('pbi', '{product:product_id}', '{"pbi_status": "status", "pbi_title": "title", "pbi_code": "code"}');

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE ON public.product_members FOR EACH ROW EXECUTE FUNCTION private.tg_any__emit('member', '{product:product_id,user:user_id}', '{"id": "user_id", "user_id": "user_id"}');

CREATE TRIGGER _901_emit AFTER UPDATE ON public.product_members FOR EACH ROW WHEN ((new.role <> old.role)) EXECUTE FUNCTION private.tg_any__emit('member', '{product:product_id,user:user_id}', '{"id": "user_id", "user_id": "user_id"}', 'without changed fields');

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE OR UPDATE ON public.pulls FOR EACH ROW EXECUTE FUNCTION private.tg_any__emit('pull', '{product:product_id}', '{"number": "number", "state": "state"}');

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE OR UPDATE ON public.sprint_runs FOR EACH ROW EXECUTE FUNCTION private.tg_any__emit('sprint_run', '{product:product_id}', '{"sprint_id": "sprint_id", "run_status": "status"}');

CREATE TRIGGER _500_recount AFTER INSERT OR DELETE ON public.story_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_any__recount_blockers('story');

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE ON public.story_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_any__emit_dependency('story');

CREATE TRIGGER _500_recount AFTER INSERT OR DELETE ON public.task_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_any__recount_blockers('task');

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE ON public.task_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_any__emit_dependency('task');

CREATE TRIGGER _900_emit AFTER DELETE ON public.user_sessions FOR EACH ROW EXECUTE FUNCTION private.tg_any__emit_credential('session');

CREATE TRIGGER _901_emit AFTER UPDATE ON public.user_sessions FOR EACH ROW WHEN ((((new.revoked_at IS NOT NULL) AND (old.revoked_at IS NULL)) OR (new.expires_at < old.expires_at) OR (new.paired_expires_at IS DISTINCT FROM old.paired_expires_at))) EXECUTE FUNCTION private.tg_any__emit_credential('session');

CREATE TRIGGER _900_emit AFTER INSERT ON public.waivers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__emit_proof('waiver');

REVOKE ALL ON FUNCTION "private"."emit_part_change"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."emit_part_change"(text, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__emit"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_any__emit"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__emit_credential"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_any__emit_credential"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__emit_dependency"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_any__emit_dependency"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__emit_proof"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_any__emit_proof"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__recount_blockers"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_any__recount_blockers"() TO "postgres";
