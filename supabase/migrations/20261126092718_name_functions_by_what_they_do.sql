-- Why: names that say what a function does, so that a reader need not know the words of this house; nothing else changes.
set local check_function_bodies = off;

DROP TRIGGER "_900_tell_inbox" ON "public"."comment_mentions";

DROP TRIGGER "_910_tell_inbox" ON "public"."lessons";

DROP TRIGGER "_890_tell_inbox" ON "public"."sprint_runs";

DROP FUNCTION "private"."hand_over_messages"(public.agent_jobs, jsonb);

DROP FUNCTION "private"."heed_budget"(public.agent_jobs, jsonb);

DROP FUNCTION "private"."heed_waiting"(uuid, public.task_status, boolean);

DROP FUNCTION "private"."is_followed"(text, jsonb);

DROP FUNCTION "private"."may_read_talk"(public.agent_jobs);

DROP FUNCTION "private"."send_conflict_home"(public.agent_jobs, public.agent_jobs, jsonb, boolean);

DROP FUNCTION "private"."settle_budget"(public.budgets);

DROP FUNCTION "private"."settle_budgets"(uuid, uuid);

DROP FUNCTION "private"."settle_messages"(public.agent_jobs, public.agent_jobs);

DROP FUNCTION "private"."settle_task_waiting"(public.tasks, public.tasks);

DROP FUNCTION "private"."settle_waiting"(uuid[]);

DROP FUNCTION "private"."tell_invited"(uuid, uuid);

DROP FUNCTION "private"."tell_mentioned"(public.comments, uuid);

DROP FUNCTION "private"."tell_triage"(uuid[]);

DROP FUNCTION "private"."tg_any__tell_inbox"();

DROP FUNCTION "private"."tg_comment_mentions__tell_inbox"();

DROP FUNCTION "private"."weigh_budgets"(uuid, uuid, boolean);

DROP FUNCTION "private"."weigh_lessons"(uuid, boolean);

