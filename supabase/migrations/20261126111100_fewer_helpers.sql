-- Why: helpers with one caller are part of it where that reads better. Nothing behaves differently.
set local check_function_bodies = off;

DROP FUNCTION "private"."chat_questions"(public.agent_jobs);

DROP FUNCTION "private"."emit_job_output"(public.agent_jobs, public.job_attempts);

DROP FUNCTION "private"."export_evidence"(uuid);

DROP FUNCTION "private"."export_log"(uuid);

DROP FUNCTION "private"."export_waivers"(uuid);

DROP FUNCTION "private"."freeze_plan"(public.agent_jobs, uuid, text);

DROP FUNCTION "private"."fresh_starts_of"(uuid);

DROP FUNCTION "private"."full_budgets"(private.budget_room[]);

DROP FUNCTION "private"."has_criteria"(uuid[]);

DROP FUNCTION "private"."has_landed"(uuid);

DROP FUNCTION "private"."has_open_copy"(uuid);

DROP FUNCTION "private"."idea_payload"(uuid);

DROP FUNCTION "private"."is_output_news"(timestamp with time zone, timestamp with time zone);

DROP FUNCTION "private"."is_product_budget_reached"(uuid);

DROP FUNCTION "private"."is_taken_up"(public.stories);

DROP FUNCTION "private"."job_dependency_reasons"(public.agent_jobs);

DROP FUNCTION "private"."job_questions"(uuid);

DROP FUNCTION "private"."label_change"(jsonb, uuid);

DROP FUNCTION "private"."may_set_budgets"(uuid);

DROP FUNCTION "private"."model_of_worker"(uuid);

DROP FUNCTION "private"."park_job"(public.agent_jobs, uuid);

DROP FUNCTION "private"."release_held_tasks"(uuid);

DROP FUNCTION "private"."require_unlimited_token"();

DROP FUNCTION "private"."run_begins_from"(uuid, public.pr_strategy);

DROP FUNCTION "private"."task_history"(text, uuid);

DROP FUNCTION "private"."task_ids_of"(jsonb);

DROP FUNCTION "private"."waits_for_ci"(public.tasks_in_review);

DROP FUNCTION "private"."was_started_over"(uuid, timestamp with time zone);

