-- Why: a person takes back what they did within 30 seconds, and changes many things at once.

set local check_function_bodies = off;

CREATE TABLE "private"."changes" ("id" bigint GENERATED ALWAYS AS IDENTITY NOT NULL, "session_id" uuid NOT NULL, "transaction_id" xid8 NOT NULL DEFAULT pg_current_xact_id(), "product_id" uuid NOT NULL, "kind" text NOT NULL, "thing_id" uuid NOT NULL, "code" text NOT NULL, "before" jsonb NOT NULL, "after" jsonb, "lost" text, CONSTRAINT "changes_pkey" PRIMARY KEY (id), "changed_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "private"."changes" ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.change_thing(p_kind text, p_id uuid, p_changes jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_fields jsonb;
begin
  if p_kind = 'task' then
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id}'::text[];
    if v_fields <> '{}' then
      perform public.edit_task(p_id, v_fields);
    end if;
    if p_changes ? 'story_id' then
      perform public.move_task(p_id, (p_changes ->> 'story_id')::uuid);
    end if;
    return v_fields <> '{}' or p_changes ? 'story_id';
  end if;

  if p_kind = 'pbi' then
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id}'::text[];
    if v_fields ->> 'status' not in ('ready', 'blocked') then
      v_fields := v_fields - 'status';
    end if;
    if v_fields <> '{}' then
      perform public.update_pbi(p_id, v_fields);
    end if;
    return v_fields <> '{}';
  end if;

  v_fields := p_changes - '{status,assignee_id,sprint_id,story_id}'::text[];
  if v_fields <> '{}' then
    perform public.update_story(p_id, v_fields);
  end if;
  if p_changes ? 'assignee_id' then
    perform public.assign_story(p_id, (p_changes ->> 'assignee_id')::uuid);
  end if;
  if p_changes ? 'sprint_id' and p_changes ->> 'sprint_id' is null then
    perform public.remove_story_from_sprint(p_id);
  elsif p_changes ? 'sprint_id' then
    perform public.add_story_to_sprint((p_changes ->> 'sprint_id')::uuid, p_id);
  end if;
  return v_fields <> '{}' or p_changes ?| '{assignee_id,sprint_id}';
end;
$function$;