CREATE OR REPLACE FUNCTION operations.answer_invitation(p_invitation_id uuid, p_accept boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid;
  v_invitation public.product_invitations;
begin
  perform private.require_no_demo();
  perform private.take_rate_limit('join', auth.uid()::text);
  select i.product_id into v_product_id from public.product_invitations i
  where i.id = p_invitation_id and i.invited_user_id = auth.uid();
  if v_product_id is not null then
    perform private.lock_product(v_product_id);
    if p_accept then
      perform private.require_product_write(v_product_id, true);
    end if;
    delete from public.product_invitations i
    where i.id = p_invitation_id and i.invited_user_id = auth.uid() and i.expires_at > private.now()
    returning i.* into v_invitation;
  end if;
  if v_invitation.id is null then
    perform private.refuse(404, 'This invitation was revoked, or it has expired. Ask for a new one.');
  end if;
  if p_accept then
    insert into public.product_members (product_id, user_id, role) values (v_product_id, auth.uid(), v_invitation.role)
    on conflict (product_id, user_id) do nothing;
  end if;
  perform private.audit(auth.uid(), auth.uid(), case when p_accept then 'invitation.accepted' else 'invitation.declined' end,
    jsonb_build_object('product_id', v_product_id, 'invitation_id', v_invitation.id, 'role', v_invitation.role, 'invited_by', v_invitation.created_by));
  perform private.notify_invitee(auth.uid(), v_invitation.id);
  return json_build_object('product_id', v_product_id, 'accepted', p_accept);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.claim_agent_job(p_worker text, p_product_id uuid DEFAULT NULL::uuid, p_sprint_run_id uuid DEFAULT NULL::uuid, p_kinds jsonb DEFAULT NULL::jsonb, p_hostname text DEFAULT NULL::text, p_version text DEFAULT NULL::text, p_quota_pct integer DEFAULT NULL::integer, p_confinement text DEFAULT NULL::text, p_also_repos jsonb DEFAULT NULL::jsonb, p_agents jsonb DEFAULT NULL::jsonb)
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
  v_asker private.asker := row(v_user_id, null, coalesce(p_confinement, 'none'), coalesce(p_also_repos, '[]'), coalesce(p_agents, '[]'));
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
    perform private.require_no_viewer(p_product_id);
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  v_asker.worker_id := v_worker.id;
  v_quota_reason := private.quota_reason(v_user_id, coalesce(p_quota_pct, v_worker.last_quota_pct));
  if v_quota_reason is null and v_asker.agents <> '[]' then
    v_asker.agents := private.able_agents(p_agents, (select u.min_quota_pct from public.users u where u.id = v_user_id));
    v_quota_reason := case when v_asker.agents = '[]' then 'Each agent of this worker is at its limit or below the quota that its user wants to keep (min_quota_pct).' end;
  end if;
  if v_quota_reason is not null then
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_asker.confinement, v_asker.also_repos, coalesce(p_agents, '[]'));
    return json_build_object('job', null, 'worker_id', v_worker.id,
      'reason', json_build_object('code', 'quota', 'message', v_quota_reason));
  end if;

  v_locked := private.take_back_expired(v_user_id, p_product_id);
  for v_round in 1 .. 20 loop
    v_product_id := private.next_product(v_asker, p_product_id, p_sprint_run_id, p_kinds, v_tried);
    exit when v_product_id is null;
    if v_locked = '{}' then
      perform private.share_product(v_product_id);
    elsif v_product_id <> all (v_locked) and not private.try_share_product(v_product_id) then
      v_tried := v_tried || v_product_id;
      continue;
    end if;
    v_locked := v_locked || v_product_id;
    v_rooms := private.budget_headroom(v_product_id, v_worker.id, v_tried = '{}');
    v_full_budgets := case when v_rooms is not null then private.full_budgets(v_rooms) end;
    v_job := private.take_job(v_asker, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  if v_rooms is not null and v_job.id is not null then
    perform private.reserve_budget(v_job, v_rooms);
  end if;
  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct, v_asker.confinement, v_asker.also_repos, coalesce(p_agents, '[]'));
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason',
      private.nothing_to_claim(v_asker, p_product_id, v_full_budgets));
  end if;
  return json_build_object('job', case when v_rooms is null then private.job_payload(v_job)
    else (private.job_payload(v_job)::jsonb || private.budget_payload(v_job, v_rooms))::json end, 'worker_id', v_worker.id, 'reason', null);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.delete_budget(p_product_id uuid, p_budget_id uuid)
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
  select b.* into v_budget from public.budgets b where b.id = p_budget_id and b.product_id = p_product_id;
  if not found then
    return json_build_object('id', p_budget_id, 'removed', false);
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'budget.removed', jsonb_build_object('product_id', p_product_id,
    'budget', private.budget_name(v_budget), 'unit', v_budget.unit, 'amount', v_budget.amount));
  delete from public.budgets b where b.id = p_budget_id;
  perform private.apply_budgets(p_product_id);
  return json_build_object('id', p_budget_id, 'removed', true);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.edit_task(p_task_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status := private.parse_task_status(p_changes ->> 'status');
  v_label_ids uuid[];
begin
  perform private.parse_choice('verify_required', p_changes ->> 'verify_required', '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  v_label_ids := private.require_labels(private.require_write('task', p_task_id), p_changes -> 'labels');
  perform private.require_version('task', p_task_id, p_changes);
  perform private.require_proof(p_task_id, v_status);
  perform private.require_unblocked(p_task_id, v_status, (p_changes ->> 'confirmed')::boolean);

  perform private.set_fields('public.tasks', p_task_id,
    p_changes - 'story_id' || jsonb_build_object('status', v_status, 'label_ids', v_label_ids));
  return private.task_json(p_task_id)::jsonb || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_agent_job(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_job(p_job_id);
  return (
    select private.job_json(j) || jsonb_build_object('attempts', private.attempts_json(j.id), 'questions', (
      select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = j.id and private.can_read_conversation(j)
        and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))))
    from public.agent_jobs j where j.id = p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.heartbeat_agent_job(p_job_id uuid, p_attempt integer, p_quota_pct integer DEFAULT NULL::integer, p_usage jsonb DEFAULT NULL::jsonb, p_seen_messages jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
  v_state text;
  v_pause jsonb;
  v_spent_up text;
  v_messages json;
begin
  perform private.require_no_viewer(private.require_job(p_job_id));
  perform private.require_writer();
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;

  perform private.lock_for_budget(p_job_id, p_attempt, p_usage);
  update public.agent_jobs j
  set lease_until = v_now + private.lease()
  from public.agent_workers w, public.products p
  where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING')
    and w.id = j.worker_id and w.user_id = auth.uid() and p.id = j.product_id and p.archived_at is null
  returning j.* into v_job;

  if v_job.id is null then
    select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
    v_state := private.attempt_state(v_job, p_attempt);
    if v_job.status in ('CLAIMED', 'RUNNING') and exists (
      select from public.products p where p.id = v_job.product_id and p.archived_at is not null
    ) then
      v_state := 'archived';
    end if;
    return json_build_object('action', 'stop', 'status', lower(v_job.status::text), 'lease_until', null,
      'reason', json_build_object('code', v_state, 'message', private.attempt_words(v_job, p_attempt, v_state)));
  end if;

  v_spent_up := private.enforce_budget(v_job, p_usage);
  if v_spent_up is not null then
    return json_build_object('action', 'stop', 'status', 'queued', 'lease_until', null,
      'reason', json_build_object('code', 'budget', 'message', v_spent_up));
  end if;
  select r.pause_context into v_pause from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status = 'PAUSED';
  if not private.is_in_hand(v_job) then
    perform private.touch_worker(v_job.worker_id, null, null, p_quota_pct);
  end if;
  v_messages := private.deliver_messages(v_job, p_seen_messages);
  return private.with_key(json_build_object(
    'action', case when v_pause is null then 'continue' else 'pause' end,
    'status', lower(v_job.status::text),
    'lease_until', v_job.lease_until,
    'reason', case when v_job.taken_until > v_now then private.take_over_reason(v_job) when v_pause is not null then json_build_object('code', 'paused',
      'message', format('The run is paused (%s).', replace(v_pause ->> 'reason', '_', ' '))) end), 'messages', v_messages);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_job_conflict(p_job_id uuid, p_attempt integer, p_conflict jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.hold_job(p_job_id, p_attempt);
  v_kind text := lower(private.require_choice('kind', p_conflict ->> 'kind', array['BRANCH', 'BASE', 'SIBLING']));
  v_branch text := coalesce(p_conflict ->> 'branch', '');
  v_rival public.agent_jobs;
  v_decision text;
begin
  if v_job.kind = 'PLAN_CHAT' or v_job.sprint_run_id is null then
    perform private.refuse(422, 'Only work of a run can be in conflict.');
  end if;
  perform private.take_rate_limit('job_conflict', p_job_id::text);
  perform private.require_link('pr_url', p_conflict ->> 'pr_url');
  if v_kind = 'sibling' then
    v_rival := private.conflict_rival(v_job, v_branch, p_conflict ->> 'theirs_sha');
  end if;
  v_decision := private.decide_conflict(v_job, v_kind, v_branch, v_rival,
    coalesce((p_conflict ->> 'in_vain')::boolean, false));

  if v_decision = 'noted' then
    perform private.note_conflict(v_rival, v_job, p_conflict || jsonb_build_object('branch', v_job.branch,
      'ours_sha', p_conflict -> 'theirs_sha', 'theirs_sha', p_conflict -> 'ours_sha',
      'files', (select jsonb_agg(f || jsonb_build_object('ours', f -> 'theirs', 'theirs', f -> 'ours'))
        from jsonb_array_elements(p_conflict -> 'files') f)), 'noted');
  elsif v_decision <> 'go_on' then
    perform private.note_conflict(v_job, v_rival, p_conflict, v_decision);
    perform private.note_attempt(v_job, jsonb_populate_record(null::private.job_report, p_conflict));
    perform private.return_conflict(v_job, v_rival, p_conflict, v_decision = 'paused');
  end if;
  return json_build_object('decision', case v_decision when 'noted' then 'go_on' else v_decision end,
    'task_id', v_rival.task_id, 'task_code', (select t.code from public.tasks t where t.id = v_rival.task_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.revoke_invitation(p_invitation_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_invitation public.product_invitations;
begin
  select i.* into v_invitation from public.product_invitations i where i.id = p_invitation_id;
  if not found then
    perform private.refuse(404, 'No such invitation. It was used or revoked, or it has expired.');
  end if;
  perform private.require_write('product', v_invitation.product_id);
  perform private.require_product_owner(v_invitation.product_id);
  delete from public.product_invitations i where i.id = p_invitation_id;
  perform private.audit(auth.uid(), auth.uid(), 'invitation.revoked',
    jsonb_build_object('product_id', v_invitation.product_id, 'invitation_id', p_invitation_id));
  if v_invitation.invited_user_id is not null then
    perform private.notify_invitee(v_invitation.invited_user_id, p_invitation_id);
  end if;
  return json_build_object('id', p_invitation_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.set_budget_settings(p_product_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_settings public.budget_settings;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.require_person();
  v_settings := jsonb_populate_record(private.budget_settings_of(p_product_id), p_changes - 'product_id');
  if not exists (select from pg_catalog.pg_timezone_names z where z.name = v_settings.time_zone) then
    perform private.refuse(422, 'time_zone must be a name like Europe/Paris.',
      '{"issues":[{"path":"time_zone","message":"Not a known time zone."}]}');
  end if;
  if v_settings.unreported is null or v_settings.unreported not in ('allow', 'refuse')
    or coalesce(v_settings.expected_tokens, 0) <= 0 or coalesce(v_settings.expected_cost, 0) <= 0 then
    perform private.refuse(422, 'unreported is allow or refuse; expected_tokens and expected_cost are more than 0.');
  end if;
  insert into public.budget_settings (product_id, time_zone, unreported, expected_tokens, expected_cost)
  values (p_product_id, v_settings.time_zone, v_settings.unreported, v_settings.expected_tokens, v_settings.expected_cost)
  on conflict (product_id) do update
  set time_zone = excluded.time_zone, unreported = excluded.unreported, expected_tokens = excluded.expected_tokens,
      expected_cost = excluded.expected_cost;
  perform private.apply_budgets(p_product_id);
  return to_jsonb(v_settings) - 'product_id';
end;
$function$;

CREATE OR REPLACE FUNCTION operations.set_task_status(p_task_id uuid, p_status text, p_confirmed boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status := private.parse_task_status(coalesce(p_status, ''));
begin
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, v_status);
  perform private.require_unblocked(p_task_id, v_status, p_confirmed);
  update public.tasks t set status = v_status where t.id = p_task_id and t.status <> v_status;
  return (select private.with_labels(row_to_json(t), k.label_ids)::jsonb || private.released()
    from private.task_shape t join public.tasks k on k.id = t.id where t.id = p_task_id);
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
    perform private.apply_budgets(v_product_id);
  end loop;

  if (coalesce(p_full, false) or extract(second from v_now) < 5)
    and pg_try_advisory_xact_lock(hashtextextended('backloom:sweep', 0)) then
    v_removed := private.remove_stale_rows();
  end if;
  return json_build_object('taken_back', v_taken_back, 'expired_questions', v_questions, 'removed', v_removed,
    'due_recurrences', (select count(*) from public.recurrences r join public.products p on p.id = r.product_id and p.archived_at is null where r.next_at <= v_now), 'ran_at', v_now);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_task(p_task_id uuid, p_status text DEFAULT NULL::text, p_implementation_plan text DEFAULT NULL::text, p_verify_only boolean DEFAULT NULL::boolean, p_verify_required text DEFAULT NULL::text, p_labels jsonb DEFAULT NULL::jsonb, p_expected_version jsonb DEFAULT NULL::jsonb, p_who jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status;
  v_label_ids uuid[];
  v_answer jsonb;
begin
  if p_status is null and p_implementation_plan is null and p_labels is null and coalesce(p_who, '{}') = '{}' then
    raise exception using errcode = 'PT422', message = 'Give at least one of status and implementation_plan.',
      detail = '{"issues":[{"path":"","message":"At least one of status and implementation_plan is required."}]}';
  end if;
  perform private.parse_choice('status', p_status, '{todo,in_progress,done}');
  perform private.parse_choice('verify_required', p_verify_required, '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  v_label_ids := private.require_labels(private.require_write('task', p_task_id), p_labels);
  if p_expected_version is not null then
    perform private.require_version('task', p_task_id, jsonb_strip_nulls(jsonb_build_object('status', p_status,
      'implementation_plan', p_implementation_plan, 'verify_only', p_verify_only, 'verify_required', p_verify_required,
      'labels', p_labels, 'expected_version', p_expected_version)) || coalesce(p_who, '{}'));
  end if;
  v_status := private.parse_task_status(p_status);
  perform private.require_proof(p_task_id, v_status), private.require_unblocked(p_task_id, v_status, false);

  update public.tasks t
  set status = coalesce(v_status, t.status),
      implementation_plan = coalesce(p_implementation_plan, t.implementation_plan),
      label_ids = coalesce(v_label_ids, t.label_ids),
      agent = case when p_who ? 'agent' then p_who ->> 'agent' else t.agent end,
      model = case when p_who ? 'model' then p_who ->> 'model' else t.model end,
      effort = case when p_who ? 'effort' then p_who ->> 'effort' else t.effort end,
      verify_only = coalesce(p_verify_only, t.verify_only),
      verify_required = coalesce(p_verify_required::public.verify_required, t.verify_required)
  where t.id = p_task_id
  returning jsonb_build_object(
    'id', t.id,
    'status', case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end,
    'implementation_plan', t.implementation_plan,
    'version', t.version
  ) || case when p_labels is null then '{}' else private.with_labels('{"of":0}', t.label_ids)::jsonb - 'of' end
  into v_answer;
  return v_answer || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION private.act_on_budget_answer(p_question public.agent_questions, p_option integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_budget public.budgets;
begin
  select r.* into v_run from public.sprint_runs r
  where r.pause_question_id = p_question.id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget';
  if not found then
    return;
  end if;
  perform private.require_person();
  if p_option is null then
    perform private.refuse(422, 'Choose one of the options: raise the budget, finish, or stop.');
  end if;
  if p_option = 2 then
    perform private.end_run(v_run, 'CANCELLED', 'The run was stopped at its budget.', null);
    return;
  end if;

  perform private.require_product_owner(p_question.product_id);
  select b.* into v_budget from public.budgets b where b.id = (v_run.pause_context ->> 'budget_id')::uuid;
  if p_option = 0 then
    perform private.raise_budget(v_budget, v_budget.amount + (v_run.pause_context ->> 'raise_by')::numeric);
    perform private.apply_budgets(p_question.product_id);
    return;
  end if;
  v_run := private.continue_run(v_run);
  update public.budgets b
  set finish_job_ids = private.jobs_to_finish(v_run, v_budget)
  where b.id = v_budget.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.after_job_change(p_old public.agent_jobs, p_new public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_has_status_changed boolean := p_new.status <> p_old.status;
  v_was_held boolean := p_old.status in ('CLAIMED', 'RUNNING');
  v_has_ended boolean := p_new.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED');
begin
  if v_has_status_changed and p_new.task_id is not null and p_new.status not in ('QUEUED', 'CANCELLED') then
    perform private.advance_task(p_new);
  end if;

  if p_new.attempt <> p_old.attempt then
    perform private.begin_attempt(p_new);
  elsif v_was_held and p_new.status not in ('CLAIMED', 'RUNNING') then
    perform private.end_attempt(p_old, p_new), private.evaluate_lessons(p_new.product_id, false);
  end if;

  -- A lost or taken-over attempt can report no more, so the usage it has reported so far is final.
  if (p_old.attempt > 0 and p_new.attempt <> p_old.attempt)
    or (v_was_held and p_new.status in ('QUEUED', 'FAILED') and p_new.failure_class = 'infrastructure') then
    perform private.keep_usage_so_far(p_old.id, p_old.attempt);
  end if;

  if v_was_held and p_new.status in ('DONE', 'SKIPPED') then
    perform private.release_noted(p_new.sprint_run_id);
  end if;

  if p_old.sprint_run_id is not null and p_old.status in ('QUEUED', 'CLAIMED', 'RUNNING') and v_has_ended then
    perform private.advance_branch_queue(p_old);
  end if;

  -- A dependency may be added while a job is at work. If the job returns and its blocker is behind it in the same branch
  -- queue, the turn passes on, or nothing would ever begin.
  if v_was_held and p_new.status = 'QUEUED' and p_new.open_blockers > 0 and p_new.in_turn and p_new.sprint_run_id is not null then
    perform private.pass_turn(p_new.sprint_run_id, p_new.lane_id);
  end if;

  if (v_has_status_changed and v_has_ended)
    or (p_new.status = 'QUEUED' and p_old.phase = 'implement' and p_new.phase in ('verify', 'review')) then
    perform private.close_messages(p_old, p_new);
  end if;

  if p_old.phase = 'plan' and v_has_ended then
    perform private.close_question(p_old.parked_question_id);
  end if;

  -- Failed jobs of ideas need a person and appear in the inbox at once.
  if v_has_status_changed and 'FAILED' in (p_old.status, p_new.status) and p_new.idea_id is not null then
    perform private.emit_to_members(p_new.product_id,
      jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_new.id, 'product_id', p_new.product_id));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.after_story_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'INSERT' then
    perform private.derive_pbis(array(select distinct n.pbi_id from new_stories n));
    perform private.notify_triage(array(select distinct n.product_id from new_stories n where n.in_triage and not n.is_template));
    return null;
  elsif tg_op = 'DELETE' then
    perform private.derive_pbis(array(select distinct o.pbi_id from old_stories o));
    perform private.notify_triage(array(select distinct o.product_id from old_stories o where o.in_triage));
    return null;
  end if;

  perform private.derive_pbis(array(
    select c.pbi_id
    from new_stories n
    join old_stories o on o.id = n.id
    cross join lateral (values (n.pbi_id), (o.pbi_id)) as c (pbi_id)
    where n.status <> o.status or n.pbi_id <> o.pbi_id));

  -- A burn-down shows the tasks in the sprint on each day: those that join late do not change earlier days, and those
  -- that leave stay in the days they were there.
  insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
  select t.id, t.story_id, t.product_id, n.sprint_id, t.status, t.status
  from new_stories n
  join old_stories o on o.id = n.id and o.sprint_id is distinct from n.sprint_id
  join public.tasks t on t.story_id = n.id;

  -- A done story releases the tasks of the stories it blocks, a reopened one blocks them again.
  perform private.recount_blocked((
    select array_agg(t.id)
    from new_stories n
    join old_stories o on o.id = n.id and (o.status = 'DONE') <> (n.status = 'DONE')
    join public.story_dependencies d on d.blocker_id = n.id
    join public.tasks t on t.story_id = d.blocked_id));

  perform private.notify_triage(array(
    select distinct n.product_id from new_stories n join old_stories o on o.id = n.id and o.in_triage <> n.in_triage));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.after_task_change(p_old public.tasks, p_new public.tasks)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_has_moved boolean := p_new.story_id <> p_old.story_id;
  v_was_done boolean := p_old.status = 'DONE';
  v_is_done boolean := p_new.status = 'DONE';
begin
  -- The history behind burn-down and cycle time.
  insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
  values (p_new.id, p_new.story_id, p_new.product_id,
    (select s.sprint_id from public.stories s where s.id = p_new.story_id), p_old.status, p_new.status);

  if p_new.status <> p_old.status and 'REVIEW' in (p_old.status, p_new.status) then
    perform private.list_in_review(p_new.id);
  end if;

  -- A done task releases what waits for it, a reopened one blocks it again; a moved one is blocked by the blockers of its
  -- new story.
  if v_is_done <> v_was_done or v_has_moved then
    perform private.recount_after_task(p_old, p_new);
  end if;

  if p_new.status = 'FAILED' and p_old.status <> 'FAILED' then
    perform private.stop_failed_run(p_new);
  end if;
  if v_is_done and not v_was_done then
    perform private.finish_elsewhere(p_new.id);
  end if;

  if p_new.status = 'REVIEW' and p_old.status <> 'REVIEW' then
    perform private.notify_review(p_new);
  end if;
  if p_new.status <> p_old.status and 'REVIEW' in (p_old.status, p_new.status) then
    perform private.emit_to_members(p_new.product_id,
      jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_new.id, 'product_id', p_new.product_id));
  end if;

  -- Last, because the steps above may have changed other tasks of the story. The PBI follows its story.
  if v_has_moved or (p_new.status <> p_old.status
      and (p_new.status in ('DONE', 'FAILED') or p_old.status in ('DONE', 'FAILED'))) then
    perform private.derive_stories(array[p_new.story_id, p_old.story_id]);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.apply_budget(p_budget public.budgets)
 RETURNS public.budgets
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_work record;
  v_left numeric;
  v_reached_at timestamptz := case when private.is_budget_reached(p_budget) then p_budget.reached_at end;
  v_budget public.budgets;
begin
  perform private.sum_budget(p_budget);
  if v_reached_at is null and p_budget.due_at is not null then
    select * into v_work from private.budget_at_work(p_budget);
    v_left := p_budget.amount - private.budget_spent(p_budget);
    if v_work.jobs = 0 and v_left <= private.expected_use(p_budget.product_id, p_budget.unit, null) / 10 then
      v_reached_at := private.now();
    end if;
  end if;
  update public.budgets b
  set reached_at = v_reached_at, due_at = null,
      overshoot = greatest(b.overshoot, private.budget_spent(b) - b.amount)
  where b.id = p_budget.id
  returning b.* into v_budget;
  return v_budget;
end;
$function$;

CREATE OR REPLACE FUNCTION private.apply_budgets(p_product_id uuid, p_job_id uuid DEFAULT NULL::uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_run public.sprint_runs;
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_product_id and (b.due_at is not null or b.reached_at is not null)
    order by b.id
  loop
    v_budget := private.apply_budget(v_budget);
    continue when v_budget.reached_at is null;
    for v_run in
      select r.* from public.sprint_runs r
      where r.product_id = p_product_id and r.status in ('QUEUED', 'RUNNING')
        and exists (
          select from public.agent_jobs j
          where j.sprint_run_id = r.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and j.phase <> 'review'
            and private.budget_covers(v_budget, j))
        and not exists (
          select from public.agent_jobs j
          where j.sprint_run_id = r.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and j.id = any (v_budget.finish_job_ids))
      order by r.id
    loop
      perform private.pause_for_budget(v_run, v_budget, p_job_id);
    end loop;
  end loop;

  for v_run in
    select r.* from public.sprint_runs r
    where r.product_id = p_product_id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget'
      and not exists (
        select from public.budgets b
        where b.id = (r.pause_context ->> 'budget_id')::uuid and b.reached_at is not null)
    order by r.id
  loop
    perform private.close_question(v_run.pause_question_id);
    perform private.continue_run(v_run);
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_headroom(p_product_id uuid, p_worker_id uuid, p_wait boolean)
 RETURNS private.budget_room[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_rooms private.budget_room[] := '{}';
  v_room private.budget_room;
  v_model_id text;
  v_spent numeric;
  v_work record;
  v_last_line bigint;
begin
  if not exists (select from public.budgets b where b.product_id = p_product_id) then
    return null;
  end if;
  if p_wait then
    perform pg_advisory_xact_lock(hashtextextended('budgets:' || p_product_id::text, 0));
  elsif not pg_try_advisory_xact_lock(hashtextextended('budgets:' || p_product_id::text, 0)) then
    return private.closed_budgets(p_product_id);
  end if;

  if (private.budget_settings_of(p_product_id)).unreported = 'refuse' and not private.reports_usage(p_worker_id) then
    return private.closed_budgets(p_product_id);
  end if;
  v_last_line := private.last_line(p_product_id);
  v_model_id := private.model_of_worker(p_worker_id);
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_product_id
      and not exists (select from public.sprint_runs r where r.id = b.sprint_run_id and r.finished_at is not null)
    order by b.unit, b.id
  loop
    v_spent := private.budget_spent(v_budget);
    select * into v_work from private.budget_at_work(v_budget);
    -- What a task is expected to use is the same for all budgets in one unit.
    v_room := (v_budget.id, v_budget.unit, v_budget.amount - v_spent - v_work.reserved,
      case when v_room.unit = v_budget.unit then v_room.need else private.expected_use(p_product_id, v_budget.unit, v_model_id) end,
      null);
    v_room.is_full := private.is_budget_reached(v_budget)
      or (v_room.room < v_room.need and (v_work.jobs > 0 or v_room.room <= v_room.need / 10));
    v_rooms := v_rooms || v_room;
    perform private.warn_of_budget(v_budget, v_spent);
    if v_room.is_full and v_work.jobs = 0
      or coalesce((select s.last_id from private.budget_sums s where s.budget_id = v_budget.id), 0) < v_last_line - 1000 then
      update public.budgets b set due_at = private.now()
      where b.id in (select x.id from public.budgets x where x.id = v_budget.id and x.due_at is null for update skip locked);
    end if;
  end loop;
  return v_rooms;
end;
$function$;

CREATE OR REPLACE FUNCTION private.can_read_conversation(p_job public.agent_jobs)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_job.kind <> 'PLAN_CHAT' or coalesce(p_job.created_by = auth.uid(), false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.close_messages(p_old public.agent_jobs, p_new public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_new.status in ('DONE', 'SKIPPED', 'QUEUED') then
    update public.agent_messages m
    set state = 'acted_on', attempt = coalesce(m.attempt, p_new.attempt), seen_at = coalesce(m.seen_at, private.now())
    where m.job_id = p_new.id and (m.state = 'seen' or (m.state = 'sent' and p_old.phase = 'implement' and m.sent_at <= (
      select a.started_at from public.job_attempts a where a.job_id = p_new.id and a.attempt = p_new.attempt)));
  end if;
  if p_new.status in ('DONE', 'SKIPPED', 'FAILED', 'CANCELLED') then
    update public.agent_messages m
    set state = 'undelivered', reason = format('The job %s before its agent saw this.',
      case p_new.status when 'FAILED' then 'failed' when 'CANCELLED' then 'was cancelled' else 'was done' end)
    where m.job_id = p_new.id and m.state = 'sent';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.deliver_messages(p_job public.agent_jobs, p_seen jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_told uuid[];
begin
  if p_job.phase = 'verify' or not exists (
    select from public.agent_messages m where m.job_id = p_job.id and m.state in ('sent', 'seen'))
  then
    return null;
  end if;
  if p_seen is not null then
    update public.agent_messages m
    set state = 'seen', attempt = p_job.attempt, seen_at = coalesce(m.seen_at, private.now())
    where m.job_id = p_job.id and p_seen ? m.id::text
      and (m.state = 'sent' or (m.state = 'seen' and m.attempt is distinct from p_job.attempt));
    return private.messages_json(array(
      select m.id from public.agent_messages m where m.job_id = p_job.id and m.state = 'sent'));
  end if;
  with told as (
    update public.agent_messages m
    set state = 'seen', attempt = p_job.attempt, seen_at = coalesce(m.seen_at, private.now()),
        told = case when m.attempt is distinct from p_job.attempt then 1 else m.told + 1 end
    where m.job_id = p_job.id
      and (m.state = 'sent' or (m.state = 'seen' and (m.attempt is distinct from p_job.attempt or m.told < 2)))
    returning m.id)
  select array_agg(t.id) into v_told from told t;
  return private.messages_json(v_told);
end;
$function$;

CREATE OR REPLACE FUNCTION private.enforce_budget(p_job public.agent_jobs, p_usage jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_is_locked boolean := current_setting('backloom.locked_product', true) = p_job.product_id::text;
  v_step numeric;
  v_left numeric;
  v_others integer;
begin
  if jsonb_typeof(p_usage -> 'models') = 'array' then
    perform private.note_usage_so_far(p_job, p_usage);
  end if;
  if not exists (select from public.budgets b where b.product_id = p_job.product_id) then
    return null;
  end if;

  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    order by b.id
  loop
    v_step := private.note_budget_step(p_job, v_budget.unit);
    select v_budget.amount - private.budget_spent(v_budget) - w.reserved, w.jobs into v_left, v_others
    from private.budget_at_work(v_budget, p_job.id) w;
    perform private.warn_of_budget(v_budget, private.budget_spent(v_budget));
    continue when not v_is_locked;
    if v_left <= 0 or (v_others > 0 and v_left < v_step and private.budget_need(p_job, null) is not null) then
      return private.stop_for_budget(p_job, v_budget);
    end if;
    update public.budget_reservations r
    set amount = private.attempt_used(p_job.id, p_job.attempt, r.unit)
      + least(v_left, greatest(2 * v_step, private.expected_use(p_job.product_id, r.unit, p_job.model_id) / 2))
    where r.job_id = p_job.id and r.unit = v_budget.unit and r.attempt = p_job.attempt
      and r.amount < private.attempt_used(p_job.id, p_job.attempt, r.unit) + v_step;
  end loop;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.evaluate_lessons(p_product_id uuid, p_again boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not exists (select from public.lessons l where l.product_id = p_product_id and l.status = 'accepted') then
    return;
  end if;
  update public.lessons l
  set weighed_at = private.now(), has_effect = w.after[1]::bigint * l.before[2] < l.before[1]::bigint * w.after[2]
  from (
    select d.id, private.effect_since(d) as after
    from (
      select o.* from public.lessons o
      where o.product_id = p_product_id and o.status = 'accepted' and o.has_effect is not false
        and (p_again or o.weighed_at is null)
      for update skip locked) d
  ) w
  where l.id = w.id and w.after[2] >= 30;
end;
$function$;

CREATE OR REPLACE FUNCTION private.gate_reasons(p_job public.agent_jobs, p_gate text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_question public.agent_questions;
  v_first public.agent_jobs;
begin
  case p_gate
  when 'review' then
    return private.review_reasons(p_job);
  when 'held' then
    return private.held_reasons(p_job);
  when 'plan' then
    return private.plan_reasons(p_job);
  when 'paused' then
    select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
    return jsonb_build_array(jsonb_build_object('code', 'paused',
      'message', format('The run is paused (%s). Resume it when it can continue.', replace(v_run.pause_context ->> 'reason', '_', ' ')),
      'sprint_run_id', v_run.id, 'pause_context', v_run.pause_context, 'question_id', v_run.pause_question_id));
  when 'question' then
    select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
    return jsonb_build_array(jsonb_build_object('code', 'question',
      'message', case
        when v_question.expires_at <= private.now() then 'The question it is waiting for was not answered in time'
        when v_question.kind = 'permission' then format('It is waiting for a permission that only %s can give', private.username(v_question.reader_id))
        else 'It is waiting for the answer to a question' end
        || case when private.can_read_conversation(p_job) and (v_question.reader_id is null or v_question.reader_id = auth.uid())
          then ': ' || left(v_question.question, 300) else '.' end,
      'question_id', v_question.id, 'assignee_id', v_question.assignee_id, 'expires_at', v_question.expires_at));
  when 'not_before' then
    return jsonb_build_array(jsonb_build_object('code', 'not_before',
      'message', format(case p_job.failure_class when 'rate_limited' then 'It is rate-limited until %s.'
        else 'Its last attempt failed; it can be tried again at %s.' end, private.time_text(p_job.not_before)),
      'not_before', p_job.not_before));
  when 'dependency' then
    return private.job_dependency_reasons(p_job);
  when 'order' then
    select j.* into v_first from public.agent_jobs j
    where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.in_turn desc, j.position limit 1;
    -- It waits for an answer first, and then takes its turn.
    if v_first.id = p_job.id then
      return '[]';
    end if;
    return jsonb_build_array(jsonb_build_object('code', 'order',
      'message', format('Jobs on branch %s run one after another; task %s comes first and is %s.', p_job.branch,
        (select t.code from public.tasks t where t.id = v_first.task_id), lower(v_first.status::text)),
      'job_id', v_first.id, 'task_id', v_first.task_id));
  when 'archived' then
    return jsonb_build_array(jsonb_build_object('code', 'archived', 'message', 'The product is archived.'));
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_allowed_repo(p_address text, p_named jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return p_named is null or p_named ? p_address or exists (
    select from jsonb_array_elements_text(p_named) n
    where n like '%/' and starts_with(p_address, n) and p_address !~* '(^|[/:\\])\.{1,2}([/\\]|$)|%2e|%2f|%5c');
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_end_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_worker record;
begin
  if p_job.status in ('CLAIMED', 'RUNNING') and private.is_in_hand(p_job) then
    return private.held_reasons(p_job);
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    select w.name, w.last_seen_at into v_worker from public.agent_workers w where w.id = p_job.worker_id;
    return jsonb_build_array(jsonb_build_object('code', 'lease',
      'message', format('Worker %s holds the job until %s (attempt %s%s).', coalesce(v_worker.name, 'unknown'),
        private.time_text(p_job.lease_until), p_job.attempt,
        case when p_job.lease_until <= private.now() then '; the lease has expired, so the job returns to the queue within seconds' else '' end),
      'worker_id', p_job.worker_id, 'worker_name', v_worker.name, 'lease_until', p_job.lease_until, 'last_seen_at', v_worker.last_seen_at));
  end if;
  return jsonb_build_array(jsonb_build_object(
    'code', case when p_job.status = 'FAILED' and p_job.failure_class = 'infrastructure' and p_job.retry_count >= 3
      then 'budget' else 'finished' end,
    'message', format('The job is %s%s', lower(p_job.status::text),
      coalesce(': ' || case when private.can_read_conversation(p_job) then p_job.failure_reason end, '.')),
    'failure_class', p_job.failure_class, 'finished_at', p_job.finished_at));
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_json(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v record;
  v_costs jsonb := private.job_costs(p_job.id);
begin
  select t.code as task_code, t.title as task_title, t.status as task_status, t.story_id, s.code as story_code, s.title as story_title,
    p.code as product_code, w.name as worker_name, i.code as idea_code
  into v
  from (select) as job
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.products p on p.id = p_job.product_id
  left join public.agent_workers w on w.id = p_job.worker_id
  left join public.ideas i on i.id = p_job.idea_id;

  if not private.can_read_conversation(p_job) then
    p_job.summary := null;
    p_job.failure_reason := null;
    p_job.evidence := null;
    v.idea_code := null;
  end if;
  return to_jsonb(p_job) - '{lane_id,claim_rank,taken_by,taken_until,take_at_once}'::text[] || jsonb_build_object(
    'holder', case when private.is_in_hand(p_job) then 'person' end,
    'holder_name', case when private.is_in_hand(p_job) then private.username(p_job.taken_by) end,
    'status', lower(p_job.status::text),
    'task_code', v.task_code,
    'task_title', v.task_title,
    'task_status', case v.task_status when 'TO_DO' then 'todo' else lower(v.task_status::text) end,
    'story_id', v.story_id,
    'story_code', v.story_code,
    'story_title', v.story_title,
    'idea_code', v.idea_code,
    'product_code', v.product_code,
    'worker_name', v.worker_name,
    'pull', (
      select private.pull_json(p) from public.pulls p
      where p.product_id = p_job.product_id and p.branch = p_job.branch
      order by p.number desc limit 1),
    'doing', case when p_job.status in ('CLAIMED', 'RUNNING') then private.doing_now(p_job.id, p_job.attempt) end,
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_personal_invitation(p_product_id uuid, p_user_id uuid, p_role public.member_role)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid;
begin
  delete from public.product_invitations i where i.product_id = p_product_id and i.expires_at <= private.now();
  insert into public.product_invitations (product_id, role, invited_user_id, created_by)
  values (p_product_id, p_role, p_user_id, auth.uid())
  on conflict (product_id, invited_user_id) do nothing
  returning id into v_id;
  if v_id is null then
    perform private.refuse(409, 'This person is invited already. The invitation waits in their inbox.');
  end if;
  perform private.audit(p_user_id, auth.uid(), 'invitation.asked',
    jsonb_build_object('product_id', p_product_id, 'invitation_id', v_id, 'role', p_role));
  perform private.notify_invitee(p_user_id, v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.mention_members(p_comment public.comments)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_prose text := regexp_replace(regexp_replace(p_comment.body, '(```|~~~).*?(\1|$)', ' ', 'g'), '`[^`\n]*`', ' ', 'g');
  v_members uuid[];
  v_user_id uuid;
begin
  select coalesce(array_agg(m.user_id), '{}') into v_members
  from public.product_members m
  join public.users u on u.id = m.user_id
  where m.product_id = p_comment.product_id and m.user_id is distinct from p_comment.author_id
    and lower(u.username) in (
      -- "@ada." ends a sentence: the name may be there with its last signs or without them.
      select n.name from regexp_matches(lower(v_prose), '(?:^|[^a-z0-9._@/-])@([a-z0-9][a-z0-9._-]{0,39})', 'g') f (found)
      cross join lateral (values (f.found[1]), (rtrim(f.found[1], '._-'))) n (name));

  delete from public.comment_mentions o where o.comment_id = p_comment.id and o.user_id <> all (v_members);
  for v_user_id in
    insert into public.comment_mentions (comment_id, user_id)
    select p_comment.id, m from unnest(v_members) m
    on conflict do nothing
    returning user_id
  loop
    perform private.notify_mentioned(p_comment, v_user_id);
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_return(p_job public.agent_jobs, p_cause text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.task_returns (job_id, attempt, cause, product_id, task_id, begun_at)
  select p_job.id, p_job.attempt, p_cause, p_job.product_id, p_job.task_id, coalesce((
    select a.started_at from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_job.attempt), private.now())
  where p_cause is not null and p_job.task_id is not null
  on conflict do nothing;
  perform private.evaluate_lessons(p_job.product_id, true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.notify_invitee(p_user_id uuid, p_invitation_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.emit('user:' || p_user_id,
    jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_invitation_id, 'product_id', null));
end;
$function$;

CREATE OR REPLACE FUNCTION private.notify_mentioned(p_comment public.comments, p_user_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kind text := private.place_of_comment(p_comment);
  v_id uuid := coalesce(p_comment.pbi_id, p_comment.story_id, p_comment.task_id);
begin
  perform private.queue_notices('mentioned', p_comment.product_id, p_user_id, true,
    format('%s mentioned you in %s', p_comment.author, private.code_of(v_kind, v_id)), p_comment.body,
    private.comment_path(p_comment),
    jsonb_build_object('comment_id', p_comment.id, 'kind', v_kind, 'id', v_id), p_user_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.notify_triage(p_product_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.emit_to_members(p.id, jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p.id, 'product_id', p.id))
  from unnest(p_product_ids) as p (id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.put_budget(p_product_id uuid, p_scope text, p_period text, p_target_id uuid, p_unit text, p_amount numeric)
 RETURNS public.budgets
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_scope text := lower(private.require_choice('scope', p_scope, array['PRODUCT', 'SPRINT', 'RUN', 'TASK']));
  v_period text := lower(private.require_choice('period', p_period, array['DAY', 'WEEK', 'MONTH']));
  v_budget public.budgets;
begin
  if v_scope is null or (v_scope = 'product') <> (v_period is not null) then
    perform private.refuse(422, 'A budget of a product has a period: day, week or month; one of a sprint, run or task has none.');
  end if;
  if (v_scope = 'product') <> (p_target_id is null) then
    perform private.refuse(422, format('Name the %s that the budget is for.', coalesce(v_scope, 'scope')));
  end if;
  if coalesce(p_unit, '') !~ '^(tokens|[A-Z]{3})$' then
    perform private.refuse(422, 'unit is tokens, or a currency as three capital letters.');
  end if;
  if p_amount is null or p_amount <= 0 or p_amount > 1000000000000 then
    perform private.refuse(422, 'amount must be more than 0 and at most 1000000000000.');
  end if;
  if v_scope = 'sprint' and not exists (select from public.sprints s where s.id = p_target_id and s.product_id = p_product_id)
    or v_scope = 'run' and not exists (select from public.sprint_runs r where r.id = p_target_id and r.product_id = p_product_id)
    or v_scope = 'task' and not exists (select from public.tasks t where t.id = p_target_id and t.product_id = p_product_id) then
    perform private.refuse(422, format('There is no such %s in this product.', v_scope));
  end if;

  select b.* into v_budget from public.budgets b
  where b.product_id = p_product_id and b.scope = v_scope and b.period is not distinct from v_period and b.unit = p_unit
    and coalesce(b.sprint_id, b.sprint_run_id, b.task_id) is not distinct from p_target_id;
  if not found then
    insert into public.budgets (product_id, scope, period, sprint_id, sprint_run_id, task_id, unit, amount, due_at, created_by)
    values (p_product_id, v_scope, v_period, case when v_scope = 'sprint' then p_target_id end,
      case when v_scope = 'run' then p_target_id end, case when v_scope = 'task' then p_target_id end, p_unit, p_amount,
      private.now(), auth.uid())
    returning * into v_budget;
    perform private.audit(auth.uid(), auth.uid(), 'budget.set', jsonb_build_object('product_id', p_product_id,
      'budget', private.budget_name(v_budget), 'unit', p_unit, 'amount', p_amount));
  else
    perform private.raise_budget(v_budget, p_amount);
  end if;
  perform private.apply_budgets(p_product_id);
  select b.* into v_budget from public.budgets b where b.id = v_budget.id;
  return v_budget;
end;
$function$;

CREATE OR REPLACE FUNCTION private.recount_after_task(p_old public.tasks, p_new public.tasks)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_task_ids uuid[];
begin
  -- A batch counts for its tasks, so one in a batch is counted anew itself.
  v_task_ids := array(
    select d.blocked_id from public.task_dependencies d where d.blocker_id = p_new.id
    union all
    (select e.task_id from public.task_executions e where e.task_id = p_new.id limit 1)
    union all
    select e.task_id from public.story_dependencies d
    join public.tasks t on t.story_id = d.blocked_id
    join public.task_executions e on e.task_id = t.id and e.status in ('PENDING', 'RUNNING')
    where d.blocker_id = p_new.story_id);
  if p_new.story_id <> p_old.story_id then
    perform private.refuse_moved_cycle(p_new.id);
    v_task_ids := v_task_ids || p_new.id || private.waiting_for('{}', array[p_old.story_id, p_new.story_id]);
  end if;
  if v_task_ids <> '{}' then
    perform private.recount_blocked(v_task_ids);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.recount_blocked(p_task_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_task_ids is null then
    return;
  end if;
  if coalesce(current_setting('backloom.shared_product', true), '') = '' then
    perform private.recount_blockers(p_task_ids), private.note_released(p_task_ids);
    return;
  end if;
  perform set_config('backloom.waiting',
    concat_ws(',', nullif(current_setting('backloom.waiting', true), ''), array_to_string(p_task_ids, ',')), true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_unblocked(p_task_id uuid, p_status public.task_status, p_confirmed boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_task record;
  v_codes text[];
  v_words text;
begin
  if p_status is null or p_status not in ('IN_PROGRESS', 'REVIEW') then
    return;
  end if;
  -- Most tasks wait for nothing, and that is asked more cheaply than what they wait for.
  if not exists (select from private.task_blockers b where b.task_id = p_task_id and not b.resolved) then
    return;
  end if;
  select array_agg(b.code order by b.sort_order, b.code), string_agg(b.code, ', ' order by b.sort_order, b.code)
  into v_codes, v_words
  from private.task_blockers b where b.task_id = p_task_id and not b.resolved;
  select t.code, t.product_id, t.status into v_task from public.tasks t where t.id = p_task_id;
  if v_task.status not in ('TO_DO', 'FAILED') then
    return;
  end if;

  if private.is_token() then
    perform private.refuse(409, format('%s is blocked by %s. Finish that first; only a person can start it anyway.', v_task.code, v_words),
      jsonb_build_object('blocked_by', v_codes));
  end if;
  if not coalesce(p_confirmed, false) then
    perform private.refuse(409, format('%s is blocked by %s. Finish that first, or start it anyway.', v_task.code, v_words), jsonb_build_object('blocked_by', v_codes,
      'begin', jsonb_build_object('task_id', p_task_id, 'status', private.task_status_word(p_status))));
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'task.begun_waiting', jsonb_build_object('product_id', v_task.product_id,
    'task_id', p_task_id, 'code', v_task.code, 'blocked_by', v_codes));
end;
$function$;

CREATE OR REPLACE FUNCTION private.return_conflict(p_job public.agent_jobs, p_rival public.agent_jobs, p_conflict jsonb, p_pause boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
begin
  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id for update;
  if p_pause and v_run.status in ('QUEUED', 'RUNNING') then
    perform private.pause_run(v_run, 'merge_conflict', coalesce(p_conflict ->> 'pr_url', p_job.pr_url),
      (select jsonb_agg(f -> 'path') from jsonb_array_elements(p_conflict -> 'files') f), p_job.id,
      array(select t.code from public.tasks t where t.id in (p_job.task_id, p_rival.task_id) order by (t.id = p_job.task_id) desc));
  end if;
  update public.agent_jobs j
  set status = 'QUEUED', claim_rank = 0, failure_class = null, failure_reason = null, parked_question_id = null, lease_until = null
  where j.id = p_job.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.stop_for_budget(p_job public.agent_jobs, p_budget public.budgets)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.budgets b set reached_at = private.now(), due_at = null where b.id = p_budget.id;
  update public.agent_jobs j
  set status = 'QUEUED', stopped_by_budget_id = p_budget.id, failure_class = null, failure_reason = null
  where j.id = p_job.id;
  perform private.apply_budgets(p_job.product_id, p_job.id);
  update public.agent_jobs j
  set parked_question_id = r.pause_question_id
  from public.sprint_runs r
  where j.id = p_job.id and r.id = j.sprint_run_id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget';
  return private.budget_stop_text(p_budget);
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_back_expired(p_user_id uuid, p_product_id uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_products uuid[];
  v_product_id uuid;
begin
  if not exists (
    select from public.agent_jobs j where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
  ) and not exists (
    select from public.budgets b where b.due_at is not null or (b.reached_at is not null and b.period is not null)
  ) then
    return '{}';
  end if;

  select coalesce(array_agg(x.product_id order by x.product_id), '{}')
  into v_products
  from (
    select distinct j.product_id
    from public.agent_jobs j
    join public.product_members m on m.product_id = j.product_id and m.user_id = p_user_id
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
      and (p_product_id is null or j.product_id = p_product_id)
    union
    select d.product_id
    from private.products_with_due_budgets() as d (product_id)
    join public.product_members m on m.product_id = d.product_id and m.user_id = p_user_id
    where p_product_id is null or d.product_id = p_product_id
  ) x;

  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  foreach v_product_id in array v_products loop
    perform private.requeue_expired_leases(v_product_id);
    perform private.apply_budgets(v_product_id);
  end loop;
  return v_products;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__settle_merged()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if (select p.dependency_release from public.products p where p.id = old.product_id) = 'merged' then
    perform private.recount_blocked(nullif(private.waiting_for(private.tasks_of_work(old.kind, old.task_id, old.sprint_run_id)), '{}'));
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__notify_inbox()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit_to_members(new.product_id,
    jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', new.id, 'product_id', new.product_id));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_comment_mentions__notify_inbox()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_row public.comment_mentions := coalesce(new, old);
begin
  perform private.emit('user:' || v_row.user_id,
    jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', v_row.comment_id, 'product_id', null));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__follow()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'UPDATE' then
    perform private.after_task_change(old, new);
  elsif tg_op = 'INSERT' then
    perform private.derive_stories(array(select distinct n.story_id from new_tasks n));
    insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, to_status)
    select n.id, n.story_id, n.product_id, s.sprint_id, n.status
    from new_tasks n
    join public.stories s on s.id = n.story_id;
    insert into public.tasks_in_review (task_id, product_id)
    select n.id, n.product_id from new_tasks n where n.status = 'REVIEW';
    perform private.recount_blocked(nullif(private.waiting_for('{}', array(select distinct n.story_id from new_tasks n)), '{}'));
  else
    perform private.derive_stories(array(select distinct o.story_id from old_tasks o));
    perform private.recount_blocked(nullif(private.waiting_for('{}', array(select distinct o.story_id from old_tasks o)), '{}'));
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_gates(p_job private.job_gates, p_asker private.asker)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_wants private.job_wants := p_job.wants;
begin
  return array_remove(array[
    case when p_job.kind = 'PLAN_CHAT' and p_job.created_by is distinct from p_asker.user_id then 'conversation' end,
    case when p_job.phase = 'verify' and p_job.author_worker_id = p_asker.worker_id then 'needs_other_worker' end,
    case when v_wants.needs_sandbox and p_asker.confinement = 'none' then 'sandbox' end,
    case when v_wants.own_repo is not null and not private.is_allowed_repo(v_wants.own_repo, p_asker.also_repos) then 'repository' end,
    case when v_wants.agent is not null and p_asker.agents = '[]' then 'agent'
      when (v_wants.agent is not null or v_wants.model is not null or v_wants.requires_opus)
        and p_asker.agents <> '[]' and private.agent_for(v_wants, p_asker.agents) is null then 'agent' end
  ], null);
end;
$function$;

CREATE TRIGGER _900_notify_inbox AFTER INSERT OR DELETE ON public.comment_mentions FOR EACH ROW EXECUTE FUNCTION private.tg_comment_mentions__notify_inbox();

CREATE TRIGGER _910_notify_inbox AFTER INSERT OR UPDATE OF status, has_effect ON public.lessons FOR EACH ROW EXECUTE FUNCTION private.tg_any__notify_inbox();

CREATE TRIGGER _890_notify_inbox AFTER UPDATE ON public.sprint_runs FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND (('FAILED'::public.sprint_run_status = old.status) OR ('FAILED'::public.sprint_run_status = new.status)))) EXECUTE FUNCTION private.tg_any__notify_inbox();

REVOKE ALL ON FUNCTION "private"."apply_budget"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."apply_budget"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."apply_budgets"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."apply_budgets"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_headroom"(uuid, uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_headroom"(uuid, uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."can_read_conversation"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."can_read_conversation"(public.agent_jobs) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."close_messages"(public.agent_jobs, public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."close_messages"(public.agent_jobs, public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."deliver_messages"(public.agent_jobs, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."deliver_messages"(public.agent_jobs, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."enforce_budget"(public.agent_jobs, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."enforce_budget"(public.agent_jobs, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."evaluate_lessons"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."evaluate_lessons"(uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_allowed_repo"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_allowed_repo"(text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."notify_invitee"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."notify_invitee"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."notify_mentioned"(public.comments, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."notify_mentioned"(public.comments, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."notify_triage"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."notify_triage"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."recount_after_task"(public.tasks, public.tasks) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."recount_after_task"(public.tasks, public.tasks) TO "postgres";

REVOKE ALL ON FUNCTION "private"."recount_blocked"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."recount_blocked"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_unblocked"(uuid, public.task_status, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_unblocked"(uuid, public.task_status, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."return_conflict"(public.agent_jobs, public.agent_jobs, jsonb, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."return_conflict"(public.agent_jobs, public.agent_jobs, jsonb, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__notify_inbox"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_any__notify_inbox"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_comment_mentions__notify_inbox"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_comment_mentions__notify_inbox"() TO "postgres";