CREATE OR REPLACE FUNCTION operations.append_job_output(p_job_id uuid, p_attempt integer, p_entries jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_job(p_job_id);
  v_job public.agent_jobs;
  v_attempt public.job_attempts;
  v_now timestamptz := private.now();
  v_bytes bigint;
  v_state text;
begin
  perform private.require_writer();
  perform private.require_product_write(v_product_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  v_state := private.attempt_state(v_job, p_attempt);
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  perform private.take_rate_limit('job_output', p_job_id::text);
  if pg_column_size(p_entries) > 262144 then
    perform private.refuse(422, 'A batch holds at most 64 KiB of text. Send it in parts.');
  end if;

  if v_state = 'held' and v_job.lease_until < v_now + private.lease() - interval '1 minute' then
    update public.agent_jobs j set lease_until = v_now + private.lease()
    where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING');
  end if;
  v_attempt := private.lock_attempt(v_job, p_attempt);
  -- Read under the lock: whoever had to wait for it is later than the one before.
  v_now := private.now();
  if v_attempt.ended_at < v_now - interval '10 minutes' then
    perform private.refuse(409, format('Attempt %s ended more than ten minutes ago and accepts no more output. Ask for the next job.', p_attempt));
  end if;

  with added as (
    insert into public.job_outputs (job_id, attempt, seq, at, kind, text, title, path, status)
    select p_job_id, p_attempt, e.seq, e.at, e.kind, e.text, e.title, e.path, e.status
    from jsonb_to_recordset(p_entries)
      as e (seq bigint, at timestamptz, kind text, text text, title text, path text, status text)
    on conflict (job_id, attempt, seq) do nothing
    returning private.output_bytes(job_outputs) as bytes, job_outputs.seq
  )
  select coalesce(sum(d.bytes), 0), greatest(max(d.seq), v_attempt.last_seq) into v_bytes, v_attempt.last_seq from added d;

  -- Hosted Realtime drops messages above its rate, so viewers hear of new output about once a second, and read once more a
  -- second later. Our worker sends a batch each second; the limit is slightly lower, so that each is announced.
  update public.job_attempts a
  set last_seq = v_attempt.last_seq,
      output_bytes = a.output_bytes + v_bytes,
      told_at = case when v_attempt.told_at > v_now - interval '0.8 seconds' then a.told_at else v_now end
  where a.job_id = p_job_id and a.attempt = p_attempt
  returning a.* into v_attempt;

  if v_attempt.output_bytes > 5242880 then
    perform private.drop_output_middle(v_attempt);
  end if;
  if v_attempt.told_at = v_now then
    -- An event carries only the last seq, and a line of what the agent is doing for boards; each process reads the entries
    -- once for all its viewers. The output of a conversation about an idea goes only to its owner (docs/runs.md).
    perform private.emit(
      case when v_job.kind = 'PLAN_CHAT' then 'user:' || v_job.created_by else 'product:' || v_job.product_id end,
      jsonb_build_object('op', 'U', 'entity', 'job_output', 'id', v_job.id, 'product_id', v_job.product_id,
        'job_id', v_job.id, 'task_id', v_job.task_id, 'attempt', v_attempt.attempt, 'last_seq', v_attempt.last_seq,
        'doing', private.doing_now(v_job.id, v_attempt.attempt)));
  end if;
  return json_build_object('last_seq', v_attempt.last_seq);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.ask_question(p_question text, p_story_id uuid DEFAULT NULL::uuid, p_idea_id uuid DEFAULT NULL::uuid, p_task_id uuid DEFAULT NULL::uuid, p_options jsonb DEFAULT NULL::jsonb, p_recommended_option integer DEFAULT NULL::integer, p_assignee_id uuid DEFAULT NULL::uuid, p_expires_in_seconds integer DEFAULT NULL::integer, p_on_expiry text DEFAULT NULL::text, p_escalate_to uuid DEFAULT NULL::uuid, p_park boolean DEFAULT false, p_job_id uuid DEFAULT NULL::uuid, p_attempt integer DEFAULT NULL::integer, p_kind text DEFAULT NULL::text, p_reach text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_target record;
  v_on_expiry text := coalesce(private.require_choice('on_expiry', p_on_expiry, array['STOP', 'RECOMMENDED', 'ESCALATE']), 'STOP');
  v_kind public.question_kind := lower(coalesce(private.require_choice('kind', p_kind, array['QUESTION', 'PERMISSION']), 'QUESTION'))::public.question_kind;
  v_reader_id uuid := case when p_idea_id is not null or v_kind = 'permission' then auth.uid() end;
  v_options jsonb;
  v_job public.agent_jobs;
  v_question public.agent_questions;
begin
  v_target := private.question_target(p_story_id, p_idea_id, p_task_id);
  perform private.lock_product(v_target.p_product);
  perform private.require_product_write(v_target.p_product);
  perform private.take_rate_limit('question', auth.uid()::text);
  v_options := private.check_question(p_question, p_options, p_recommended_option, p_expires_in_seconds, v_on_expiry,
    p_escalate_to, v_target.p_product);
  if p_assignee_id is not null and not exists (
    select from public.product_members m where m.product_id = v_target.p_product and m.user_id = p_assignee_id and m.role <> 'VIEWER'
  ) then
    perform private.refuse(422, 'assignee_id must be a member of the product.');
  end if;
  perform private.check_private_question(v_kind, v_reader_id, p_assignee_id, p_escalate_to, v_on_expiry, p_reach);
  if p_park and p_job_id is null then
    perform private.refuse(422, 'park needs the job_id and attempt that wait for the answer.');
  end if;
  if p_job_id is not null then
    v_job := private.hold_job(p_job_id, p_attempt);
    if v_job.product_id <> v_target.p_product then
      perform private.refuse(422, 'The question must be about the product of the job.');
    end if;
  end if;

  insert into public.agent_questions (product_id, story_id, idea_id, task_id, assignee_id, job_id, sprint_run_id, asked_by,
    kind, reader_id, reach, question, options, recommended_option, expires_at, on_expiry, escalate_to, park)
  values (v_target.p_product, v_target.p_story, p_idea_id, p_task_id, p_assignee_id, v_job.id, v_job.sprint_run_id, auth.uid(),
    v_kind, v_reader_id, p_reach, p_question, v_options, p_recommended_option,
    private.now() + make_interval(secs => coalesce(p_expires_in_seconds, 604800)),
    v_on_expiry::public.question_expiry, p_escalate_to, coalesce(p_park, false))
  returning * into v_question;
  if v_question.park then
    -- Frees its worker: not claimable while the question is open, and first once it is answered. No retry is counted.
    update public.agent_jobs j
    set status = 'QUEUED', parked_question_id = v_question.id, failure_class = null, failure_reason = null
    where j.id = v_job.id;
  end if;
  return private.question_json(v_question);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.change_things(p_things jsonb, p_changes jsonb)
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
  v_changes jsonb := p_changes;
begin
  if jsonb_typeof(p_things) is distinct from 'array' or jsonb_array_length(p_things) not between 1 and 500 then
    perform private.refuse(422, 'Choose 1 to 500 things.');
  end if;
  perform private.take_rate_limit('change', auth.uid()::text);

  if p_changes ? 'toggle_label' then
    -- Toggling a label has one result for the whole selection: removed if every item has it, else added.
    select jsonb_build_object(case when bool_and((p_changes ->> 'toggle_label')::uuid = any (x.label_ids)) then 'remove_label' else 'add_label' end,
      p_changes -> 'toggle_label') || (p_changes - 'toggle_label')
    into v_changes
    from jsonb_array_elements(p_things) i (thing)
    join (select s.id, s.label_ids from public.stories s union all select t.id, t.label_ids from public.tasks t) x
      on x.id = (i.thing ->> 'id')::uuid;
  end if;

  for v_thing in
    select distinct on (i.value ->> 'id') i.value ->> 'kind' as kind, (i.value ->> 'id')::uuid as id, i.place
    from jsonb_array_elements(p_things) with ordinality i (value, place)
    order by i.value ->> 'id', i.place
  loop
    v_own := private.require_access(v_thing.kind, v_thing.id);
    v_product_id := coalesce(v_product_id, v_own);
    if v_own <> v_product_id then
      perform private.refuse(422, 'Change items of one product at a time.');
    end if;
    perform private.require_write(v_thing.kind, v_thing.id);
    begin
      if private.change_thing(v_thing.kind, v_thing.id, v_changes) then
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
  return jsonb_build_object('changed', v_changed, 'skipped', v_skipped) || private.released();
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
    v_full_budgets := case when v_rooms is not null then array(select r.budget_id from unnest(v_rooms) r where r.is_full) end;
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

CREATE OR REPLACE FUNCTION operations.create_product(p_code text, p_name text, p_description text DEFAULT ''::text, p_repo_url text DEFAULT ''::text, p_definition_of_done text DEFAULT ''::text, p_auto_pr boolean DEFAULT false, p_pr_strategy text DEFAULT 'SPRINT'::text, p_done_requires text DEFAULT 'none'::text, p_dependency_release text DEFAULT 'done'::text, p_requires_sandbox boolean DEFAULT false, p_may_reach jsonb DEFAULT '[]'::jsonb, p_plan_first text DEFAULT 'ask'::text, p_pull_requests text DEFAULT 'none'::text, p_agent_items text DEFAULT 'backlog'::text, p_landing text DEFAULT 'manual'::text, p_branch_prefix text DEFAULT 'backloom'::text, p_agent text DEFAULT NULL::text, p_model text DEFAULT NULL::text, p_effort text DEFAULT NULL::text, p_fallback jsonb DEFAULT '[]'::jsonb, p_fallback_after integer DEFAULT 15, p_on_failure text DEFAULT 'stop'::text, p_plan_review text DEFAULT 'none'::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  -- It could not reach the product it creates, and no one has agreed to a new one.
  if coalesce(current_setting('backloom.token_products', true), '') <> '' then
    perform private.refuse(403, 'This token is limited to some products and cannot create another. Create the product in the browser, then use a token that includes it.');
  end if;
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires,
    dependency_release, requires_sandbox, may_reach, plan_first, plan_review, pull_requests, agent_items, landing, branch_prefix, agent, model, effort,
    fallback, fallback_after, on_failure)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release,
    coalesce(p_requires_sandbox, false), coalesce(p_may_reach, '[]'), coalesce(p_plan_first, 'ask')::public.plan_first,
    coalesce(p_plan_review, 'none')::public.plan_review,
    coalesce(p_pull_requests, 'none')::public.pull_requests,
    coalesce(p_agent_items, 'backlog')::public.agent_items, coalesce(p_landing, 'manual')::public.landing,
    coalesce(p_branch_prefix, 'backloom'), p_agent, p_model, p_effort, coalesce(p_fallback, '[]'), coalesce(p_fallback_after, 15),
    coalesce(p_on_failure, 'stop')::public.on_failure);
  return operations.get_product(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.fire_recurrence(p_story_id uuid, p_due_at timestamp with time zone, p_slot timestamp with time zone, p_is_late boolean, p_next_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_recurrence public.recurrences;
  v_outcome text;
  v_fired_id uuid;
begin
  perform private.lock_product((select r.product_id from public.recurrences r where r.story_id = p_story_id));
  update public.recurrences r set next_at = p_next_at
  where r.story_id = p_story_id and r.next_at = p_due_at
  returning r.* into v_recurrence;
  if not found then
    return json_build_object('outcome', 'taken');
  end if;

  v_outcome := case
    when p_is_late and v_recurrence.missed = 'skip' then 'missed'
    when exists (select from public.stories s where s.template_id = p_story_id and s.status <> 'DONE') then 'open'
    when exists (
      select from public.budgets b
      where b.product_id = v_recurrence.product_id and b.scope = 'product'
        and (private.is_budget_reached(b) or private.budget_spent(b) >= b.amount)) then 'budget'
    else 'fired'
  end;
  insert into public.recurrence_slots (story_id, slot, outcome) values (p_story_id, p_slot, v_outcome)
  on conflict (story_id, slot) do nothing;
  if not found then
    return json_build_object('outcome', 'taken');
  end if;
  delete from public.recurrence_slots s where s.story_id = p_story_id and s.slot < private.now() - interval '90 days';
  if v_outcome = 'fired' then
    v_fired_id := private.copy_template(p_story_id);
    update public.recurrence_slots s set fired_story_id = v_fired_id where s.story_id = p_story_id and s.slot = p_slot;
  end if;
  return json_build_object('outcome', v_outcome, 'story_id', v_fired_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_budgets(p_product_id uuid, p_sprint_run_id uuid DEFAULT NULL::uuid, p_sprint_id uuid DEFAULT NULL::uuid, p_task_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_settings public.budget_settings;
begin
  perform private.require_product_access(p_product_id);
  v_settings := private.budget_settings_of(p_product_id);
  return json_build_object('product_id', p_product_id,
    -- Budgets are set by the owner, in a session, in a product that is not archived.
    'may_set', exists (
      select from public.product_members m
      join public.products p on p.id = m.product_id
      where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'OWNER' and p.archived_at is null)
      and not private.is_demo() and not private.is_token(),
    'settings', to_jsonb(v_settings) - 'product_id',
    'budgets', (
      select coalesce(json_agg(private.budget_json(b) order by array_position(array['run', 'sprint', 'task', 'product'], b.scope),
        array_position(array['day', 'week', 'month'], b.period), b.unit, b.created_at), '[]')
      from public.budgets b
      where b.product_id = p_product_id
        and case b.scope
          when 'product' then true
          when 'run' then case
            when p_sprint_run_id is not null then b.sprint_run_id = p_sprint_run_id
            when p_sprint_id is not null then false
            when p_task_id is not null then exists (
              select from public.agent_jobs j join public.sprint_runs r on r.id = j.sprint_run_id
              where j.task_id = p_task_id and r.id = b.sprint_run_id and r.finished_at is null)
            else (select r.finished_at is null from public.sprint_runs r where r.id = b.sprint_run_id) end
          when 'sprint' then case
            when p_sprint_run_id is not null
              then b.sprint_id = (select r.sprint_id from public.sprint_runs r where r.id = p_sprint_run_id)
            when p_sprint_id is not null then b.sprint_id = p_sprint_id
            when p_task_id is not null then b.sprint_id = (
              select s.sprint_id from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_task_id)
            else (select s.status in ('PLANNED', 'ACTIVE', 'FAILED') from public.sprints s where s.id = b.sprint_id) end
          else case
            when p_sprint_run_id is not null then exists (
              select from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id and j.task_id = b.task_id)
            when p_sprint_id is not null then exists (
              select from public.tasks t join public.stories s on s.id = t.story_id where t.id = b.task_id and s.sprint_id = p_sprint_id)
            when p_task_id is not null then b.task_id = p_task_id
            else (select t.status <> 'DONE' from public.tasks t where t.id = b.task_id) end
        end));
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
    'story', private.story_json(p_story_id),
    'labels', private.labels_of(v_story.product_id),
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
      from public.product_members m where m.product_id = v_story.product_id and m.role <> 'VIEWER'),
    'tasks', (
      select coalesce(json_agg(private.with_labels(row_to_json(t), (select k.label_ids from public.tasks k where k.id = t.id)) order by t.sort_order, t.created_at, t.id), '[]')
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
    'fresh_starts', (
      select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'started_by', f.started_by, 'created_at', f.created_at,
        'left', f.left_branches) order by f.created_at desc), '[]')
      from public.fresh_starts f where f.story_id = p_story_id),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.story_id = p_story_id
        and (q.reader_id is null or q.reader_id = auth.uid())),
    'files', private.files_of(p_story_id),
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

CREATE OR REPLACE FUNCTION operations.preflight_sprint_run(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
  v_product public.products;
  v_blockers jsonb;
  v_task_ids uuid[] := private.sprint_task_ids(p_sprint_id);
  v_tasks integer := cardinality(v_task_ids);
begin
  perform private.require_access('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_sprint.product_id;
  v_blockers := private.run_blockers(v_sprint, v_product, v_task_ids,
    array(select s.id from public.stories s where s.sprint_id = p_sprint_id), private.plans_first(v_product, null), false);
  return json_build_object(
    'sprint_id', p_sprint_id,
    'sprint_code', v_sprint.code,
    'pr_strategy', v_product.pr_strategy,
    'plan_first', v_product.plan_first,
    'ready', v_blockers = '[]',
    'tasks_total', v_tasks,
    'jobs_total', case when v_product.pr_strategy = 'SPRINT_BATCH' then least(1, v_tasks) else v_tasks end,
    'stories_without_tasks', (
      select count(*) from public.stories s
      where s.sprint_id = p_sprint_id and s.status <> 'DONE' and not exists (select from public.tasks t where t.story_id = s.id)),
    'blockers', v_blockers,
    -- Story by story: the newest head of each branch not known to be on the main branch. Where stories share the run's
    -- branch, finished ones count too.
    'begins_from', private.beginnings(array(
      select s.id from public.stories s
      where s.sprint_id = p_sprint_id and (v_product.pr_strategy <> 'STORY'
        or exists (select from public.tasks t where t.story_id = s.id and t.status <> 'DONE')))),
    'warnings', private.budget_warnings(v_sprint));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.review_plan(p_job_id uuid, p_verdict text, p_plan text DEFAULT NULL::text, p_summary text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_verdict text := lower(private.require_choice('verdict', p_verdict, array['APPROVE', 'REQUEST_CHANGES']));
  v_summary text := btrim(coalesce(p_summary, ''));
  v_question public.agent_questions;
  v_plan text;
begin
  if private.is_token() then
    perform private.refuse(403, 'A person approves a plan, never a token. Sign in and decide on the page of the job.');
  end if;
  perform private.take_rate_limit('answer', auth.uid()::text);
  if v_verdict is null then
    perform private.refuse(422, 'verdict must be approve or request_changes.');
  end if;
  v_question := private.require_waiting_plan(v_job);
  if v_verdict = 'request_changes' and v_summary = '' then
    perform private.refuse(422, 'Say in summary what the plan should change.');
  end if;
  if v_verdict = 'request_changes' and p_plan is not null then
    perform private.refuse(422, 'plan goes with approve. Say in summary what the plan should change.');
  end if;
  if p_plan is not null then
    perform private.check_plan('plan', p_plan);
  end if;

  update public.agent_questions q
  set status = 'ANSWERED', answered_by = auth.uid(), answered_at = private.now(),
      answer = concat_ws(': ', case when v_verdict = 'request_changes' then 'Changes requested'
        when p_plan is distinct from q.plan and p_plan is not null then 'Approved as edited' else 'Approved' end, nullif(v_summary, ''))
  where q.id = v_question.id;
  update public.agent_jobs j set phase = 'implement', claim_rank = 0 where j.id = p_job_id;
  if v_verdict = 'approve' then
    -- The approved text becomes the plan of the task, of the job, and in a batch of the execution, byte for byte.
    v_plan := coalesce(p_plan, v_question.plan);
    update public.tasks t set implementation_plan = v_plan where t.id = v_question.task_id;
    if v_job.kind = 'SPRINT_IMPLEMENTATION' then
      update public.task_executions e set plan_snapshot = v_plan where e.sprint_run_id = v_job.sprint_run_id and e.task_id = v_question.task_id;
    else
      update public.agent_jobs j set plan_snapshot = v_plan, plan_approved_at = private.now() where j.id = p_job_id;
    end if;
  end if;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return private.job_json(v_job);
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

  -- Stories and PBIs follow their tasks out of failed; what is refused below takes this back. Taken back alone, it would fail the run.
  perform set_config('backloom.undoing', 'yes', true);
  update public.tasks t set status = 'TO_DO'
  where t.id = any (v_task_ids) and t.status = 'FAILED'
    and t.id not in (select h.task_id from private.held_by_runs(v_product_id, false) h);
  perform set_config('backloom.undoing', '', true);

  select * into v_scope from private.settle_scope(null, v_product, v_task_ids, p_plan_first, p_use_description, p_leave_out);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(null, v_product, null, v_scope.task_ids, v_scope.plan_first);
  perform private.stop_run_at(v_run, p_stop_at);
  return json_build_object('run', private.run_json(v_run, false), 'left_out', v_scope.left_out);
end;
$function$;

CREATE OR REPLACE FUNCTION private.advance_task(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  case p_job.status
    when 'CLAIMED', 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = p_job.task_id and t.status = 'TO_DO';
      -- Only the first claim of a run: preparing an update costs more than this look, and it is every claim that comes here.
      if exists (select from public.sprint_runs r where r.id = p_job.sprint_run_id and r.status = 'QUEUED') then
        update public.sprint_runs r
        set status = 'RUNNING', started_at = coalesce(r.started_at, private.now())
        where r.id = p_job.sprint_run_id and r.status = 'QUEUED';
      end if;
    when 'DONE' then
      update public.tasks t set status = 'DONE'
      where t.id = p_job.task_id and t.status <> 'DONE'
        and not exists (
          select from public.task_executions e
          where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
            and e.task_id = p_job.task_id and e.status = 'SKIPPED'
        );
      if p_job.kind = 'SPRINT_IMPLEMENTATION' then
        update public.tasks t set status = 'DONE' where t.id in (select h.id from private.held_tasks(p_job.sprint_run_id) h);
      end if;
    when 'SKIPPED' then
      if p_job.kind = 'SPRINT_IMPLEMENTATION' then
        update public.task_executions e
        set status = 'SKIPPED', verify_result = 'EMPTY', finished_at = private.now()
        where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING');
      else
        update public.tasks t set status = 'REVIEW' where t.id = p_job.task_id and t.status not in ('DONE', 'REVIEW');
      end if;
    when 'FAILED' then
      update public.tasks t set status = 'FAILED' where t.id = p_job.task_id and t.status <> 'FAILED';
    else
      null;
  end case;
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
  -- The model a worker will use is not known beforehand; nearly always it is the last one it used.
  select e.model_id into v_model_id from public.usage_events e
  where e.worker_id = p_worker_id and e.model_id is not null order by e.id desc limit 1;
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

CREATE OR REPLACE FUNCTION private.create_run(p_sprint public.sprints, p_product public.products, p_previous public.sprint_runs, p_task_ids uuid[], p_plan_first boolean)
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_run public.sprint_runs;
begin
  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, plan_first, plan_review, started_by)
  values (p_sprint.id, p_product.id, p_product.pr_strategy, case
      when p_sprint.id is null then private.own_run_branch(p_product, p_task_ids)
      when exists (
      select from public.stories s join public.fresh_starts f on f.story_id = s.id
      where s.sprint_id = p_sprint.id and f.created_at >= p_previous.created_at) then private.run_branch(p_sprint, p_product)
      else coalesce(p_previous.branch, private.run_branch(p_sprint, p_product)) end,
    p_previous.id, p_plan_first, p_product.plan_review, auth.uid())
  returning * into v_run;

  if v_run.pr_strategy = 'SPRINT_BATCH' then
    insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
    select v_run.id, sc.task_id, sc.place, t.implementation_plan, t.verify_required
    from private.run_scope(p_task_ids) sc
    join public.tasks t on t.id = sc.task_id;
    perform private.create_batch_job(v_run);
    return v_run;
  end if;

  insert into public.agent_jobs
    (product_id, task_id, kind, sprint_run_id, lane_id, position, in_turn, branch, created_by, created_at)
  select p_product.id, sc.task_id, 'TASK_IMPLEMENTATION', v_run.id,
    case v_run.pr_strategy when 'STORY' then sc.story_id else v_run.id end,
    sc.place,
    case v_run.pr_strategy when 'STORY' then sc.place = min(sc.place) over (partition by sc.story_id) else sc.place = 1 end,
    coalesce(s.branch, v_run.branch),
    auth.uid(), v_now
  from private.run_scope(p_task_ids) sc
  left join (
    select k.story_id, case when p_sprint.id is null then private.story_branch(k.story_id)
      else left(v_run.branch || '--' || private.branch_part(k.story_code, k.story_id), 200) end as branch
    from (select distinct x.story_id, x.story_code from private.run_scope(p_task_ids) x where v_run.pr_strategy = 'STORY') k
  ) s on s.story_id = sc.story_id
  order by sc.place;
  return v_run;
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
      -- Agents worked on it, and all of it is on the main branch.
      and exists (select from private.jobs_of_story(d.id) j where j.merged_at is not null)
      and not exists (select from private.unlanded_work(array[d.id]));
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_stories(p_pbi_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(private.exported(to_jsonb(s),
      '{pbi_id,sprint_id,assignee_id,label_ids,in_triage,is_template,template_id,external_id,external_url,origin}') || jsonb_build_object(
      'status', case when s.status = 'TEMPLATE' then 'TRIAGE' else s.status end,
      'sprint', (select sp.code from public.sprints sp where sp.id = s.sprint_id),
      'assignee', (select u.username from public.users u where u.id = s.assignee_id),
      'labels', private.label_names(s.label_ids),
      'blocked_by', private.export_blocked_by('story', s.id),
      'tasks', private.export_tasks(s.id),
      'log', (
        select coalesce(json_agg(json_build_object(
          'type', l.type, 'content', l.content, 'status', l.status,
          'commit_hash', l.commit_hash, 'commit_message', l.commit_message, 'metadata', l.metadata,
          'username', (select u.username from public.users u where u.id = l.user_id),
          'created_at', private.export_time(l.created_at)
        ) order by l.created_at, l.type, l.content, l.id), '[]')
        from public.story_logs l
        where l.story_id = s.id),
      'head_sha', (select h.head_sha from public.story_heads h where h.story_id = s.id),
      'evidence', (
        select coalesce(json_agg(json_build_object(
          'criterion', e.criterion_text, 'verdict', e.verdict, 'grade', e.grade, 'kind', e.kind, 'command', e.command,
          'exit_code', e.exit_code, 'base_exit_code', e.base_exit_code, 'guards', e.guards, 'passed_before', e.passed_before,
          'excerpt', e.excerpt, 'url', e.url, 'file', e.file_id, 'base_file', e.base_file_id, 'head_sha', e.head_sha,
          'observed_by', e.observed_by, 'voided_by', e.voided_by,
          'created_at', private.export_time(e.created_at)) order by e.seq), '[]')
        from public.evidence e
        where e.story_id = s.id),
      'waivers', (
        select coalesce(json_agg(json_build_object(
          'criterion', w.criterion_text, 'reason', w.reason, 'waived_by', w.waived_by,
          'created_at', private.export_time(w.created_at)) order by w.created_at, w.criterion), '[]')
        from public.waivers w
        where w.story_id = s.id),
      'comments', private.export_comments(s.id)
    ) order by s.sort_order, s.created_at, s.code), '[]')
    from public.stories s
    where s.pbi_id = p_pbi_id
  );
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
    -- Of a batch: those of its unfinished tasks that do not come with it.
    if p_job.kind = 'TASK_IMPLEMENTATION' then
      return private.dependency_reasons(array[p_job.task_id]);
    end if;
    return private.dependency_reasons(array(
      select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING')),
      p_job.sprint_run_id);
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

CREATE OR REPLACE FUNCTION private.inbox_items()
 RETURNS TABLE(kind text, id uuid, product_id uuid, at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_now timestamptz := private.now();
  v_since timestamptz := v_now - interval '14 days';
  v_products uuid[] := array(select private.writable_product_ids());
begin
  return query
    select 'question', q.id, q.product_id, q.created_at
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now and q.product_id = any (v_products)
      and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))
    union all
    select 'review', w.task_id, w.product_id, w.since
    from public.tasks_in_review w
    where w.product_id = any (v_products)
      -- A task that waits for CI needs no person.
      and not (exists (select from public.products p where p.id = w.product_id and p.done_requires = 'ci')
        and exists (select from public.agent_jobs j where j.task_id = w.task_id and j.status = 'QUEUED' and j.phase = 'review'))
    union all
    select 'run', r.id, r.product_id, r.finished_at
    from public.sprint_runs r
    where r.status = 'FAILED' and r.product_id = any (v_products) and r.finished_at > v_since
      and not exists (select from public.sprint_runs n where n.sprint_id = r.sprint_id and n.created_at > r.created_at)
      -- A run of its own is tried again by whatever run takes up the task that failed.
      and not (r.sprint_id is null and exists (
        select from public.sprint_runs n
        where n.id in (
            select j.sprint_run_id from public.agent_jobs j where j.task_id = (r.failure ->> 'task_id')::uuid
            union all
            select e.sprint_run_id from public.task_executions e where e.task_id = (r.failure ->> 'task_id')::uuid)
          and n.created_at > r.created_at))
    union all
    -- A job of a task is told by its run; a talk about an idea is its owner's alone.
    select 'job', j.id, j.product_id, j.finished_at
    from public.agent_jobs j
    where j.status = 'FAILED' and j.finished_at > v_since and j.product_id = any (v_products) and j.idea_id is not null
      and j.created_by = auth.uid()
      and not exists (select from public.agent_jobs n where n.idea_id = j.idea_id and n.created_at > j.created_at)
    union all
    select 'added', m.product_id, m.product_id, m.created_at
    from public.product_members m
    where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and m.product_id = any (v_products)
    union all
    -- One for all that waits in a product; what comes later makes it new.
    select 'triage', s.product_id, s.product_id, max(s.created_at)
    from public.stories s
    where s.in_triage and not s.is_template and s.product_id = any (v_products)
    group by s.product_id
    union all
    select 'lesson', l.id, l.product_id, coalesce(l.weighed_at, l.created_at)
    from public.lessons l
    where (l.status = 'proposed' or (l.status = 'accepted' and not l.has_effect)) and l.product_id = any (v_products)
    union all
    -- Of products that are not yet in reach.
    select 'invitation', i.id, i.product_id, i.created_at
    from public.product_invitations i
    join public.products p on p.id = i.product_id and p.archived_at is null
    where i.invited_user_id = auth.uid() and i.expires_at > v_now
      and not exists (select from public.product_members m where m.product_id = i.product_id and m.user_id = auth.uid())
    union all
    -- Whoever has written something there since has seen it.
    select 'mention', c.id, c.product_id, m.created_at
    from public.comment_mentions m
    join public.comments c on c.id = m.comment_id
    where m.user_id = auth.uid() and m.created_at > v_since and c.product_id in (select private.open_product_ids())
      and not exists (
        select from public.comments n
        where n.author_id = auth.uid() and n.created_at > m.created_at
          and (n.pbi_id = c.pbi_id or n.story_id = c.story_id or n.task_id = c.task_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_is_task boolean := p_job.kind = 'TASK_IMPLEMENTATION';
  v record;
begin
  select
    json_build_object('id', p.id, 'code', p.code, 'name', p.name, 'description', p.description, 'repo_url', p.repo_url,
      'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pull_requests', p.pull_requests, 'pr_strategy', p.pr_strategy) as product,
    case when r.id is not null then json_build_object('id', r.id, 'status', lower(r.status::text), 'branch', r.branch,
      'pr_strategy', r.pr_strategy, 'previous_run_id', r.previous_run_id, 'subject', private.run_subject(r),
      'sprint_id', n.id, 'sprint_code', n.code, 'sprint_goal', n.sprint_goal) end as run,
    case when v_is_task then json_build_object('id', t.id, 'code', t.code,
      'title', t.title, 'description', t.description, 'status', private.task_status_word(t.status),
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes) end as task,
    case when v_is_task then json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description,
      'acceptance_criteria', s.acceptance_criteria, 'pbi_id', b.id, 'pbi_code', b.code, 'pbi_title', b.title) end as story,
    coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url, coalesce(p_job.fallback_agent, t.agent, s.agent, p.agent) as agent, private.branch_prefix_of(p_job.branch, p) as branch_prefix, p.may_reach, p.done_requires, p.dependency_release, r.sprint_id,
    coalesce(r.plan_first, false) as plans_first, coalesce(r.plan_review, 'none') as plan_review,
    not v_is_task or concat(s.acceptance_criteria, p.definition_of_done) ~ '\S' as has_criteria,
    p_job.phase <> 'verify' and (p_job.attempt > 1 or p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from private.works j where j.task_id = p_job.task_id and j.id <> p_job.id)) as has_past,
    p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from public.task_dependencies d where d.blocked_id = t.id)
      or exists (select from public.story_dependencies d where d.blocked_id = t.story_id) as has_blockers,
    exists (select from public.job_reviews w where w.product_id = p_job.product_id) as has_reviews,
    exists (select from public.job_conflicts c where c.job_id = p_job.id) as has_conflicts
  into v
  from public.products p
  left join public.sprint_runs r on r.id = p_job.sprint_run_id
  left join public.sprints n on n.id = r.sprint_id
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.pbis b on b.id = s.pbi_id
  where p.id = p_job.product_id;

  return private.with_key(private.with_key(json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'phase', p_job.phase,
    'plan_first', v.plans_first and p_job.phase = 'implement' and (
      v_is_task and coalesce(p_job.plan_snapshot, '') !~ '\S'
      or p_job.kind = 'SPRINT_IMPLEMENTATION' and exists (
        select from public.task_executions e
        where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and coalesce(e.plan_snapshot, '') !~ '\S')),
    'previous_failure', case when v.has_past then private.previous_failure(p_job) end,
    'earlier_jobs', case when v.has_past then private.earlier_jobs(p_job, v.sprint_id) else '[]' end,
    'earlier_attempts', case when v.has_past then private.earlier_attempts(p_job) else '[]' end,
    'findings', case when v.has_past then private.findings(p_job) else '[]' end,
    -- Not the permissions that someone else gave for their own machine.
    'questions', case when v.has_past then (
      select coalesce(json_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = p_job.id and (q.reader_id is null or q.reader_id = auth.uid())) else '[]' end,
    'review', case when v.has_reviews then private.review_payload(p_job) else '[]' end,
    'conflicts', case when v.has_conflicts then private.conflict_payload(p_job) else '[]' end,
    'agent', v.agent,
    'attempt_agent', p_job.agent,
    'model', p_job.model,
    'effort', p_job.effort,
    'lease_until', p_job.lease_until,
    'heartbeat_seconds', 60,
    'position', p_job.position,
    'user_id', auth.uid(),
    'task_id', p_job.task_id,
    'idea_id', p_job.idea_id,
    'sprint_run_id', p_job.sprint_run_id,
    'plan_review', v.plan_review,
    'plan_snapshot', p_job.plan_snapshot,
    'plan', p_job.plan_snapshot,
    'product', v.product,
    'repo_url', v.repo_url,
    'may_reach', v.may_reach,
    'done_requires', v.done_requires,
    'criteria', case when v.has_criteria then private.criteria_payload(p_job) else '[]' end,
    'branch', p_job.branch,
    'branch_prefix', v.branch_prefix,
    'base_sha', p_job.base_sha,
    'base_refs', case when v.has_blockers then private.base_refs(p_job) else '[]' end,
    'begins_from', private.begins_from(p_job),
    'awaited_heads', case when v.dependency_release = 'merged' then private.awaited_heads(auth.uid(), p_job.product_id) end,
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', v.run,
    'task', v.task,
    'story', v.story,
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then (
      select json_build_object('id', i.id, 'code', i.code, 'title', i.title, 'description', i.description, 'status', lower(i.status::text))
      from public.ideas i where i.id = p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then (
      select coalesce(json_agg(json_build_object('id', u.id, 'question', u.question, 'answer', u.answer,
        'status', lower(u.status::text), 'asked_for_this_job', u.job_id = p_job.id, 'created_at', u.created_at)
        order by u.created_at, u.id), '[]')
      from public.user_questions u where u.idea_id = p_job.idea_id) end
  ), 'messages', private.open_messages(p_job)), 'lessons', private.accepted_lessons(p_job.product_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.phase_after(p_job public.agent_jobs, p_result public.verify_result)
 RETURNS public.job_phase
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_required public.done_requires;
  v_stories uuid[];
  v_missing jsonb;
begin
  select p.done_requires into v_required from public.products p where p.id = p_job.product_id;
  if p_job.phase = 'verify' then
    return private.phase_after_verify(p_job, v_required);
  end if;
  if v_required = 'none' or p_job.kind = 'PLAN_CHAT' then
    return null;
  end if;
  if v_required = 'person' and private.is_for_person(p_job, p_result) then
    return 'review';
  end if;
  v_stories := private.stories_to_finish(p_job);
  if v_stories = '{}' then
    return null;
  end if;
  if v_required = 'ci' then
    return case when not private.has_passed_ci(p_job) then 'review'::public.job_phase end;
  end if;
  v_missing := private.missing_proof(v_stories, v_required::text::public.evidence_grade);
  case v_required
    when 'worker' then
      if v_missing is not null then
        perform private.refuse_unproven(v_missing);
      end if;
      return null;
    when 'other_worker' then
      return case when v_missing is not null then 'verify'::public.job_phase end;
    else
      return case when v_missing is not null or not exists (select from unnest(v_stories) s (id) cross join lateral private.story_proof(s.id) c) then 'review'::public.job_phase end;
  end case;
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
  if p_change.kind = 'job' then
    return private.restore_unmerged(p_change);
  end if;

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
  if exists (select from jsonb_each(p_change.after) a where a.value is distinct from v_now -> a.key)
    -- What was accepted and has joined a sprint or a run since is no longer a suggestion.
    or p_change.kind = 'story' and p_change.before ->> 'in_triage' = 'true' and (
      v_story.sprint_id is not null or exists (
        select from public.tasks t join public.agent_jobs j on j.task_id = t.id
        where t.story_id = v_story.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')))
  then
    return 'was changed since';
  end if;

  case p_change.kind
    when 'task' then
      perform private.set_fields('public.tasks', p_change.thing_id, p_change.before);
    when 'story' then
      perform private.set_fields('public.stories', p_change.thing_id, p_change.before);
    else
      -- READY lifts a block; what the stories call for is put.
      perform private.set_fields('public.pbis', p_change.thing_id, p_change.before || jsonb_build_object(
        'status', case p_change.before ->> 'is_blocked' when 'true' then 'BLOCKED' when 'false' then 'READY' end));
  end case;
  return null;
end;
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
      -- A restored task needs its status history, or the burn-down would be wrong.
      v_old || coalesce((
        select jsonb_build_object('history', jsonb_agg(to_jsonb(c) order by c.id))
        from public.task_status_changes c where v_kind = 'task' and c.task_id = old.id having count(*) > 0), '{}'), null, private.lost_with(v_kind, v_old));
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
