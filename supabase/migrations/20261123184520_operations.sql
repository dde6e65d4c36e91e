-- Why: operations live once, in a schema that the Data API does not expose; users and the service reach them by name through the
-- doors of public.
create schema operations;
revoke all on schema operations from public;
grant usage on schema operations to authenticated, service_role;

-- A wrapper in public goes: its body in private takes its place, with its parameters, defaults, words and rights.
do $$
declare
  v_name text;
  v_wrapper regproc;
  v_body regproc;
  v_role name;
begin
  foreach v_name in array string_to_array(regexp_replace('
    add_dependency, add_evidence, add_job_comment, add_product_member, admin_list_users, allow_my_workers,
    answer_question, answer_user_question, append_job_output, ask_about_idea, ask_question, cancel_agent_job,
    cancel_question, cancel_sprint_run, check_queue_empty, cleanup_agent_artifacts, create_saved_view, create_webhook,
    delete_budget, delete_saved_view, delete_webhook, doctor_facts, expire_questions, find_wrong_counters,
    get_agent_context, get_agent_job, get_backlog, get_backlog_tree, get_budgets, get_forecast, get_idea_conversation,
    get_inbox, get_insights, get_job_diff, get_job_output, get_job_proof, get_next_story, get_notifications_state,
    get_profile, get_proof, get_question, get_solo_state, get_sprint_review, get_sprint_run, heartbeat_agent_job,
    import_dependencies, list_agent_jobs, list_agent_workers, list_candidates, list_dependencies, list_job_comments,
    list_model_prices, list_open_user_questions, list_push_subscriptions, list_questions, list_ready, list_run_order,
    list_sprint_runs, list_sprint_tasks, list_webhook_deliveries, list_webhooks, mark_inbox_item, mark_notice,
    pause_sprint_run, ping_webhook, preflight_sprint_run, promote_idea, read_job_stream, remove_dependency,
    report_agent_job, report_job_conflict, report_job_usage, report_merged, restart_worker, resume_sprint,
    resume_sprint_run, review_job, set_budget_settings, set_model_price, start_over, start_sprint_run, subscribe_push,
    sweep, take_due_notices, undo_change, unsubscribe_push, update_saved_view, update_task, update_task_execution,
    update_webhook, verify_sprint_task, verify_task_against_plan, waive_criterion, why_not_moving, worker_heartbeat', '\s', '', 'g'), ',') loop
    v_wrapper := 'public.' || v_name;
    v_body := 'private.' || v_name;
    execute replace(pg_get_functiondef(v_body),
      format('FUNCTION private.%I(%s)', v_name, pg_get_function_arguments(v_body)),
      format('FUNCTION operations.%I(%s)', v_name, pg_get_function_arguments(v_wrapper)));
    execute format('comment on function operations.%I is %L', v_name, obj_description(v_wrapper, 'pg_proc'));
    foreach v_role in array '{authenticated, service_role}'::name[] loop
      continue when not has_function_privilege(v_role, v_wrapper, 'execute');
      execute format('grant execute on function operations.%I to %I', v_name, v_role);
    end loop;
    execute format('drop function %s', v_wrapper::regprocedure);
    execute format('drop function %s', v_body::regprocedure);
  end loop;
  foreach v_name in array string_to_array(regexp_replace('
    add_story_to_sprint, append_story_log, approve_pairing, archive_idea, archive_product, assign_story, cancel_pairing,
    cancel_sprint, change_things, claim_pairing, claim_schedule_run, complete_sprint, configure_account,
    create_agent_job, create_from_list, create_idea, create_pbi, create_product, create_session, create_sprint,
    create_story, create_task, delete_pbi, delete_product, delete_story, delete_task, discard_import, edit_task,
    end_session, enrol_member, export_product, find_login_identity, find_lost_viewers, finish_schedule_run,
    get_dashboard, get_idea, get_pairing_for_approval, get_pairing_state, get_pbi, get_product, get_shell,
    get_solo_board, get_sprint, get_sprint_board, get_sprint_context, get_story, get_story_page, get_task_detail,
    get_task_page, give_back_limit, has_accounts, import_ideas, import_product, import_stories, issue_api_token,
    leave_product, link_idea_product, list_api_tokens, list_audit_events, list_ideas, list_pbi_stories,
    list_product_members, list_product_overviews, list_products, list_saved_views, list_sent_messages, list_sessions,
    list_sprints, list_story_logs, list_story_tasks, mark_pbi_pr_merged, move_pbi, move_stories, move_task,
    password_changed, ping, read_backlog_stream, read_notifications_stream, read_solo_stream, remove_product_member,
    remove_story_from_sprint, resolve_account, resolve_product, resolve_reference, restore_idea, restore_product,
    set_pbi_pr, set_task_status, start_pairing, start_sprint, take_limit, unlink_idea_product, update_idea, update_pbi,
    update_product, update_sprint, update_story', '\s', '', 'g'), ',') loop
    execute format('alter function %s set schema operations', ('public.' || v_name)::regproc::regprocedure);
  end loop;
end;
$$;

set local check_function_bodies = off;

REVOKE ALL ON FUNCTION "private"."agent_tasks"(uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."audit"(uuid, uuid, text, jsonb, text) FROM "authenticated";

REVOKE ALL ON FUNCTION "private"."awaited_work"(uuid[], integer) FROM "authenticated";

REVOKE ALL ON FUNCTION "private"."change_sprint_status"(uuid, public.sprint_status, public.sprint_status) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."comes_with_batch"(uuid, uuid, text, uuid, boolean) FROM "authenticated";

REVOKE ALL ON FUNCTION "private"."current_job_id"(uuid) FROM "authenticated";

REVOKE ALL ON FUNCTION "private"."current_session_id"() FROM "service_role";

REVOKE ALL ON FUNCTION "private"."find_reference"(text, text, uuid, uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."first_open_story"(uuid, uuid) FROM "authenticated";

REVOKE ALL ON FUNCTION "private"."first_open_story"(uuid, uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."format_code"(text, bigint) FROM "authenticated";

REVOKE ALL ON FUNCTION "private"."format_code"(text, bigint) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."has_product_access"(uuid) FROM "authenticated";

REVOKE ALL ON FUNCTION "private"."has_product_access"(uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."one_line"(text) FROM "authenticated";

REVOKE ALL ON FUNCTION "private"."own_session_id"() FROM "authenticated";

REVOKE ALL ON FUNCTION "private"."parse_choice"(text, text, text[]) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."parse_task_status"(text) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."pbi_place"(uuid, integer, uuid, uuid, boolean) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."product_of"(text, uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."rate_limit"(text) FROM "authenticated";

REVOKE ALL ON FUNCTION "private"."rate_limit"(text) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."released"() FROM "service_role";

REVOKE ALL ON FUNCTION "private"."require_access"(text, uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."require_admin"() FROM "service_role";

REVOKE ALL ON FUNCTION "private"."require_assignee"(uuid, uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."require_dates_in_order"(date, date) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."require_idea_write"(uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."require_no_demo"() FROM "service_role";

REVOKE ALL ON FUNCTION "private"."require_product_access"(uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."require_product_owner"(uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."require_product_write"(uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."require_write"(text, uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."run_overlaps"(public.sprint_runs) FROM "authenticated";

REVOKE ALL ON FUNCTION "private"."saved_views_of"(uuid, text) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."search_blocked"(text, uuid, text, integer, integer) FROM "authenticated";

REVOKE ALL ON FUNCTION "private"."search_blocked"(text, uuid, text, integer, integer) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."words_in_scopes"(text[], text[]) FROM "authenticated";

REVOKE ALL ON FUNCTION "private"."words_in_scopes"(text[], text[]) FROM "service_role";

DROP VIEW "private"."operations";

DROP FUNCTION "private"."act_as"(jsonb, text);

DROP FUNCTION "private"."admin_update_user"(uuid, public.user_role, boolean, boolean);

DROP FUNCTION "private"."become_user"(private.principal, boolean);

DROP FUNCTION "private"."build_call"(text, jsonb);

DROP FUNCTION "private"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, public.confinement, jsonb);

DROP FUNCTION "private"."create_api_token"(text, text, text, integer);

DROP FUNCTION "private"."delete_job_comment"(uuid, uuid);

DROP FUNCTION "private"."get_avatar"(uuid);

DROP FUNCTION "private"."revoke_api_token"(uuid);

DROP FUNCTION "private"."revoke_other_sessions"();

DROP FUNCTION "private"."revoke_pairing"(uuid);

DROP FUNCTION "private"."revoke_session"(uuid);

DROP FUNCTION "private"."save_job_diff"(uuid, integer, jsonb);

DROP FUNCTION "private"."search"(text, uuid, text, integer, integer);

DROP FUNCTION "private"."send_probe"(uuid);

DROP FUNCTION "private"."set_active_product"(uuid);

DROP FUNCTION "private"."set_avatar"(text, bytea);

DROP FUNCTION "private"."set_budget"(uuid, text, text, uuid, text, numeric);

DROP FUNCTION "private"."sweep_expired_leases"(uuid[]);

DROP FUNCTION "private"."update_profile"(text, integer, public.user_theme);

DROP FUNCTION "public"."admin_update_user"(uuid, text, boolean, boolean);

DROP FUNCTION "public"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, text, jsonb);

DROP FUNCTION "public"."create_api_token"(text, text, text, integer);

DROP FUNCTION "public"."delete_job_comment"(uuid, uuid);

DROP FUNCTION "public"."get_avatar"(uuid);

DROP FUNCTION "public"."revoke_api_token"(uuid);

DROP FUNCTION "public"."revoke_other_sessions"();

DROP FUNCTION "public"."revoke_pairing"(uuid);

DROP FUNCTION "public"."revoke_session"(uuid);

DROP FUNCTION "public"."save_job_diff"(uuid, integer, jsonb);

DROP FUNCTION "public"."search"(text, uuid, text, integer, text);

DROP FUNCTION "public"."send_probe"(uuid);

DROP FUNCTION "public"."set_active_product"(uuid);

DROP FUNCTION "public"."set_avatar"(text, text);

DROP FUNCTION "public"."set_budget"(uuid, text, text, numeric, text, uuid);

DROP FUNCTION "public"."sweep_expired_leases"();

DROP FUNCTION "public"."update_profile"(text, integer, text);

CREATE OR REPLACE FUNCTION operations.add_product_member(p_product_id uuid, p_identifier text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.take_rate_limit('member', auth.uid()::text);
  perform private.take_rate_limit('member_lookup', auth.uid()::text);

  select u.id
  into v_user_id
  from public.users u
  where lower(u.username) = lower(trim(p_identifier)) or lower(u.email) = lower(trim(p_identifier))
  order by lower(u.username) = lower(trim(p_identifier)) desc
  limit 1;

  if v_user_id is null then
    return json_build_object('refused', json_build_object('code', 422,
      'error', 'Nobody here has this user name or e-mail address. Ask them to register first.',
      'issues', json_build_array(json_build_object('path', 'identifier', 'message', 'No account has this user name or e-mail address.'))));
  end if;
  perform operations.give_back_limit('member_lookup', auth.uid()::text);

  if exists (select from public.product_members m where m.product_id = p_product_id and m.user_id = v_user_id) then
    raise exception using errcode = 'PT409', message = 'This person already is in the product.';
  end if;

  insert into public.product_members (product_id, user_id) values (p_product_id, v_user_id);
  return json_build_object('user_id', v_user_id, 'username', private.username(v_user_id), 'role', 'MEMBER');
end;
$function$;

CREATE OR REPLACE FUNCTION operations.admin_update_user(p_user_id uuid, p_role text DEFAULT NULL::text, p_is_demo boolean DEFAULT NULL::boolean, p_must_reset_password boolean DEFAULT NULL::boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_before public.users;
  v_role public.user_role := p_role;
begin
  perform private.require_no_demo();
  perform private.require_admin();
  -- Two administrators who demote each other at the same moment must not both succeed.
  perform pg_advisory_xact_lock(hashtextextended('administrators', 0));
  select * into v_before from public.users u where u.id = p_user_id for update;
  if not found then
    raise exception using errcode = 'PT404', message = 'No such user.';
  end if;
  if v_before.role = 'ADMIN' and (v_role <> 'ADMIN' or p_is_demo)
    and not exists (select from public.users u where u.role = 'ADMIN' and not u.is_demo and u.id <> p_user_id) then
    raise exception using errcode = 'PT409',
      message = 'This is the last administrator. Make somebody else an administrator first.';
  end if;

  update public.users
  set role = coalesce(v_role, role),
      is_demo = coalesce(p_is_demo, is_demo),
      must_reset_password = coalesce(p_must_reset_password, must_reset_password),
      updated_at = private.now()
  where id = p_user_id;

  if (p_is_demo and not v_before.is_demo) or (p_must_reset_password and not v_before.must_reset_password) then
    perform private.end_sessions(p_user_id, null);
  end if;
  perform private.audit(p_user_id, auth.uid(), 'user.changed', jsonb_strip_nulls(jsonb_build_object(
    'role', p_role, 'is_demo', p_is_demo, 'must_reset_password', p_must_reset_password)));
  return json_build_object('id', p_user_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.archive_product(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('product', p_product_id);
  perform private.require_no_demo();
  perform private.lock_product(p_product_id);
  perform private.require_product_owner(p_product_id);

  update public.products p set archived_at = private.now() where p.id = p_product_id and p.archived_at is null;
  return operations.get_product(p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.claim_agent_job(p_worker text, p_product_id uuid DEFAULT NULL::uuid, p_sprint_run_id uuid DEFAULT NULL::uuid, p_kinds jsonb DEFAULT NULL::jsonb, p_hostname text DEFAULT NULL::text, p_version text DEFAULT NULL::text, p_quota_pct integer DEFAULT NULL::integer, p_confinement text DEFAULT NULL::text, p_also_repos jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
  v_locked uuid[];
  v_tried uuid[] := '{}';
  v_product_id uuid;
  v_job public.agent_jobs;
  v_rooms private.budget_room[];
  v_full_budgets uuid[];
  v_confinement public.confinement := coalesce(p_confinement, 'none');
  v_also_repos jsonb := coalesce(p_also_repos, '[]');
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  v_quota_reason := private.quota_reason(v_user_id, coalesce(p_quota_pct, v_worker.last_quota_pct));
  if v_quota_reason is not null then
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_confinement, v_also_repos);
    return json_build_object('job', null, 'worker_id', v_worker.id,
      'reason', json_build_object('code', 'quota', 'message', v_quota_reason));
  end if;

  v_locked := private.take_back_expired(v_user_id, p_product_id);
  for v_round in 1 .. 20 loop
    v_product_id := private.next_product(v_worker.id, v_user_id, p_product_id, p_sprint_run_id, p_kinds, v_tried,
      v_confinement <> 'none', v_also_repos);
    exit when v_product_id is null;
    if v_locked = '{}' then
      perform private.share_product(v_product_id);
    elsif v_product_id <> all (v_locked) and not private.try_share_product(v_product_id) then
      v_tried := v_tried || v_product_id;
      continue;
    end if;
    v_locked := v_locked || v_product_id;
    v_rooms := private.weigh_budgets(v_product_id, v_worker.id, v_tried = '{}');
    v_full_budgets := case when v_rooms is not null then private.full_budgets(v_rooms) end;
    v_job := private.take_job(v_worker.id, v_user_id, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets,
      v_confinement, v_also_repos);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  if v_rooms is not null and v_job.id is not null then
    perform private.reserve_budget(v_job, v_rooms);
  end if;
  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_confinement, v_also_repos);
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason', 
      private.nothing_to_claim(v_user_id, p_product_id, v_full_budgets, v_confinement <> 'none', v_also_repos));
  end if;
  return json_build_object('job', case when v_rooms is null then private.job_payload(v_job)
    else (private.job_payload(v_job)::jsonb || private.budget_payload(v_job, v_rooms))::json end, 'worker_id', v_worker.id, 'reason', null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_api_token(p_label text, p_prefix text, p_token_hash text, p_expires_days integer DEFAULT NULL::integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_token public.api_tokens;
begin
  perform private.require_no_demo();
  if p_token_hash !~ '^[0-9a-f]{64}$' or char_length(p_label) not between 1 and 100
    or p_expires_days not between 1 and 3650 then
    raise exception using errcode = 'PT422',
      message = 'A token needs a label of 1 to 100 characters, a SHA-256 hash and 1 to 3650 days or no end.';
  end if;
  perform private.take_rate_limit('api_token', auth.uid()::text);

  insert into public.api_tokens (user_id, session_id, label, prefix, token_hash, expires_at, created_at)
  values (auth.uid(), private.own_session_id(), p_label, p_prefix, decode(p_token_hash, 'hex'),
    private.now() + make_interval(days => p_expires_days), private.now())
  returning * into v_token;
  perform private.audit(auth.uid(), auth.uid(), 'token.created',
    jsonb_build_object('token_id', v_token.id, 'label', p_label, 'expires_at', v_token.expires_at));
  return json_build_object('id', v_token.id, 'label', v_token.label, 'prefix', v_token.prefix,
    'created_at', v_token.created_at, 'expires_at', v_token.expires_at, 'last_used_at', null, 'revoked_at', null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_from_list(p_items jsonb, p_pbi_id uuid DEFAULT NULL::uuid, p_story_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write(case when p_pbi_id is null then 'story' else 'pbi' end, coalesce(p_pbi_id, p_story_id));
  v_item jsonb;
  v_task jsonb;
  v_story jsonb;
  v_stories jsonb := '[]';
  v_tasks jsonb := '[]';
begin
  if num_nonnulls(p_pbi_id, p_story_id) <> 1 then
    perform private.refuse(422, 'A list goes into a PBI or into a story: name one of them.');
  end if;
  if jsonb_typeof(p_items) is distinct from 'array' or jsonb_array_length(p_items) not between 1 and 100 then
    perform private.refuse(422, 'A list has 1 to 100 lines.');
  end if;
  perform private.lock_product(v_product_id);
  for v_item in select i.value from jsonb_array_elements(p_items) with ordinality i (value, place) order by i.place loop
    if p_story_id is not null then
      v_tasks := v_tasks || jsonb_build_array(
        operations.create_task(p_story_id, v_item ->> 'title', coalesce(v_item ->> 'description', ''))::jsonb -> 'code');
      continue;
    end if;
    v_story := operations.create_story(p_pbi_id, v_item ->> 'title', coalesce(v_item ->> 'description', ''));
    v_stories := v_stories || jsonb_build_array(v_story -> 'code');
    for v_task in
      select t.value from jsonb_array_elements(coalesce(v_item -> 'tasks', '[]')) with ordinality t (value, place) order by t.place
    loop
      v_tasks := v_tasks || jsonb_build_array(
        operations.create_task((v_story ->> 'id')::uuid, v_task ->> 'title', coalesce(v_task ->> 'description', ''))::jsonb -> 'code');
    end loop;
  end loop;
  if jsonb_array_length(v_stories) + jsonb_array_length(v_tasks) > 150 then
    perform private.refuse(422, 'At most 150 stories and tasks at once. Paste the list in two parts.');
  end if;
  return json_build_object('stories', v_stories, 'tasks', v_tasks);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_product(p_code text, p_name text, p_description text DEFAULT ''::text, p_repo_url text DEFAULT ''::text, p_definition_of_done text DEFAULT ''::text, p_auto_pr boolean DEFAULT false, p_pr_strategy text DEFAULT 'SPRINT'::text, p_done_requires text DEFAULT 'none'::text, p_dependency_release text DEFAULT 'done'::text, p_requires_sandbox boolean DEFAULT false, p_may_reach jsonb DEFAULT '[]'::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires,
    dependency_release, requires_sandbox, may_reach)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release,
    coalesce(p_requires_sandbox, false), coalesce(p_may_reach, '[]'));
  return operations.get_product(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.create_saved_view(p_product_id uuid, p_page text, p_name text, p_look jsonb, p_shared boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := case when not coalesce(p_shared, false) then auth.uid() end;
  v_page text;
  v_view public.saved_views;
begin
  perform private.require_write('product', p_product_id);
  perform private.take_rate_limit('saved_view', auth.uid()::text);
  v_page := lower(private.require_choice('page', p_page, array['BACKLOG', 'BOARD']));
  insert into public.saved_views (product_id, user_id, created_by, page, name, look)
  values (p_product_id, v_user_id, auth.uid(), v_page,
    private.require_view_name(p_product_id, v_page, v_user_id, p_name, null), private.require_look(p_look))
  returning * into v_view;
  return private.saved_view_json(v_view);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.delete_job_comment(p_job_id uuid, p_comment_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_comment public.job_comments;
begin
  perform private.lock_job(p_job_id, true);
  select c.* into v_comment from public.job_comments c
  where c.id = p_comment_id and c.job_id = p_job_id and (c.review_id is not null or c.author_id = auth.uid());
  if not found then
    perform private.refuse(404, 'No such comment.');
  end if;
  if v_comment.review_id is not null then
    perform private.refuse(409, 'This comment was sent already. It stays with its review.');
  end if;
  delete from public.job_comments c where c.id = p_comment_id;
  return 'null'::json;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_avatar(p_user_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_avatar json;
begin
  select json_build_object('mime', u.avatar_mime, 'hex', encode(u.avatar, 'hex'), 'updated_at', u.updated_at)
  into v_avatar
  from public.users u
  where u.id = p_user_id
    and u.avatar is not null
    and (u.id = auth.uid() or private.is_admin() or exists (
      select from public.product_members mine
      join public.product_members theirs on theirs.product_id = mine.product_id
      where mine.user_id = auth.uid() and theirs.user_id = u.id));
  if not found then
    raise exception using errcode = 'PT404', message = 'No such picture.';
  end if;
  return v_avatar;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_pbi(p_pbi_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('pbi', p_pbi_id);

  return (
    select row_to_json(x)
    from (
      select
        b.*,
        (
          select json_build_object('id', i.id, 'code', i.code, 'title', i.title)
          from public.pbis k
          join public.ideas i on i.id = k.idea_id
          where k.id = b.id
        ) as idea,
        operations.list_pbi_stories(b.id) as stories
      from private.pbi_shape b
      where b.id = p_pbi_id
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_sprint_board(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
  v_preflight json;
  v_forecast json;
begin
  if exists (select from public.sprints s where s.id = p_sprint_id and s.status = 'ACTIVE')
    and not exists (
      select from public.sprint_runs r where r.sprint_id = p_sprint_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED'))
  then
    v_preflight := operations.preflight_sprint_run(p_sprint_id);
    if (v_preflight ->> 'ready')::boolean then
      v_forecast := operations.get_forecast(v_product, p_sprint_id);
    end if;
  end if;
  return json_build_object(
    'views', private.saved_views_of(v_product, 'board'),
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'pr_strategy', (select p.pr_strategy from public.products p where p.id = v_product),
    'stories', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, lower(s.status::text) as status, s.sort_order, s.created_at, s.pbi_id, s.assignee_id,
          private.username(s.assignee_id) as assignee_name,
          (
            select count(*) from public.agent_questions q
            where q.story_id = s.id and q.status = 'OPEN' and q.expires_at > private.now()
            and (q.reader_id is null or q.reader_id = auth.uid())
          ) as open_questions
        from public.stories s where s.sprint_id = p_sprint_id
      ) x),
    'tasks', private.board_tasks(p_sprint_id),
    'run', (
      select row_to_json(r)
      from (
        select r.id, lower(r.status::text) as status, r.started_at, r.created_at, r.finished_at, r.pause_context,
          r.failure,
          (
            select coalesce(json_agg(j.status order by j.position, j.id), '[]')
            from public.agent_jobs j where j.sprint_run_id = r.id) as job_statuses
        from public.sprint_runs r
        where r.sprint_id = p_sprint_id
        order by r.created_at desc
        limit 1
      ) r),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_product),
    'candidates', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at,
          (select count(*) from public.tasks t where t.story_id = s.id) as task_count
        from public.stories s
        where s.product_id = v_product and s.sprint_id is null
          -- As text: as a status it would allow the index of all stories that are not done, which is then read from end to
          -- end instead of the one product's part of the index by sprint.
          and s.status::text in ('OPEN', 'FAILED')
        order by s.sort_order, s.created_at, s.id
        limit 200
      ) x),
    'budgets', operations.get_budgets(v_product, null, p_sprint_id),
    'preflight', v_preflight,
    'forecast', v_forecast,
    'burndown', private.get_sprint_burndown(p_sprint_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_story(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('story', p_story_id);

  return (
    select row_to_json(x)
    from (
      select
        s.*,
        (select json_build_object('id', b.id, 'code', b.code, 'title', b.title) from public.pbis b where b.id = s.pbi_id) as pbi,
        (
          select json_build_object('id', p.id, 'code', p.code, 'sprint_goal', p.sprint_goal, 'status', p.status)
          from private.sprint_shape p
          where p.id = s.sprint_id
        ) as sprint,
        private.username(s.assignee_id) as assignee_username,
        (
          select coalesce(json_agg(row_to_json(t) order by t.sort_order, k.created_at, t.id), '[]')
          from private.task_detail_shape t
          join public.tasks k on k.id = t.id
          where t.story_id = s.id
        ) as tasks,
        operations.list_story_logs(s.id) as logs
      from private.story_shape s
      where s.id = p_story_id
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_story_page(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
begin
  perform private.require_access('story', p_story_id);
  select s.* into v_story from public.stories s where s.id = p_story_id;

  return json_build_object(
    'story', (select row_to_json(s) from private.story_shape s where s.id = p_story_id),
    'assignee_name', private.username(v_story.assignee_id),
    'dependencies', operations.list_dependencies('story', p_story_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'archived', p.archived_at is not null,
        'is_owner', p.owner_id = auth.uid())
      from public.products p where p.id = v_story.product_id),
    'pbi', (
      select json_build_object('id', b.id, 'code', b.code, 'title', b.title)
      from public.pbis b where b.id = v_story.pbi_id),
    'sprint', (
      select json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
      from public.sprints s where s.id = v_story.sprint_id),
    'sprints', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
        order by s.created_at desc), '[]')
      from public.sprints s where s.product_id = v_story.product_id and s.status in ('PLANNED', 'ACTIVE')),
    'pbis', (
      select coalesce(json_agg(json_build_object('id', b.id, 'code', b.code, 'title', b.title)
        order by b.priority, b.sort_order), '[]')
      from public.pbis b where b.product_id = v_story.product_id),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_story.product_id),
    'tasks', (
      select coalesce(json_agg(row_to_json(t) order by t.sort_order, t.created_at, t.id), '[]')
      from (
        select x.*, (
          select json_build_object('job_id', j.id, 'additions', j.additions, 'deletions', j.deletions)
          from public.agent_jobs j
          where j.task_id = x.id and j.kind = 'TASK_IMPLEMENTATION' and j.additions is not null
          order by j.created_at desc limit 1
        ) as changes
        from private.task_shape x where x.story_id = p_story_id
      ) t),
    'begins_from', private.beginnings(array[p_story_id]),
    'fresh_starts', private.fresh_starts_of(p_story_id),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.story_id = p_story_id
        and (q.reader_id is null or q.reader_id = auth.uid())),
    'logs', (
      select coalesce(json_agg(row_to_json(l) order by l.created_at desc, l.id), '[]')
      from (
        select * from private.story_log_shape l
        where l.story_id = p_story_id
        order by l.created_at desc
        limit 100
      ) l)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_task_page(p_task_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
begin
  perform private.require_access('task', p_task_id);
  select t.* into v_task from public.tasks t where t.id = p_task_id;

  return json_build_object(
    'task', (select row_to_json(t) from private.task_detail_shape t where t.id = p_task_id),
    'repo_url_by', (select private.username(t.repo_url_by) from public.tasks t where t.id = p_task_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'repo_url', p.repo_url, 'archived', p.archived_at is not null,
        'is_owner', p.owner_id = auth.uid())
      from public.products p where p.id = v_task.product_id),
    'story', (
      select json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'sprint_id', s.sprint_id)
      from public.stories s where s.id = v_task.story_id),
    'stories', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title) order by s.sort_order, s.created_at, s.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at
        from public.stories s
        where s.product_id = v_task.product_id and (s.status in ('OPEN', 'IN_SPRINT') or s.id = v_task.story_id)
        order by s.sort_order, s.created_at, s.id
        limit 300
      ) s),
    'jobs', (
      select coalesce(json_agg(private.job_json(j) order by j.created_at desc), '[]')
      from public.agent_jobs j where j.task_id = p_task_id),
    'imported_reviews', private.imported_reviews(p_task_id),
    'dependencies', operations.list_dependencies('task', p_task_id),
    'waits_for', (
      select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]')
      from private.task_blockers b where b.task_id = p_task_id and not b.resolved),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.task_id = p_task_id
        and (q.reader_id is null or q.reader_id = auth.uid())),
    'history', (
      select coalesce(json_agg(row_to_json(c) order by c.changed_at desc, c.id desc), '[]')
      from (
        select c.id, lower(c.to_status::text) as to_status, c.changed_at
        from public.task_status_changes c
        where c.task_id = p_task_id and c.from_status is distinct from c.to_status
        order by c.changed_at desc, c.id desc
        limit 20
      ) c)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.move_stories(p_story_ids jsonb, p_sprint_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story_ids uuid[] := array(select i.id::uuid from jsonb_array_elements_text(p_story_ids) with ordinality i (id, place) order by i.place);
  v_story_id uuid;
  v_product_id uuid;
begin
  if cardinality(v_story_ids) not between 1 and 500 then
    perform private.refuse(422, 'Choose 1 to 500 stories.');
  end if;
  v_product_id := private.require_access('story', v_story_ids[1]);
  foreach v_story_id in array v_story_ids loop
    if private.require_access('story', v_story_id) <> v_product_id then
      perform private.refuse(422, 'Move stories of one product at a time.');
    end if;
    begin
      if p_sprint_id is null then
        perform operations.remove_story_from_sprint(v_story_id);
      else
        perform operations.add_story_to_sprint(p_sprint_id, v_story_id);
      end if;
    exception when others then
      if sqlstate not like 'PT%' then
        raise;
      end if;
      raise exception using errcode = sqlstate,
        message = format('%s: %s No story has moved.', (select s.code from public.stories s where s.id = v_story_id), sqlerrm);
    end;
  end loop;
  return json_build_object('moved', cardinality(v_story_ids));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.read_notifications_stream()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('viewer', private.stream_viewer(), 'notifications', operations.get_notifications_state());
end;
$function$;

CREATE OR REPLACE FUNCTION operations.read_solo_stream(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_stream_product(p_product_id);
  return json_build_object('viewer', private.stream_viewer(), 'solo', operations.get_solo_state(p_product_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.restore_product(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('product', p_product_id);
  perform private.require_no_demo();
  perform private.lock_product(p_product_id);
  perform private.require_product_owner(p_product_id);

  update public.products p set archived_at = null where p.id = p_product_id and p.archived_at is not null;
  return operations.get_product(p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.revoke_api_token(p_token_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_no_demo();
  update public.api_tokens set revoked_at = coalesce(revoked_at, private.now())
  where id = p_token_id and user_id = auth.uid();
  if not found then
    raise exception using errcode = 'PT404', message = 'No such token.';
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'token.revoked', jsonb_build_object('token_id', p_token_id));
  return json_build_object('id', p_token_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.revoke_other_sessions()
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_ended integer;
begin
  perform private.require_no_demo();
  v_ended := private.end_sessions(auth.uid(), private.current_session_id());
  perform private.audit(auth.uid(), auth.uid(), 'session.others_revoked', jsonb_build_object('count', v_ended));
  return json_build_object('ended', v_ended);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.revoke_pairing(p_pairing_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_pairing public.login_pairings;
begin
  perform private.require_no_demo();
  select * into v_pairing from public.login_pairings p
  where p.id = p_pairing_id and p.user_id = auth.uid() for update;
  if not found then
    raise exception using errcode = 'PT404', message = 'You have approved no such device.';
  end if;

  if v_pairing.status = 'APPROVED' then
    update public.login_pairings set status = 'CANCELLED' where id = p_pairing_id;
  end if;
  perform private.end_session_chain(v_pairing.session_id);
  perform private.audit(auth.uid(), auth.uid(), 'pairing.revoked', jsonb_build_object('pairing_id', p_pairing_id));
  return json_build_object('pairing_id', p_pairing_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.revoke_session(p_session_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_no_demo();
  if not exists (select from public.user_sessions s where s.id = p_session_id and s.user_id = auth.uid())
    or not private.end_session_chain(p_session_id) then
    raise exception using errcode = 'PT404', message = 'No such device is signed in to your account.';
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'session.revoked', jsonb_build_object('session_id', p_session_id));
  return json_build_object('id', p_session_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.save_job_diff(p_job_id uuid, p_attempt integer, p_diff jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_files jsonb := p_diff -> 'files';
  v_job public.agent_jobs := private.lock_job(p_job_id, true);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_additions bigint;
  v_deletions bigint;
begin
  if v_job.kind = 'PLAN_CHAT' then
    perform private.refuse(422, 'A talk about an idea changes no files. Report it without a diff.');
  end if;
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  perform private.take_rate_limit('job_diff', p_job_id::text);
  select coalesce(sum((f ->> 'additions')::bigint), 0), coalesce(sum((f ->> 'deletions')::bigint), 0)
  into v_additions, v_deletions
  from jsonb_array_elements(v_files) f;
  if v_additions > 2147483647 or v_deletions > 2147483647 then
    perform private.refuse(422, 'Nobody can look at so many lines. Send the changes without their patches.');
  end if;

  insert into public.job_diffs as d
    (job_id, attempt, product_id, base_sha, head_sha, additions, deletions, files, bytes, created_at)
  values (p_job_id, p_attempt, v_job.product_id, p_diff ->> 'base_sha', p_diff ->> 'head_sha', v_additions, v_deletions,
    v_files, octet_length(v_files::text), private.now())
  on conflict (job_id, attempt) do update
  set base_sha = excluded.base_sha, head_sha = excluded.head_sha, additions = excluded.additions,
      deletions = excluded.deletions, files = excluded.files, bytes = excluded.bytes, created_at = excluded.created_at;
  perform private.make_room_for_diffs(v_job.product_id);

  update public.agent_jobs j
  set additions = v_additions, deletions = v_deletions,
      lease_until = case when v_state = 'held' then private.now() + private.lease() else j.lease_until end
  where j.id = p_job_id;
  return 'null'::json;
end;
$function$;

CREATE OR REPLACE FUNCTION operations.search(p_query text, p_product_id uuid DEFAULT NULL::uuid, p_kind text DEFAULT NULL::text, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 20), 1), 50);
  v_offset integer := case when p_cursor ~ '^[0-9]{1,6}$' then p_cursor::integer else 0 end;
begin
  perform private.parse_choice('kind', p_kind, '{pbi,story,task,idea}');
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  if trim(coalesce(p_query, '')) = '' then
    return json_build_object('items', '[]'::json, 'next_cursor', null);
  end if;

  perform private.take_rate_limit('search', auth.uid()::text);
  if p_query ~* '(^|\s)blocked:' then
    return private.search_blocked(left(p_query, 200), p_product_id, p_kind, v_limit, v_offset);
  end if;
  return private.find_matches(left(p_query, 200), p_product_id, p_kind, v_limit, v_offset);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.send_probe(p_user_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit('user:' || p_user_id, jsonb_build_object('op', 'I', 'entity', 'probe', 'id', p_user_id));
  return json_build_object('id', p_user_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.set_active_product(p_product_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_archived_at timestamptz;
begin
  perform private.require_no_demo();
  if p_product_id is not null then
    select p.archived_at into v_archived_at
    from public.products p
    join public.product_members m on m.product_id = p.id and m.user_id = auth.uid()
    where p.id = p_product_id
    for share;
    if not found then
      perform private.require_product_access(p_product_id);
    end if;
    if v_archived_at is not null then
      raise exception using errcode = 'PT403',
        message = 'This product is archived. Restore it before you make it the active one.';
    end if;
  end if;

  update public.users set active_product_id = p_product_id, updated_at = private.now() where id = auth.uid();
  return json_build_object('active_product_id', p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.set_avatar(p_mime text DEFAULT NULL::text, p_hex text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_bytes bytea;
  v_mime text;
begin
  perform private.require_no_demo();
  perform private.take_rate_limit('avatar', auth.uid()::text);
  if p_hex is not null then
    v_bytes := decode(p_hex, 'hex');
    v_mime := case
      when substring(v_bytes from 1 for 8) = '\x89504e470d0a1a0a' then 'image/png'
      when substring(v_bytes from 1 for 3) = '\xffd8ff' then 'image/jpeg'
      when substring(v_bytes from 1 for 4) = '\x52494646' and substring(v_bytes from 9 for 4) = '\x57454250' then 'image/webp'
      when substring(v_bytes from 1 for 6) in ('\x474946383761', '\x474946383961') then 'image/gif'
    end;
    if octet_length(v_bytes) > 1048576 or v_mime is null or p_mime is distinct from v_mime then
      raise exception using errcode = 'PT422', message = 'Use a PNG, JPEG, WebP or GIF picture of at most 1 MiB.';
    end if;
  end if;
  update public.users set avatar = v_bytes, avatar_mime = v_mime, updated_at = private.now() where id = auth.uid();
  return json_build_object('has_avatar', v_bytes is not null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.set_budget(p_product_id uuid, p_scope text, p_unit text, p_amount numeric, p_period text DEFAULT NULL::text, p_target_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.require_person();
  v_budget := private.put_budget(p_product_id, p_scope, p_period, p_target_id, p_unit, p_amount);
  return private.budget_json(v_budget);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.sweep(p_full boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_products uuid[] := private.products_past_due();
  v_product_id uuid;
  v_taken_back integer := 0;
  v_questions integer;
  v_removed jsonb;
begin
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  foreach v_product_id in array v_products loop
    v_taken_back := v_taken_back + private.requeue_expired_leases(v_product_id);
  end loop;
  v_questions := private.write_down_expired(true, v_products);
  foreach v_product_id in array v_products loop
    perform private.settle_budgets(v_product_id);
  end loop;

  if (coalesce(p_full, false) or extract(second from v_now) < 5)
    and pg_try_advisory_xact_lock(hashtextextended('backloom:sweep', 0)) then
    v_removed := private.remove_stale_rows();
  end if;
  return json_build_object('taken_back', v_taken_back, 'expired_questions', v_questions, 'removed', v_removed,
    'ran_at', v_now);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.sweep_expired_leases()
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_products uuid[] := array(
    select distinct j.product_id from public.agent_jobs j
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= private.now() order by 1);
  v_product_id uuid;
  v_count integer := 0;
begin
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  foreach v_product_id in array v_products loop
    v_count := v_count + private.requeue_expired_leases(v_product_id);
  end loop;
  return json_build_object('taken_back', v_count, 'ran_at', private.now());
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_product(p_product_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);

  update public.products p
  set code = coalesce(p_changes ->> 'code', p.code),
      name = coalesce(p_changes ->> 'name', p.name),
      description = coalesce(p_changes ->> 'description', p.description),
      repo_url = coalesce(p_changes ->> 'repo_url', p.repo_url),
      definition_of_done = coalesce(p_changes ->> 'definition_of_done', p.definition_of_done),
      auto_pr = coalesce((p_changes ->> 'auto_pr')::boolean, p.auto_pr),
      pr_strategy = coalesce((p_changes ->> 'pr_strategy')::public.pr_strategy, p.pr_strategy),
      done_requires = coalesce((p_changes ->> 'done_requires')::public.done_requires, p.done_requires),
      requires_sandbox = coalesce((p_changes ->> 'requires_sandbox')::boolean, p.requires_sandbox),
      may_reach = coalesce(p_changes -> 'may_reach', p.may_reach)
  where p.id = p_product_id;
  perform private.set_dependency_release(p_product_id, (p_changes ->> 'dependency_release')::public.dependency_release);
  return operations.get_product(p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_profile(p_username text DEFAULT NULL::text, p_min_quota_pct integer DEFAULT NULL::integer, p_theme text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_no_demo();
  if p_min_quota_pct not between 1 and 100 then
    raise exception using errcode = 'PT422', message = 'The worker quota threshold is a whole number from 1 to 100.',
      detail = '{"issues":[{"path":"min_quota_pct","message":"Enter a whole number from 1 to 100"}]}';
  end if;
  if p_username !~ '^[A-Za-z0-9][A-Za-z0-9._-]{1,39}$' then
    raise exception using errcode = 'PT422', message = 'This user name cannot be used. Choose another one.',
      detail = '{"issues":[{"path":"username","message":"Use 2 to 40 letters, digits, dots, underscores or hyphens"}]}';
  end if;

  update public.users
  set username = coalesce(p_username, username),
      min_quota_pct = coalesce(p_min_quota_pct, min_quota_pct),
      theme = coalesce(p_theme::public.user_theme, theme),
      updated_at = private.now()
  where id = auth.uid();
  return operations.get_profile();
exception when unique_violation then
  raise exception using errcode = 'PT422', message = 'This user name is taken. Choose another one.',
    detail = '{"issues":[{"path":"username","message":"This user name is taken"}]}';
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_warnings(p_sprint public.sprints)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_forecast jsonb;
  v_likely jsonb;
  v_left numeric;
  v_warnings jsonb := '[]';
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_sprint.product_id and (b.scope = 'product' or b.sprint_id = p_sprint.id)
    order by b.scope desc, b.id
  loop
    v_forecast := coalesce(v_forecast, operations.get_forecast(p_sprint.product_id, p_sprint.id)::jsonb);
    if v_budget.unit = 'tokens' then
      v_likely := nullif(v_forecast -> 'tokens', 'null');
    else
      select c into v_likely from jsonb_array_elements(v_forecast -> 'costs') c where c ->> 'currency' = v_budget.unit;
    end if;
    v_left := greatest(0, v_budget.amount - private.budget_spent(v_budget) - (private.budget_at_work(v_budget)).reserved);
    if private.is_budget_reached(v_budget) or v_left = 0 then
      v_warnings := v_warnings || jsonb_build_object('type', 'budget', 'budget_id', v_budget.id,
        'message', format('The budget of %s is used up: a run waits at once and asks you.', private.budget_name(v_budget)));
    elsif (v_likely ->> 'high')::numeric > v_left then
      v_warnings := v_warnings || jsonb_build_object('type', 'budget', 'budget_id', v_budget.id,
        'message', format('The budget of %s has %s left, and this run probably takes %s to %s. It stops there and asks you.',
          private.budget_name(v_budget), private.budget_amount_text(v_left, v_budget.unit),
          private.budget_amount_text((v_likely ->> 'low')::numeric, v_budget.unit),
          private.budget_amount_text((v_likely ->> 'high')::numeric, v_budget.unit)));
    end if;
    v_likely := null;
  end loop;
  return v_warnings;
end;
$function$;

CREATE OR REPLACE FUNCTION private.build_call(p_role text, p_function text, p_arguments jsonb, OUT p_statement text, OUT p_writes boolean)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_names text[];
  v_types oid[];
  v_type text;
  v_separator text := '';
begin
  -- A volatile function writes (specification: Authentication 3).
  select p.proargnames, p.proargtypes::oid[], p.provolatile = 'v'
  into v_names, v_types, p_writes
  from pg_catalog.pg_proc p
  where p.proname = p_function and p.pronamespace = 'operations'::regnamespace
    and has_function_privilege(p_role, p.oid, 'execute');

  if not found then
    raise exception using errcode = 'PT404', message = format('There is no operation %s.', p_function);
  end if;

  p_statement := '';
  for i in 1 .. coalesce(cardinality(v_names), 0) loop
    continue when not p_arguments ? v_names[i];
    v_type := format_type(v_types[i - 1], null);
    p_statement := p_statement
      || v_separator || quote_ident(v_names[i]) || ' => '
      || case
           when v_type in ('jsonb', 'json') then 'nullif($1 -> ' || quote_literal(v_names[i]) || ', ''null''::jsonb)::' || v_type
           else '($1 ->> ' || quote_literal(v_names[i]) || ')::' || v_type
         end;
    v_separator := ', ';
  end loop;

  if p_arguments - coalesce(v_names, '{}') <> '{}' then
    raise exception using errcode = 'PT404',
      message = format('The operation %s does not take the arguments %s.', p_function,
        p_arguments - coalesce(v_names, '{}'));
  end if;

  p_statement := 'select operations.' || quote_ident(p_function) || '(' || p_statement || ')';
end;
$function$;

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
      perform operations.edit_task(p_id, v_fields);
    end if;
    if p_changes ? 'assignee_id' then
      -- Whoever has a task has its story.
      perform operations.assign_story((select t.story_id from public.tasks t where t.id = p_id), (p_changes ->> 'assignee_id')::uuid);
    end if;
    if p_changes ? 'story_id' then
      perform operations.move_task(p_id, (p_changes ->> 'story_id')::uuid);
    end if;
    return v_fields <> '{}' or p_changes ?| '{story_id,assignee_id}';
  end if;

  if p_kind = 'pbi' then
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id,confirmed}'::text[];
    if v_fields ->> 'status' not in ('ready', 'blocked') then
      v_fields := v_fields - 'status';
    end if;
    if v_fields <> '{}' then
      perform operations.update_pbi(p_id, v_fields);
    end if;
    return v_fields <> '{}';
  end if;

  v_fields := p_changes - '{status,assignee_id,sprint_id,story_id,confirmed}'::text[];
  if v_fields <> '{}' then
    perform operations.update_story(p_id, v_fields);
  end if;
  if p_changes ? 'assignee_id' then
    perform operations.assign_story(p_id, (p_changes ->> 'assignee_id')::uuid);
  end if;
  if p_changes ? 'sprint_id' and p_changes ->> 'sprint_id' is null then
    perform operations.remove_story_from_sprint(p_id);
  elsif p_changes ? 'sprint_id' then
    perform operations.add_story_to_sprint((p_changes ->> 'sprint_id')::uuid, p_id);
  end if;
  return v_fields <> '{}' or p_changes ?| '{assignee_id,sprint_id}';
end;
$function$;

CREATE OR REPLACE FUNCTION private.find_matches(p_query text, p_product_id uuid, p_kind text, p_limit integer, p_offset integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_user_id uuid := auth.uid();
  v_code text := replace(replace(replace(trim(p_query), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_products uuid[];
  v_words text[];
  v_query tsquery;
  v_in_products tsquery;
  v_in_ideas tsquery;
  v_ranked integer := 200;
  v_most integer := greatest(v_ranked, p_offset + p_limit + 1);
  v_found json[];
begin
  select array_agg(distinct l) into v_words
  from regexp_split_to_table(lower(p_query), '[^[:alnum:]]+') w, unnest(tsvector_to_array(to_tsvector('simple', w))) l;
  select coalesce(array_agg(m.product_id), '{}') into v_products
  from public.product_members m
  where m.user_id = v_user_id and (p_product_id is null or m.product_id = p_product_id);
  v_query := private.words_in_scopes('{""}', v_words);
  v_in_products := private.words_in_scopes(array(select private.scope_of_words(i) from unnest(v_products) i), v_words);
  v_in_ideas := private.words_in_scopes(array[private.scope_of_words(v_user_id)], v_words);

  select array_agg(row_to_json(r))
  into v_found
  from (
    select h.kind, h.id, h.code, h.title, left(h.description, 200) as excerpt, h.status, h.product_id, p.code as product_code
    from (
      select m.*, row_number() over (order by m.by_code desc, m.created_at desc, m.id) as place
      from (
        (select 'pbi' as kind, b.id, b.product_id, b.code, b.title, b.description, lower(b.status::text) as status, b.created_at,
          b.code ilike v_code as by_code
        from public.pbis b
        where (p_kind is null or p_kind = 'pbi') and b.product_id = any (v_products)
          and b.id in (
            select x.id from public.pbis x where x.code ilike v_code and x.product_id = any (v_products)
            union
            select x.id from public.pbis x
            where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ v_in_products)
        order by by_code desc, b.created_at desc, b.id
        limit v_most)
        union all
        (select 'story', s.id, s.product_id, s.code, s.title, s.description, lower(s.status::text), s.created_at,
          s.code ilike v_code as by_code
        from public.stories s
        where (p_kind is null or p_kind = 'story') and s.product_id = any (v_products)
          and s.id in (
            select x.id from public.stories x where x.code ilike v_code and x.product_id = any (v_products)
            union
            select x.id from public.stories x
            where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ v_in_products)
        order by by_code desc, s.created_at desc, s.id
        limit v_most)
        union all
        (select 'task', t.id, t.product_id, t.code, t.title, t.description, private.task_status_word(t.status), t.created_at,
          t.code ilike v_code as by_code
        from public.tasks t
        where (p_kind is null or p_kind = 'task') and t.product_id = any (v_products)
          and t.id in (
            select x.id from public.tasks x where x.code ilike v_code and x.product_id = any (v_products)
            union
            select x.id from public.tasks x
            where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ v_in_products)
        order by by_code desc, t.created_at desc, t.id
        limit v_most)
        union all
        (select 'idea', i.id, i.product_id, i.code, i.title, i.description, lower(i.status::text), i.created_at,
          i.code ilike v_code as by_code
        from public.ideas i
        where (p_kind is null or p_kind = 'idea') and (p_product_id is null or i.product_id = p_product_id)
          and i.user_id = v_user_id
          and i.id in (
            select x.id from public.ideas x where x.code ilike v_code and x.user_id = v_user_id
            union
            select x.id from public.ideas x
            where private.scoped_words(x.user_id, x.code, x.title, x.description) @@ v_in_ideas)
        order by by_code desc, i.created_at desc, i.id
        limit v_most)
      ) m
    ) h
    join public.products p on p.id = h.product_id
    order by h.by_code desc,
      case when h.place <= v_ranked then ts_rank(to_tsvector('simple', h.code || ' ' || h.title || ' ' || left(h.description, 1000)), v_query) end
        desc nulls last,
      h.created_at desc, h.id
    limit p_limit + 1
    offset p_offset
  ) r;

  return json_build_object(
    'items', array_to_json(coalesce(v_found[1:p_limit], '{}')),
    'next_cursor', case when cardinality(v_found) > p_limit then (p_offset + p_limit)::text end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_blocked(p_query text, p_product_id uuid, p_kind text, p_limit integer, p_offset integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := auth.uid();
  v_asked text := lower(substring(p_query from '(?i)(?:^|\s)blocked:(\S*)'));
  v_words text := trim(regexp_replace(p_query, '(?i)(^|\s)blocked:\S*', ' ', 'g'));
  v_pattern text := '%' || replace(replace(replace(v_words, '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_found json[];
begin
  select array_agg(row_to_json(r))
  into v_found
  from (
    select h.kind, h.id, h.code, h.title, left(h.description, 200) as excerpt, h.status, h.product_id, p.code as product_code
    from (
      select 'task' as kind, t.id, t.product_id, t.code, t.title, t.description, private.task_status_word(t.status) as status, t.created_at,
        array(select b.code from private.task_blockers b where b.task_id = t.id and not b.resolved) as waits_for
      from public.tasks t
      where (p_kind is null or p_kind = 'task') and t.status <> 'DONE'
        and t.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
        and (p_product_id is null or t.product_id = p_product_id) and (t.code ilike v_pattern or t.title ilike v_pattern)
      union all
      select 'story', s.id, s.product_id, s.code, s.title, s.description, lower(s.status::text), s.created_at,
        array(select b.code from public.story_dependencies d join public.stories b on b.id = d.blocker_id
          where d.blocked_id = s.id and b.status <> 'DONE')
      from public.stories s
      where (p_kind is null or p_kind = 'story') and s.status <> 'DONE'
        and s.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
        and (p_product_id is null or s.product_id = p_product_id) and (s.code ilike v_pattern or s.title ilike v_pattern)
    ) h
    join public.products p on p.id = h.product_id
    where case when v_asked in ('', 'yes', 'true') then h.waits_for <> '{}'
      when v_asked in ('no', 'false', 'none') then h.waits_for = '{}'
      else upper(v_asked) in (select upper(c) from unnest(h.waits_for) c) end
    order by h.created_at desc, h.id
    limit p_limit + 1
    offset p_offset
  ) r;

  return json_build_object(
    'items', array_to_json(coalesce(v_found[1:p_limit], '{}')),
    'next_cursor', case when cardinality(v_found) > p_limit then (p_offset + p_limit)::text end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.call_as(p_credential jsonb, p_function text, p_arguments jsonb DEFAULT '{}'::jsonb)
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
  v_answer json;
begin
  select c.p_statement, c.p_writes into v_statement, v_writes
  from private.build_call('authenticated', p_function, p_arguments) c;

  if v_writes and v_principal.is_demo then
    raise exception using errcode = 'PT403',
      message = 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.';
  end if;

  perform set_config('request.jwt.claims', json_strip_nulls(json_build_object(
      'sub', v_principal.user_id, 'role', 'authenticated',
      'session_id', v_principal.session_id, 'token_id', v_principal.token_id))::text, true),
    set_config('role', 'authenticated', true);
  execute v_statement into v_answer using p_arguments;

  perform set_config('role', v_caller, true), set_config('request.jwt.claims', v_claims, true);
  return v_answer;
end;
$function$;

CREATE OR REPLACE FUNCTION public.call_service(p_function text, p_arguments jsonb DEFAULT '{}'::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_answer json;
begin
  execute (private.build_call('service_role', p_function, p_arguments)).p_statement into v_answer using p_arguments;
  return v_answer;
end;
$function$;

COMMENT ON FUNCTION "operations"."admin_update_user"(uuid, text, boolean, boolean) IS 'Changes role, demo flag or password duty of a user; administrators only.';

COMMENT ON FUNCTION "operations"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, text, jsonb) IS 'QUEUED to CLAIMED for one worker, with everything it needs (specification: Agent job).';

COMMENT ON FUNCTION "operations"."create_api_token"(text, text, text, integer) IS 'A new API token of the caller, by its hash (specification: Authentication 1, Limits).';

COMMENT ON FUNCTION "operations"."delete_job_comment"(uuid, uuid) IS 'Takes a draft of a comment back (docs/review.md).';

COMMENT ON FUNCTION "operations"."get_avatar"(uuid) IS 'The picture of a user whom the caller works with.';

COMMENT ON FUNCTION "operations"."revoke_api_token"(uuid) IS 'Revokes an API token of the caller (specification: Authentication 1).';

COMMENT ON FUNCTION "operations"."revoke_other_sessions"() IS 'Signs the caller out everywhere else (specification: Authentication).';

COMMENT ON FUNCTION "operations"."revoke_pairing"(uuid) IS 'Ends what an approved pairing allowed (specification: Login pairing).';

COMMENT ON FUNCTION "operations"."revoke_session"(uuid) IS 'Ends one session of the caller (specification: Authentication).';

COMMENT ON FUNCTION "operations"."save_job_diff"(uuid, integer, jsonb) IS 'Keeps what an attempt has changed (docs/review.md).';

COMMENT ON FUNCTION "operations"."search"(text, uuid, text, integer, text) IS 'Full text and code search over what the caller reaches (specification: What the service does 1, 9).';

COMMENT ON FUNCTION "operations"."send_probe"(uuid) IS 'One event for the check command of an installation (docs/deploy.md). Service only.';

COMMENT ON FUNCTION "operations"."set_active_product"(uuid) IS 'Selects the product the caller works on (specification: Authentication 8).';

COMMENT ON FUNCTION "operations"."set_avatar"(text, text) IS 'Stores or removes the picture of the caller.';

COMMENT ON FUNCTION "operations"."set_budget"(uuid, text, text, numeric, text, uuid) IS 'Makes or changes a budget; the owner of the product, in a session.';

COMMENT ON FUNCTION "operations"."sweep_expired_leases"() IS 'Takes expired leases back (specification: Agent job, lease_until). Service only.';

COMMENT ON FUNCTION "operations"."update_profile"(text, integer, text) IS 'Changes user name, quota threshold or theme of the caller (specification: Other records, User).';

COMMENT ON FUNCTION "private"."build_call"(text, text, jsonb) IS 'The SQL of one operation call with named arguments, and whether it writes. Used by call_as and call_service.';

COMMENT ON FUNCTION "private"."find_matches"(text, uuid, text, integer, integer) IS 'Words and codes in what the caller reaches (specification: What the service does 1, 9).';

COMMENT ON FUNCTION "public"."call_service"(text, jsonb) IS 'Runs one operation of the service itself. Service only.';

COMMENT ON SCHEMA "operations" IS 'What users and the service itself may ask, each once, by name through the doors of public; not exposed by the Data API.';

COMMENT ON SCHEMA "private" IS 'Helpers and trigger functions; not exposed by the Data API.';

REVOKE ALL ON FUNCTION "operations"."admin_update_user"(uuid, text, boolean, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."admin_update_user"(uuid, text, boolean, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."claim_agent_job"(text, uuid, uuid, jsonb, text, text, integer, text, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."create_api_token"(text, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_api_token"(text, text, text, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."delete_job_comment"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."delete_job_comment"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."get_avatar"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."get_avatar"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."revoke_api_token"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."revoke_api_token"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."revoke_other_sessions"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."revoke_other_sessions"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."revoke_pairing"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."revoke_pairing"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."revoke_session"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."revoke_session"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."save_job_diff"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."save_job_diff"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."search"(text, uuid, text, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."search"(text, uuid, text, integer, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."send_probe"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."send_probe"(uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."set_active_product"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."set_active_product"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."set_avatar"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."set_avatar"(text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."set_budget"(uuid, text, text, numeric, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."set_budget"(uuid, text, text, numeric, text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."sweep_expired_leases"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."sweep_expired_leases"() TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "operations"."update_profile"(text, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."update_profile"(text, integer, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."build_call"(text, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."build_call"(text, text, jsonb) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."find_matches"(text, uuid, text, integer, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."find_matches"(text, uuid, text, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "public"."call_service"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."call_service"(text, jsonb) TO "postgres", "service_role";
