-- Why: undo takes back what people edit, never what follows from a verdict, a plan, a run or a role.
set local check_function_bodies = off;

DROP TRIGGER "_870_remember" ON "public"."pbis";

DROP TRIGGER "_871_remember" ON "public"."pbis";

DROP TRIGGER "_870_remember" ON "public"."stories";

DROP TRIGGER "_871_remember" ON "public"."stories";

DROP TRIGGER "_870_remember" ON "public"."tasks";

DROP TRIGGER "_871_remember" ON "public"."tasks";

CREATE OR REPLACE FUNCTION operations.delete_label(p_product_id uuid, p_label_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_label(p_product_id, p_label_id);
  delete from public.labels l where l.id = p_label_id;
  update public.stories s set label_ids = array_remove(s.label_ids, p_label_id)
  where s.product_id = p_product_id and p_label_id = any (s.label_ids);
  update public.tasks t set label_ids = array_remove(t.label_ids, p_label_id)
  where t.product_id = p_product_id and p_label_id = any (t.label_ids);
  return json_build_object('id', p_label_id, 'deleted', true);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.delete_recurrence(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('story', p_story_id);
  delete from public.recurrences r where r.story_id = p_story_id;
  if not found then
    perform private.refuse(404, 'This story does not recur. Make it a template first.');
  end if;
  update public.stories s set is_template = false, in_triage = false where s.id = p_story_id;
  return json_build_object('story_id', p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.resume_sprint(p_sprint_id uuid, p_skip_failed boolean DEFAULT false, p_plan_first boolean DEFAULT NULL::boolean, p_use_description boolean DEFAULT false, p_leave_out boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_previous public.sprint_runs;
  v_other text;
  v_failed uuid[];
  v_task_ids uuid[];
  v_scope record;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  if v_sprint.status <> 'FAILED' then
    perform private.refuse(409, format('Only a failed sprint can be resumed; %s is %s.', v_sprint.code, lower(v_sprint.status::text)));
  end if;
  select s.code into v_other from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE';
  if found then
    perform private.refuse(409, format('Sprint %s is active. Complete it first: a product can have only one active sprint.', v_other));
  end if;

  v_failed := array(
    select t.id from public.tasks t join public.stories s on s.id = t.story_id
    where p_skip_failed and s.sprint_id = p_sprint_id and t.status = 'FAILED');
  -- Stories and PBIs follow their tasks out of failed.
  update public.tasks t set status = 'TO_DO'
  from public.stories s
  where s.id = t.story_id and s.sprint_id = p_sprint_id and t.status = 'FAILED';
  update public.sprints s set status = 'ACTIVE' where s.id = p_sprint_id returning * into v_sprint;

  v_task_ids := array(select i from unnest(private.sprint_task_ids(p_sprint_id)) i where i <> all (v_failed));
  if v_task_ids = '{}' then
    return null;
  end if;

  select r.* into v_previous from public.sprint_runs r
  where r.sprint_id = p_sprint_id and r.status = 'FAILED' order by r.created_at desc, r.id desc limit 1;
  select p.* into v_product from public.products p where p.id = v_product_id;
  v_product.plan_review := coalesce(v_previous.plan_review, v_product.plan_review);
  select * into v_scope from private.settle_scope(v_sprint, v_product, v_task_ids, coalesce(p_plan_first, nullif(v_previous.plan_first, false)),
    p_use_description, p_skip_failed or p_leave_out or exists (
      select from unnest(v_task_ids) i where i not in (select x.task_id from private.run_tasks(v_previous.id) x)));
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, v_previous, v_scope.task_ids, v_scope.plan_first);
  return private.run_json(v_run, false) || jsonb_build_object('left_out', v_scope.left_out);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.set_recurrence(p_story_id uuid, p_cron text, p_zone text, p_missed text, p_next_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('story', p_story_id);
  v_missed text := lower(private.require_choice('missed', p_missed, array['ONCE', 'SKIP']));
  v_story public.stories;
begin
  perform private.take_rate_limit('change', auth.uid()::text);
  if private.is_token() and (select p.agent_items = 'triage' from public.products p where p.id = v_product_id) then
    perform private.refuse(403, 'Only people schedule recurring work in this product, because what agents create waits in triage. Ask one of its members.');
  end if;
  select s.* into v_story from public.stories s where s.id = p_story_id;
  if not v_story.is_template then
    perform private.require_set_aside(v_story);
    update public.stories s set is_template = true, in_triage = true, sprint_id = null where s.id = p_story_id;
  end if;
  insert into public.recurrences as r (story_id, product_id, cron, zone, missed, next_at, created_by)
  values (p_story_id, v_product_id, p_cron, p_zone, v_missed, p_next_at, auth.uid())
  on conflict (story_id) do update
  set cron = excluded.cron, zone = excluded.zone, missed = excluded.missed, next_at = excluded.next_at, created_by = excluded.created_by,
    updated_at = private.now();
  return json_build_object('recurrence', private.recurrence_json(p_story_id), 'template', null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.start_run(p_task_ids jsonb DEFAULT NULL::jsonb, p_story_id uuid DEFAULT NULL::uuid, p_strategy text DEFAULT NULL::text, p_plan_first boolean DEFAULT NULL::boolean, p_use_description boolean DEFAULT false, p_leave_out boolean DEFAULT false, p_stop_at jsonb DEFAULT NULL::jsonb, p_plan_review text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_task_ids uuid[];
  v_product_id uuid;
  v_product public.products;
  v_scope record;
  v_run public.sprint_runs;
begin
  if p_story_id is not null then
    v_product_id := private.require_write('story', p_story_id);
  end if;
  if (p_story_id is null) = (p_task_ids is null) then
    perform private.refuse(422, 'Name task_ids or story_id, one of them.');
  end if;
  if p_story_id is null then
    if jsonb_typeof(p_task_ids) <> 'array' or jsonb_array_length(p_task_ids) not between 1 and 500 then
      perform private.refuse(422, 'task_ids takes 1 to 500 tasks.');
    end if;
    v_task_ids := array(select distinct x::uuid from jsonb_array_elements_text(p_task_ids) x);
    v_product_id := private.require_write('task', v_task_ids[1]);
    perform private.require_one_product(v_task_ids, v_product_id);
  else
    v_task_ids := private.tasks_to_start(array(select t.id from public.tasks t where t.story_id = p_story_id));
  end if;
  perform private.refuse_triage(array(
    select distinct t.story_id from public.tasks t where t.id = any (v_task_ids)
    union select p_story_id where p_story_id is not null));
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select p.* into v_product from public.products p where p.id = v_product_id;
  v_product.pr_strategy := coalesce(private.require_choice('strategy', p_strategy, array['SPRINT', 'STORY', 'SPRINT_BATCH']), 'STORY');
  v_product.plan_review := private.plan_review_of(v_product, p_plan_review);

  -- Stories and PBIs follow their tasks out of failed; what is refused below takes this back.
  update public.tasks t set status = 'TO_DO'
  where t.id = any (v_task_ids) and t.status = 'FAILED'
    and t.id not in (select h.task_id from private.held_by_runs(v_product_id, false) h);

  select * into v_scope from private.settle_scope(null, v_product, v_task_ids, p_plan_first, p_use_description, p_leave_out);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(null, v_product, null, v_scope.task_ids, v_scope.plan_first);
  perform private.stop_run_at(v_run, p_stop_at);
  return json_build_object('run', private.run_json(v_run, false), 'left_out', v_scope.left_out);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.undo_change()
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
    perform private.refuse(409, 'Nothing to undo: a change can be undone for 30 seconds.');
  end if;

  select c.* into v_change from unnest(v_changes) c where c.lost is not null order by c.id limit 1;
  if found then
    perform private.refuse(409, format('%s had %s, which cannot be restored. Nothing was undone.',
      v_change.code, v_change.lost));
  end if;

  for v_change in
    select c.* from unnest(v_changes) c
    -- What was deleted comes back from the top; what was changed twice goes back from the end.
    order by c.after is not null, case when c.after is null then array_position('{pbi,story,task}', c.kind) end, c.id desc
  loop
    begin
      v_reason := null;
      if v_change.after is null then
        perform private.restore_item(v_change);
      end if;
    exception when foreign_key_violation then
      v_reason := 'has lost its place';
    end;
    if v_reason is null and v_change.after is not null then
      v_reason := private.restore_fields(v_change);
    end if;
    if v_reason is not null then
      perform private.refuse(409, format('%s %s, so nothing was undone.', v_change.code, v_reason));
    end if;
  end loop;

  return json_build_object('changes', (
    select json_agg(json_build_object('kind', c.kind, 'id', c.thing_id, 'code', c.code, 'is_back', c.after is null, 'fields',
      case when c.after is null then '[]'::jsonb else (select jsonb_agg(f.key order by f.key) from jsonb_each(c.before) f) end)
      order by c.after is not null, array_position('{pbi,story,task}', c.kind), c.id)
    from unnest(v_changes) c));
end;
$function$;

CREATE OR REPLACE FUNCTION private.change_sprint_status(p_sprint_id uuid, p_from public.sprint_status, p_to public.sprint_status)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
begin
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;

  if v_sprint.status <> p_from then
    perform private.refuse(409, format('Sprint %s is %s; only a sprint that is %s can become %s.',
      v_sprint.code, lower(v_sprint.status::text), lower(p_from::text), lower(p_to::text)));
  end if;

  if p_to = 'ACTIVE' and exists (
    select from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE'
  ) then
    perform private.refuse(409, 'Another sprint of this product is active. Complete it first.');
  end if;

  if p_to = 'COMPLETED' then
    perform private.end_reviewed_run(r) from public.sprint_runs r
    where r.sprint_id = p_sprint_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');
  end if;

  update public.sprints s
  set status = p_to,
      started_at = case when p_to = 'ACTIVE' then private.now() else s.started_at end,
      completed_at = case when p_to = 'COMPLETED' then private.now() else s.completed_at end
  where s.id = p_sprint_id;

  if p_to in ('COMPLETED', 'CANCELLED') then
    insert into public.sprint_leftovers (sprint_id, story_id)
    select p_sprint_id, s.id from public.stories s where s.sprint_id = p_sprint_id and s.status <> 'DONE'
    on conflict do nothing;
    update public.stories s set sprint_id = null where s.sprint_id = p_sprint_id and s.status <> 'DONE';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_undoable(p_function text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select p_function = any ('{change_things, edit_task, update_task, set_task_status, move_task, delete_task, update_story, assign_story,
    add_story_to_sprint, remove_story_from_sprint, move_stories, accept_story, merge_story, decline_story, delete_story, update_pbi, move_pbi,
    delete_pbi, report_merged}'::text[]);
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
  if v_session_id is null or v_known > 1000 then
    return;
  end if;

  if v_known = 0 then
    delete from private.changes c
    where c.session_id = v_session_id and c.changed_at < private.now() - interval '1 minute';
  end if;
  insert into private.changes (session_id, product_id, kind, thing_id, code, before, after, lost)
  values (v_session_id, p_product_id, p_kind, p_thing_id, p_code, p_before, p_after,
    case when v_known = 1000 then 'more than 1,000 items' else p_lost end);
  perform set_config('backloom.remembered_changes', (v_known + 1)::text, true);
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
  v_call record := private.build_call('authenticated', p_function, p_arguments);
  v_earlier text;
  v_answer json;
begin
  if v_call.p_writes and v_principal.is_demo then
    perform private.refuse(403, 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.');
  end if;

  if v_call.p_writes and v_principal.scopes is not null then
    perform private.require_scope(v_principal.scopes, p_function);
  end if;

  if v_call.p_writes and p_key is not null then
    v_earlier := private.take_idempotency_key(v_principal.user_id, p_key,
      sha256(convert_to(p_function || p_arguments::text || coalesce(v_principal.product_ids::text, ''), 'UTF8')));
    if v_earlier is not null then
      perform private.refuse_former_member(v_principal.user_id, p_arguments);
      return json_build_object('answer', v_earlier, 'kept', true, 'replayed', true);
    end if;
  end if;

  perform set_config('request.jwt.claims', json_strip_nulls(json_build_object(
      'sub', v_principal.user_id, 'role', 'authenticated',
      'session_id', v_principal.session_id, 'token_id', v_principal.token_id,
      'undoable', nullif(v_principal.session_id is not null and private.is_undoable(p_function), false)))::text, true),
    set_config('backloom.token_products', coalesce(v_principal.product_ids::text, ''), true),
    set_config('role', 'authenticated', true);
  execute v_call.p_statement into v_answer using p_arguments;

  perform set_config('role', v_caller, true), set_config('request.jwt.claims', v_claims, true),
    set_config('backloom.token_products', '', true);
  if p_key is null then
    return v_answer;
  end if;
  if v_call.p_writes then
    perform private.keep_answer(v_principal.user_id, p_key, v_answer);
  end if;
  return json_build_object('answer', v_answer::text, 'kept', v_call.p_writes, 'replayed', false);
end;
$function$;

CREATE TRIGGER _870_remember AFTER UPDATE ON public.pbis FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"undoable"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('pbi');

CREATE TRIGGER _871_remember BEFORE DELETE ON public.pbis FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"undoable"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('pbi');

CREATE TRIGGER _870_remember AFTER UPDATE ON public.stories FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"undoable"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('story');

CREATE TRIGGER _871_remember BEFORE DELETE ON public.stories FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"undoable"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('story');

CREATE TRIGGER _870_remember AFTER UPDATE ON public.tasks FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"undoable"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('task');

CREATE TRIGGER _871_remember BEFORE DELETE ON public.tasks FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"undoable"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('task');

REVOKE ALL ON FUNCTION "private"."is_undoable"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_undoable"(text) TO "postgres", "service_role";