CREATE OR REPLACE FUNCTION private.code_of(p_kind text, p_id uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select case p_kind
    when 'task' then (select t.code from public.tasks t where t.id = p_id)
    when 'story' then (select s.code from public.stories s where s.id = p_id)
    when 'pbi' then (select b.code from public.pbis b where b.id = p_id)
  end;
$function$;

CREATE OR REPLACE FUNCTION private.lost_with(p_kind text, p_row jsonb)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select case
    when p_kind = 'task' and exists (select from public.agent_jobs j where j.task_id = (p_row ->> 'id')::uuid) then 'jobs'
    when p_kind = 'task' and exists (select from public.task_executions e where e.task_id = (p_row ->> 'id')::uuid) then 'jobs'
    when p_kind = 'task' and exists (select from public.agent_questions q where q.task_id = (p_row ->> 'id')::uuid) then 'questions'
    when p_kind = 'story' and exists (select from public.story_logs l where l.story_id = (p_row ->> 'id')::uuid) then 'a log'
    when p_kind = 'story' and exists (select from public.agent_questions q where q.story_id = (p_row ->> 'id')::uuid) then 'questions'
    when p_kind = 'pbi' and p_row ->> 'idea_id' is not null then 'a link to its idea'
  end;
$function$;

CREATE OR REPLACE FUNCTION private.own_fields(p_kind text, p_row jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case p_kind
    when 'task' then p_row - '{id,product_id,sort_order,created_at,updated_at}'::text[]
    when 'story' then p_row - '{id,product_id,status,sort_order,created_at,updated_at}'::text[]
    when 'pbi' then jsonb_build_object('is_blocked', p_row ->> 'status' = 'BLOCKED')
      || (p_row - '{id,product_id,status,pr_url,pr_merged_at,idea_id,created_at,updated_at}'::text[])
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
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('member_lookup', 10, 3600),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('change', 120, 60),
      ('undo', 60, 60),
      ('api_token', 10, 3600),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      ('inbox', 240, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      -- per job
      ('job_output', 240, 60),
      ('job_diff', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.remember_change(p_kind text, p_thing_id uuid, p_product_id uuid, p_code text, p_before jsonb, p_after jsonb, p_lost text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_session_id uuid := (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id')::uuid;
  v_known integer := coalesce(nullif(current_setting('backloom.remembered_changes', true), ''), '0')::integer;
begin
  if v_session_id is null or v_known > 1000 or current_setting('backloom.undoing', true) = 'yes' then
    return;
  end if;

  if v_known = 0 then
    delete from private.changes c
    where c.session_id = v_session_id and c.changed_at < private.now() - interval '1 minute';
  end if;
  insert into private.changes (session_id, product_id, kind, thing_id, code, before, after, lost)
  values (v_session_id, p_product_id, p_kind, p_thing_id, p_code, p_before, p_after,
    case when v_known = 1000 then 'more than 1,000 things' else p_lost end);
  perform set_config('backloom.remembered_changes', (v_known + 1)::text, true);
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
  delete from public.agent_workers w
  where w.last_seen_at < v_now - interval '30 days'
    and not exists (select from public.agent_jobs j where j.worker_id = w.id)
    and not exists (select from public.job_attempts a where a.worker_id = w.id);
  get diagnostics v_workers = row_count;
  return jsonb_build_object('rate_limit_counters', v_counters, 'user_sessions', v_sessions, 'login_pairings', v_pairings,
    'notices', v_notices, 'job_outputs', v_outputs, 'job_diffs', v_diffs, 'agent_workers', v_workers);
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_fields(p_change private.changes)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now jsonb;
  v_task public.tasks;
  v_story public.stories;
  v_pbi public.pbis;
begin
  case p_change.kind
    when 'task' then
      select t.* into v_task from public.tasks t where t.id = p_change.thing_id;
      v_now := private.own_fields('task', to_jsonb(v_task));
    when 'story' then
      select s.* into v_story from public.stories s where s.id = p_change.thing_id;
      v_now := private.own_fields('story', to_jsonb(v_story));
    else
      select b.* into v_pbi from public.pbis b where b.id = p_change.thing_id;
      v_now := private.own_fields('pbi', to_jsonb(v_pbi));
  end case;
  if v_now is null or v_now ->> 'code' is null then
    return 'was deleted since';
  end if;
  if exists (select from jsonb_each(p_change.after) a where a.value is distinct from v_now -> a.key) then
    return 'was changed since';
  end if;

  case p_change.kind
    when 'task' then
      v_task := jsonb_populate_record(v_task, p_change.before);
      update public.tasks t
      set (story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only, verify_required,
          requires_opus, estimated_minutes) =
        (v_task.story_id, v_task.code, v_task.title, v_task.description, v_task.implementation_plan, v_task.priority,
          v_task.status, v_task.repo_url, v_task.verify_only, v_task.verify_required, v_task.requires_opus,
          v_task.estimated_minutes)
      where t.id = p_change.thing_id;
    when 'story' then
      v_story := jsonb_populate_record(v_story, p_change.before);
      update public.stories s
      set (pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id) =
        (v_story.pbi_id, v_story.code, v_story.title, v_story.description, v_story.acceptance_criteria, v_story.priority,
          v_story.sprint_id, v_story.assignee_id)
      where s.id = p_change.thing_id;
    else
      v_pbi := jsonb_populate_record(v_pbi, p_change.before);
      -- READY lifts a block; what the stories call for is put.
      v_pbi.status := case p_change.before ->> 'is_blocked' when 'true' then 'BLOCKED' when 'false' then 'READY'
        else v_pbi.status::text end::public.pbi_status;
      update public.pbis b
      set (code, title, description, priority, sort_order, status) =
        (v_pbi.code, v_pbi.title, v_pbi.description, v_pbi.priority, v_pbi.sort_order, v_pbi.status)
      where b.id = p_change.thing_id;
  end case;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_thing(p_change private.changes)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_claims text := current_setting('request.jwt.claims', true);
begin
  perform set_config('request.jwt.claims', '', true);
  case p_change.kind
    when 'pbi' then
      insert into public.pbis select * from jsonb_populate_record(null::public.pbis, p_change.before);
    when 'story' then
      insert into public.stories select * from jsonb_populate_record(null::public.stories, p_change.before);
    else
      insert into public.tasks select * from jsonb_populate_record(null::public.tasks, p_change.before);
      delete from public.task_status_changes c where c.task_id = p_change.thing_id;
      insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status, changed_at)
      select h.task_id, h.story_id, h.product_id, h.sprint_id, h.from_status, h.to_status, h.changed_at
      from jsonb_populate_recordset(null::public.task_status_changes, p_change.before -> 'history') h
      order by h.id;
  end case;
  perform set_config('request.jwt.claims', v_claims, true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.task_history(p_kind text, p_id uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select jsonb_build_object('history', jsonb_agg(to_jsonb(c) order by c.id))
  from public.task_status_changes c
  where p_kind = 'task' and c.task_id = p_id
  having count(*) > 0;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__remember_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := tg_argv[0];
  v_old jsonb := to_jsonb(old);
  v_before jsonb := private.own_fields(v_kind, v_old);
  v_after jsonb;
begin
  if tg_op = 'DELETE' then
    perform private.remember_change(v_kind, old.id, old.product_id, old.code,
      v_old || coalesce(private.task_history(v_kind, old.id), '{}'), null, private.lost_with(v_kind, v_old));
    return old;
  end if;

  v_after := private.own_fields(v_kind, to_jsonb(new));
  select jsonb_object_agg(b.key, b.value), jsonb_object_agg(b.key, v_after -> b.key) into v_before, v_after
  from jsonb_each(v_before) b
  where b.value is distinct from v_after -> b.key;
  if v_before is not null then
    perform private.remember_change(v_kind, new.id, new.product_id, new.code, v_before, v_after);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.undo_change()
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_session_id uuid := (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id')::uuid;
  v_transaction_id xid8;
  v_product_id uuid;
  v_change private.changes;
  v_changes private.changes[];
  v_reason text;
begin
  perform private.take_rate_limit('undo', auth.uid()::text);
  select c.transaction_id into v_transaction_id
  from private.changes c
  where c.session_id = v_session_id and c.changed_at > private.now() - interval '30 seconds'
  order by c.id desc limit 1;

  for v_product_id in
    select distinct c.product_id from private.changes c
    where c.session_id = v_session_id and c.transaction_id = v_transaction_id order by c.product_id
  loop
    perform private.require_product_access(v_product_id);
    perform private.lock_product(v_product_id);
    perform private.require_product_write(v_product_id);
  end loop;

  with taken as (
    delete from private.changes c
    where c.session_id = v_session_id and c.transaction_id = v_transaction_id
    returning c.*
  )
  select array_agg(taken::private.changes) into v_changes from taken;
  if v_changes is null then
    perform private.refuse(409, 'Nothing to take back: a change can be taken back for 30 seconds.');
  end if;

  select c.* into v_change from unnest(v_changes) c where c.lost is not null order by c.id limit 1;
  if found then
    perform private.refuse(409, format('%s had %s, which can not be brought back. Nothing was taken back.',
      v_change.code, v_change.lost));
  end if;

  perform set_config('backloom.undoing', 'yes', true);
  for v_change in
    select c.* from unnest(v_changes) c
    -- What was deleted comes back from the top; what was changed twice goes back from the end.
    order by c.after is not null, case when c.after is null then array_position('{pbi,story,task}', c.kind) end, c.id desc
  loop
    begin
      v_reason := null;
      if v_change.after is null then
        perform private.restore_thing(v_change);
      end if;
    exception when foreign_key_violation then
      v_reason := 'has lost its place';
    end;
    if v_reason is null and v_change.after is not null then
      v_reason := private.restore_fields(v_change);
    end if;
    if v_reason is not null then
      perform private.refuse(409, format('%s %s, so nothing was taken back.', v_change.code, v_reason));
    end if;
  end loop;
  perform set_config('backloom.undoing', '', true);

  return json_build_object('changes', (
    select json_agg(json_build_object('kind', c.kind, 'id', c.thing_id, 'code', c.code, 'is_back', c.after is null, 'fields',
      case when c.after is null then '[]'::jsonb else (select jsonb_agg(f.key order by f.key) from jsonb_each(c.before) f) end)
      order by c.after is not null, array_position('{pbi,story,task}', c.kind), c.id)
    from unnest(v_changes) c));
end;
$function$;

CREATE OR REPLACE FUNCTION public.change_things(p_things jsonb, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_thing record;
  v_product_id uuid;
  v_own uuid;
  v_changed integer := 0;
  v_skipped integer := 0;
begin
  if jsonb_array_length(p_things) not between 1 and 500 then
    perform private.refuse(422, 'Choose 1 to 500 things.');
  end if;
  perform private.take_rate_limit('change', auth.uid()::text);

  for v_thing in
    select distinct on (i.value ->> 'id') i.value ->> 'kind' as kind, (i.value ->> 'id')::uuid as id, i.place
    from jsonb_array_elements(p_things) with ordinality i (value, place)
    order by i.value ->> 'id', i.place
  loop
    v_own := private.require_access(v_thing.kind, v_thing.id);
    v_product_id := coalesce(v_product_id, v_own);
    if v_own <> v_product_id then
      perform private.refuse(422, 'Change things of one product at a time.');
    end if;
    perform private.require_write(v_thing.kind, v_thing.id);
    begin
      if private.change_thing(v_thing.kind, v_thing.id, p_changes) then
        v_changed := v_changed + 1;
      else
        v_skipped := v_skipped + 1;
      end if;
    exception when others then
      if sqlstate not like 'PT%' or jsonb_array_length(p_things) = 1 then
        raise;
      end if;
      raise exception using errcode = sqlstate,
        message = format('%s: %s Nothing was changed.', private.code_of(v_thing.kind, v_thing.id), sqlerrm);
    end;
  end loop;
  return json_build_object('changed', v_changed, 'skipped', v_skipped);
end;
$function$;

CREATE OR REPLACE FUNCTION public.undo_change()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.undo_change();
end;
$function$;

CREATE INDEX changes_session_idx ON private.changes USING btree (session_id, id);

CREATE TRIGGER _870_remember AFTER UPDATE ON public.pbis FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"session_id"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('pbi');

CREATE TRIGGER _871_remember BEFORE DELETE ON public.pbis FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"session_id"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('pbi');

CREATE TRIGGER _870_remember AFTER UPDATE ON public.stories FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"session_id"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('story');

CREATE TRIGGER _871_remember BEFORE DELETE ON public.stories FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"session_id"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('story');

CREATE TRIGGER _870_remember AFTER UPDATE ON public.tasks FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"session_id"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('task');

CREATE TRIGGER _871_remember BEFORE DELETE ON public.tasks FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"session_id"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('task');

CREATE POLICY "changes_service" ON "private"."changes" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

COMMENT ON FUNCTION "private"."change_thing"(text, uuid, jsonb) IS 'One thing of change_things; false when the change is none for its kind.';

COMMENT ON FUNCTION "private"."code_of"(text, uuid) IS 'The code of a task, story or PBI.';

COMMENT ON FUNCTION "private"."lost_with"(text, jsonb) IS 'What is gone for good with a deleted task, story or PBI; null for nothing.';

COMMENT ON FUNCTION "private"."own_fields"(text, jsonb) IS 'The fields of a task, story or PBI that a person changes and may take back.';

COMMENT ON FUNCTION "private"."remember_change"(text, uuid, uuid, text, jsonb, jsonb, text) IS 'Keeps what a session changed, for undo_change.';

COMMENT ON FUNCTION "private"."restore_fields"(private.changes) IS 'Takes one change of fields back, or says why it can not.';

COMMENT ON FUNCTION "private"."restore_thing"(private.changes) IS 'Brings a deleted PBI, story or task back.';

COMMENT ON FUNCTION "private"."task_history"(text, uuid) IS 'The statuses of a task that is about to be deleted.';

COMMENT ON FUNCTION "private"."tg_any__remember_change"() IS 'Keeps what a person changed, for undo_change. The argument names the kind.';

COMMENT ON FUNCTION "public"."change_things"(jsonb, jsonb) IS 'Changes one or many tasks, stories and PBIs of a product, atomically.';

COMMENT ON FUNCTION "public"."undo_change"() IS 'Takes back the last change of the caller''s session, within 30 seconds.';

COMMENT ON TABLE "private"."changes" IS 'What a person may still take back. Written by triggers, read by undo_change.';

REVOKE ALL ON FUNCTION "private"."change_thing"(text, uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."change_thing"(text, uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."code_of"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."code_of"(text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."lost_with"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lost_with"(text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_fields"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."own_fields"(text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."remember_change"(text, uuid, uuid, text, jsonb, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remember_change"(text, uuid, uuid, text, jsonb, jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."restore_fields"(private.changes) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."restore_fields"(private.changes) TO "postgres";

REVOKE ALL ON FUNCTION "private"."restore_thing"(private.changes) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."restore_thing"(private.changes) TO "postgres";

REVOKE ALL ON FUNCTION "private"."task_history"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."task_history"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__remember_change"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_any__remember_change"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."undo_change"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."undo_change"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."change_things"(jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."change_things"(jsonb, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."undo_change"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."undo_change"() TO "authenticated", "postgres";

GRANT ALL ON TABLE "private"."changes" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "private"."changes" TO "service_role";

CREATE INDEX changes_changed_at_idx ON private.changes USING btree (changed_at);
