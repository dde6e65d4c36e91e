-- Why: folders that ran the single steps up to 2026-11-26 become those of 0.4.0 (supabase/embedded/migrate.ts).
set local check_function_bodies = off;

ALTER FUNCTION "private"."change_thing"(text, uuid, jsonb) RENAME TO "change_item";
ALTER FUNCTION "private"."finish_elsewhere"(uuid) RENAME TO "finish_waiting_jobs";
ALTER FUNCTION "private"."gate"(public.verify_required, public.verify_result, boolean) RENAME TO "end_after_verify";
ALTER FUNCTION "private"."held_tasks"(uuid) RENAME TO "tasks_awaiting_proof";
ALTER FUNCTION "private"."holds_task"(uuid, public.verify_result) RENAME TO "awaits_proof";
ALTER FUNCTION "private"."is_held"(uuid) RENAME TO "is_blocked";
ALTER FUNCTION "private"."job_end_reasons"(public.agent_jobs) RENAME TO "unqueued_reasons";
ALTER FUNCTION "private"."note_released"(uuid[]) RENAME TO "remember_released";
ALTER FUNCTION "private"."recount_blocked"(uuid[]) RENAME TO "recount_or_note";
ALTER FUNCTION "private"."refuse_waiting"(uuid, uuid) RENAME TO "refuse_blocked";
ALTER FUNCTION "private"."release_noted"(uuid) RENAME TO "recount_noted";
ALTER FUNCTION "private"."restore_thing"(private.changes) RENAME TO "restore_item";
ALTER FUNCTION "private"."take_job"(private.asker, uuid, uuid, jsonb, uuid[]) RENAME TO "claim_next_job";
ALTER FUNCTION "private"."waiting_for"(uuid[], uuid[]) RENAME TO "tasks_blocked_by";
ALTER FUNCTION "private"."worker_products"(uuid, uuid) RENAME TO "consented_products";

CREATE OR REPLACE FUNCTION operations.change_things(p_things jsonb, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_item record;
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

  for v_item in
    select distinct on (i.value ->> 'id') i.value ->> 'kind' as kind, (i.value ->> 'id')::uuid as id, i.place
    from jsonb_array_elements(p_things) with ordinality i (value, place)
    order by i.value ->> 'id', i.place
  loop
    v_own := private.require_access(v_item.kind, v_item.id);
    v_product_id := coalesce(v_product_id, v_own);
    if v_own <> v_product_id then
      perform private.refuse(422, 'Change items of one product at a time.');
    end if;
    perform private.require_write(v_item.kind, v_item.id);
    begin
      if private.change_item(v_item.kind, v_item.id, v_changes) then
        v_changed := v_changed + 1;
      else
        v_skipped := v_skipped + 1;
      end if;
    exception when others then
      if sqlstate not like 'PT%' or jsonb_array_length(p_things) = 1 then
        raise;
      end if;
      raise exception using errcode = sqlstate,
        message = format('%s: %s Nothing was changed.', private.code_of(v_item.kind, v_item.id), sqlerrm);
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
    v_job := private.claim_next_job(v_asker, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets);
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

  perform set_config('backloom.undoing', 'yes', true);
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
  perform set_config('backloom.undoing', '', true);

  return json_build_object('changes', (
    select json_agg(json_build_object('kind', c.kind, 'id', c.thing_id, 'code', c.code, 'is_back', c.after is null, 'fields',
      case when c.after is null then '[]'::jsonb else (select jsonb_agg(f.key order by f.key) from jsonb_each(c.before) f) end)
      order by c.after is not null, array_position('{pbi,story,task}', c.kind), c.id)
    from unnest(v_changes) c));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.update_task_execution(p_job_id uuid, p_attempt integer, p_task_id uuid, p_status text, p_verify_result text DEFAULT NULL::text, p_failure_reason text DEFAULT NULL::text, p_head_sha text DEFAULT NULL::text, p_implementation_plan text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_status text := private.require_choice('status', p_status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED']);
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_execution public.task_executions := private.hold_execution(v_job, p_task_id);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next text := v_status;
  v_missing jsonb;
begin
  v_result := coalesce(private.require_choice('verify_result', p_verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_execution.verify_result);
  if private.repeats_plan(v_job, v_state, p_implementation_plan) then
    return private.execution_json(v_execution);
  end if;
  if v_state = 'held' and v_status = 'RUNNING' and p_implementation_plan is not null and private.needs_approved_plan(v_job, p_task_id) then
    perform private.hand_in_plan(v_job, p_task_id, p_implementation_plan);
    return private.execution_json(v_execution);
  end if;
  if v_state = 'held' and p_implementation_plan is not null then
    perform private.keep_plan(v_job, p_task_id, p_implementation_plan);
    select e.* into v_execution from public.task_executions e where e.id = v_execution.id;
  end if;
  if v_state = 'failed' and v_status = 'FAILED' then
    return private.execution_json(v_execution);
  end if;
  if v_state in ('held', 'finished') and (v_execution.status::text = v_status
    or (v_execution.status = 'SKIPPED' and v_status = 'DONE' and v_result = 'EMPTY')) then
    return private.execution_json(v_execution);
  end if;
  if v_state <> 'held' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped.');
  end if;
  if v_execution.status not in ('PENDING', 'RUNNING') then
    perform private.refuse(409, format('This task of the batch is already %s. You still hold the job: continue with the next task.', lower(v_execution.status::text)));
  end if;
  if v_status = 'FAILED' and private.next_agent(v_job, null) is not null then
    perform operations.report_agent_job(p_job_id, p_attempt,
      jsonb_build_object('status', 'failed', 'failure_reason', coalesce(p_failure_reason, 'A task of the batch failed.')));
    return private.execution_json(v_execution);
  end if;
  if v_status = 'SKIPPED' and v_result is distinct from 'EMPTY' then
    perform private.refuse(422, 'A task can only be skipped when the verification found that the work is already present (verify_result empty).');
  end if;
  if v_status = 'RUNNING' then
    perform private.refuse_blocked(p_task_id, v_job.sprint_run_id);
  end if;
  if v_status = 'DONE' then
    v_next := private.end_after_verify(v_execution.verify_required, v_result, (select t.verify_only from public.tasks t where t.id = p_task_id));
    if v_next is null then
      perform private.refuse_gate(v_execution.verify_required, v_result);
    end if;
    if v_next = 'DONE' and private.needs_approved_plan(v_job, p_task_id) then
      perform private.refuse_unapproved();
    end if;
    v_missing := case when v_next = 'DONE' then private.proof_gap(p_task_id) end;
    if v_missing is not null then
      perform private.refuse_unproven(v_missing);
    end if;
  end if;

  update public.agent_jobs j
  set lease_until = private.now() + private.lease(), status = 'RUNNING', started_at = coalesce(j.started_at, private.now()),
      failure_reason = case when v_next = 'FAILED' then left(coalesce(p_failure_reason, 'A task of the batch failed.'), 4000) end
  where j.id = p_job_id;
  update public.task_executions e
  set status = v_next::public.task_execution_status,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      head_sha = coalesce(left(p_head_sha, 64), e.head_sha),
      failure_reason = case when v_next = 'FAILED' then left(p_failure_reason, 4000) end
  where e.id = v_execution.id
  returning e.* into v_execution;
  return private.execution_json(v_execution) || private.released();
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
        update public.tasks t set status = 'DONE' where t.id in (select h.id from private.tasks_awaiting_proof(p_job.sprint_run_id) h);
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
    perform private.recount_noted(p_new.sprint_run_id);
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
  perform private.recount_or_note((
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
    perform private.finish_waiting_jobs(p_new.id);
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

CREATE OR REPLACE FUNCTION private.awaited_heads(p_user_id uuid, p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_product public.products;
  v_work jsonb;
  v_heads jsonb := '[]';
begin
  for v_product in
    select p.*
    from private.consented_products(p_user_id, p_product_id) as w (product_id)
    join public.products p on p.id = w.product_id and p.archived_at is null and p.dependency_release = 'merged'
    order by p.id
  loop
    for v_work in
      select w
      from jsonb_array_elements(private.awaited_work(array(
        select a.task_id
        from public.sprint_runs r
        join public.agent_jobs j on j.sprint_run_id = r.id and j.status = 'QUEUED' and j.open_blockers > 0
        cross join lateral unnest(private.tasks_of_job(j)) as a (task_id)
        where r.product_id = v_product.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      ), 50)) w
      where w ->> 'head_sha' is not null
    loop
      v_heads := v_heads || (v_work || jsonb_build_object('product_repo_url', v_product.repo_url, 'repo_url', (
        select coalesce(nullif(t.repo_url, ''), v_product.repo_url) from private.works j join public.tasks t on t.id = j.task_id
        where j.id = (v_work ->> 'job_id')::uuid)));
    end loop;
  end loop;
  return nullif(v_heads, '[]');
end;
$function$;

CREATE OR REPLACE FUNCTION private.finish_outcome(p_job public.agent_jobs, p_status text, p_result public.verify_result)
 RETURNS public.agent_job_status
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_outcome text;
  v_open text;
begin
  if p_status = 'SKIPPED' then
    if p_job.kind = 'PLAN_CHAT' or p_result is distinct from 'EMPTY' then
      perform private.refuse(422, 'A job can only be skipped when the verification found that the work is already present (verify_result empty).');
    end if;
    select string_agg(t.code, ', ' order by e.position) into v_open
    from public.task_executions e join public.tasks t on t.id = e.task_id
    where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
      and e.status in ('PENDING', 'RUNNING') and e.verify_result is distinct from 'EMPTY';
    if v_open is not null then
      perform private.refuse(422, format('A batch can only be skipped when each of its tasks was verified as already present. Verify these with verify_sprint_task first: %s.', v_open));
    end if;
    return 'SKIPPED';
  end if;
  if p_job.kind = 'PLAN_CHAT' then
    return 'DONE';
  end if;
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    select string_agg(t.code, ', ' order by e.position) into v_open
    from public.task_executions e join public.tasks t on t.id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING');
    if v_open is not null then
      perform private.refuse(422, format('Not done yet: these tasks of the batch are unfinished: %s. Report each with update_task_execution first; if they are blocked by others, give the job back with status queued.', v_open));
    end if;
    return 'DONE';
  end if;

  select t.* into v_task from public.tasks t where t.id = p_job.task_id;
  v_outcome := private.end_after_verify(v_task.verify_required, p_result, v_task.verify_only);
  if v_outcome = 'DONE' and private.needs_approved_plan(p_job, p_job.task_id) then
    perform private.refuse_unapproved();
  end if;
  if v_outcome is null then
    perform private.refuse_gate(v_task.verify_required, p_result);
  end if;
  return v_outcome::public.agent_job_status;
end;
$function$;

CREATE OR REPLACE FUNCTION private.finish_waiting_jobs(p_task_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if exists (select from public.task_executions e where e.task_id = p_task_id) then
    update public.task_executions e
    set status = 'DONE'
    from public.sprint_runs r
    where e.task_id = p_task_id and e.status in ('PENDING', 'RUNNING')
      and r.id = e.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');
  elsif not exists (select from public.agent_jobs o where o.task_id = p_task_id and o.status = 'QUEUED' and o.phase <> 'implement') then
    return;
  end if;

  update public.agent_jobs j
  set status = 'DONE'
  where j.id in (
      select o.id from public.agent_jobs o where o.task_id = p_task_id
      union all
      select b.id from public.task_executions e
      join public.agent_jobs b on b.sprint_run_id = e.sprint_run_id where e.task_id = p_task_id)
    and j.status = 'QUEUED' and j.phase <> 'implement'
    and (j.kind <> 'SPRINT_IMPLEMENTATION' or (j.phase <> 'plan' and not exists (select from private.tasks_awaiting_proof(j.sprint_run_id))));
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_for_person(p_job public.agent_jobs, p_result public.verify_result)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    return exists (
      select from private.tasks_awaiting_proof(p_job.sprint_run_id) t
      join public.task_executions e on e.sprint_run_id = p_job.sprint_run_id and e.task_id = t.id
      where private.is_in_part(e.verify_result));
  end if;
  return exists (
    select from public.tasks t
    where t.id = p_job.task_id and t.status <> 'DONE' and (private.is_in_part(p_result) or not exists (
      select from public.tasks o
      where o.story_id = t.story_id and o.id <> t.id and o.status not in ('DONE', 'REVIEW')) and not private.finishes_story(t.id)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_gates text[];
  v_reasons jsonb;
begin
  if p_job.status <> 'QUEUED' then
    return private.unqueued_reasons(p_job);
  end if;
  select g.gates into v_gates from private.job_gates g where g.id = p_job.id;
  if 'review' = any (v_gates) then
    return private.gate_reasons(p_job, 'review');
  end if;
  select coalesce(jsonb_agg(r.reason order by g.place, r.place), '[]') into v_reasons
  from unnest(v_gates) with ordinality g (gate, place)
  cross join lateral jsonb_array_elements(private.gate_reasons(p_job, g.gate)) with ordinality r (reason, place);
  v_reasons := v_reasons || private.budget_reasons(p_job) || private.pbi_reasons(p_job) || private.worker_reasons(p_job);
  if v_reasons = '[]' then
    return jsonb_build_array(jsonb_build_object('code', 'ready',
      'message', 'Ready. The next free worker takes it. A worker that was started with --product takes jobs of that product only.'));
  end if;
  return v_reasons;
end;
$function$;

CREATE OR REPLACE FUNCTION private.next_product(p_asker private.asker, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_tried uuid[])
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return (
    select w.product_id
    from private.consented_products(p_asker.user_id, p_product_id) as w (product_id)
    cross join lateral (
      select j.claim_rank, j.created_at, j.position, j.id
      from private.claimable_jobs j
      where j.product_id = w.product_id
        and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
        and (p_kinds is null or p_kinds ? j.kind::text)
        and private.worker_gates(j.wants, p_asker) = '{}'
      order by j.claim_rank, j.created_at, j.position, j.id
      limit 1
    ) c
    where w.product_id <> all (p_tried)
    order by c.claim_rank, c.created_at, c.position, c.id
    limit 1
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.nothing_to_claim(p_asker private.asker, p_product_id uuid, p_full_budgets uuid[] DEFAULT NULL::uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products uuid[] := array(select private.consented_products(p_asker.user_id, p_product_id));
  v_waiting record;
  v_held integer;
  v_closed jsonb;
begin
  select count(*) filter (where not x.archived) as queued, count(*) filter (where x.archived) as archived,
    count(*) filter (where 'paused' = any (x.gates)) as paused,
    count(*) filter (where x.gates && '{question,plan}') as asked,
    count(*) filter (where 'held' = any (x.gates)) as taken,
    count(*) filter (where 'not_before' = any (x.gates)) as delayed,
    count(*) filter (where 'not_before' = any (x.gates) and g.failure_class is distinct from 'rate_limited') as failed,
    count(*) filter (where 'order' = any (x.gates)) as in_order,
    count(*) filter (where 'review' = any (x.gates)) as in_review,
    count(*) filter (where 'needs_other_worker' = any (x.gates)) as to_verify,
    count(*) filter (where 'dependency' = any (x.gates) and 'order' <> all (x.gates)) as blocked,
    count(*) filter (where 'sandbox' = any (x.gates)) as unconfined,
    min((g.wants).own_repo) filter (where 'repository' = any (x.gates)) as foreign_repo,
    min((g.wants).agent) filter (where 'agent' = any (x.gates)) as missing_agent,
    count(*) filter (where 'agent' = any (x.gates)) as for_agents
  into v_waiting
  from private.job_gates g
  cross join lateral (select private.worker_gates(g.wants, p_asker) as own) w
  cross join lateral (select 'archived' = any (g.gates) as archived,
    case when 'archived' = any (g.gates) then '{}' else g.gates || w.own end as gates) x
  where g.product_id = any (v_products) and 'conversation' <> all (w.own);
  select count(*) into v_held from public.agent_jobs j
  where j.product_id = any (v_products) and j.status in ('CLAIMED', 'RUNNING')
    and (j.kind <> 'PLAN_CHAT' or j.created_by = p_asker.user_id);

  v_closed := case when v_waiting.queued = 0 and p_product_id is null then private.products_without_consent(p_asker.user_id) end;
  if v_closed is not null then
    return jsonb_build_object('code', 'consent', 'products', v_closed,
      'message', format('There are jobs in %s, where your workers are not allowed yet. Press "Allow my workers" on the members page of the product, or name it as product_id.',
        (select string_agg(p ->> 'name', ', ') from jsonb_array_elements(v_closed) p)));
  end if;
  if v_waiting.queued = 0 and v_waiting.archived > 0 then
    return jsonb_build_object('code', 'archived', 'message', format('%s queued, all in archived products: %s', v_waiting.archived,
      'their work rests until an owner takes the product out of the archive.'));
  end if;
  if v_waiting.queued = 0 then
    return jsonb_build_object('code', 'empty', 'message', format('No job is queued%s.',
      case when v_held > 0 then format('; %s held by workers', v_held) else '' end));
  end if;
  return jsonb_build_object(
    'code', case
      when v_waiting.paused > 0 then 'paused'
      when v_waiting.asked > 0 then 'question'
      when v_waiting.delayed > 0 then 'not_before'
      when p_full_budgets <> '{}' then 'budget'
      when v_waiting.unconfined > 0 then 'sandbox'
      when v_waiting.foreign_repo is not null then 'repository'
      when v_waiting.for_agents > 0 then 'agent'
      when v_waiting.to_verify > 0 then 'needs_other_worker'
      when v_waiting.in_review > 0 then 'review'
      when v_waiting.taken > 0 then 'held'
      when v_waiting.blocked > 0 then 'dependency'
      else 'order' end,
    'message', format('%s queued, none available now: %s waiting for their turn, %s for an answer, %s for a paused run, %s for a rate limit%s%s%s; %s held by workers.%s',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed - v_waiting.failed,
      case when v_waiting.failed > 0 then format(', %s for another try', v_waiting.failed) else '' end,
      case when v_waiting.blocked > 0 then format(', %s for other tasks', v_waiting.blocked) else '' end,
      case when v_waiting.to_verify + v_waiting.in_review > 0 then format(', %s for another worker, %s for a review',
        v_waiting.to_verify, v_waiting.in_review) else '' end, v_held,
      concat(case when v_waiting.taken > 0 then format(' %s wait for a person who takes them over in a terminal.', v_waiting.taken) end,
        case when p_full_budgets <> '{}' then ' A budget allows no new work.' end,
        case when v_waiting.unconfined > 0 then format(' %s are in products that require a sandbox, and this worker has none: %s', v_waiting.unconfined, private.sandbox_advice()) end,
        case when v_waiting.foreign_repo is not null
          then format(' A task uses the repository %s, which this worker does not follow: %s', v_waiting.foreign_repo, private.repository_advice(v_waiting.foreign_repo)) end,
        case when v_waiting.for_agents > 0 then format(' %s want %s, which this worker does not have: %s', v_waiting.for_agents,
          coalesce('the agent ' || v_waiting.missing_agent, 'a model'), private.agent_advice(v_waiting.missing_agent)) end)))
    || case when v_held + v_waiting.delayed + v_waiting.to_verify + v_waiting.blocked = 0
        and v_waiting.paused + v_waiting.asked + v_waiting.in_review > 0
      then jsonb_build_object('waits_for_person', true) else '{}' end
    || case when v_waiting.blocked > 0 then jsonb_strip_nulls(jsonb_build_object('awaited_heads', private.awaited_heads(p_asker.user_id, p_product_id)))
      else '{}' end;
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
  -- A batch counts the blockers of all its tasks, so this task is recounted too if it is in one.
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
    v_task_ids := v_task_ids || p_new.id || private.tasks_blocked_by('{}', array[p_old.story_id, p_new.story_id]);
  end if;
  if v_task_ids <> '{}' then
    perform private.recount_or_note(v_task_ids);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.recount_noted(p_sprint_run_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_noted uuid[] := string_to_array(nullif(current_setting('backloom.waiting', true), ''), ',');
begin
  if v_noted is null then
    return;
  end if;
  perform set_config('backloom.waiting', '', true), private.lock_part('run', p_sprint_run_id);
  perform private.recount_blockers(v_noted);
  perform private.remember_released(v_noted);
end;
$function$;

CREATE OR REPLACE FUNCTION private.recount_or_note(p_task_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_task_ids is null then
    return;
  end if;
  if coalesce(current_setting('backloom.shared_product', true), '') = '' then
    perform private.recount_blockers(p_task_ids), private.remember_released(p_task_ids);
    return;
  end if;
  perform set_config('backloom.waiting',
    concat_ws(',', nullif(current_setting('backloom.waiting', true), ''), array_to_string(p_task_ids, ',')), true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.remember_released(p_task_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_codes jsonb;
begin
  select jsonb_agg(t.code order by t.sort_order, t.code) into v_codes
  from public.tasks t
  where t.id = any (p_task_ids) and t.status = 'TO_DO'
    and (exists (select from public.task_dependencies d where d.blocked_id = t.id)
      or exists (select from public.story_dependencies d where d.blocked_id = t.story_id))
    and not private.is_blocked(t.id);
  if v_codes is not null then
    perform set_config('backloom.released',
      (coalesce(nullif(current_setting('backloom.released', true), '')::jsonb, '[]') || v_codes)::text, true);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reopen_tasks(p_job public.agent_jobs, p_story_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_awaiting uuid[];
begin
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    update public.tasks t set status = 'IN_PROGRESS' where t.id = p_job.task_id and t.status = 'REVIEW';
    return;
  end if;
  v_awaiting := array(select t.id from private.tasks_awaiting_proof(p_job.sprint_run_id) t where t.story_id = any (p_story_ids));
  update public.tasks t set status = 'IN_PROGRESS' where t.id = any (v_awaiting);
  update public.task_executions e set status = 'PENDING', started_at = null
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = any (v_awaiting);
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_unmerged(p_change private.changes)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job private.works;
  v_begun text;
begin
  select w.* into v_job from private.works w where w.id = p_change.thing_id;
  if not found then
    return 'was deleted since';
  end if;
  perform private.require_product_owner(v_job.product_id);
  if v_job.merged_at is distinct from (p_change.after ->> 'merged_at')::timestamptz then
    return 'was changed since';
  end if;

  select string_agg(distinct private.code_of('job', a.id), ', ') into v_begun
  from public.agent_jobs a
  where a.product_id = v_job.product_id and a.claimed_at >= p_change.changed_at
    and private.tasks_of_job(a) && private.tasks_blocked_by(private.tasks_of_work(v_job.kind, v_job.task_id, v_job.sprint_run_id));
  if v_begun is not null then
    return format('unblocked work that an agent has started since (%s)', v_begun);
  end if;

  perform private.set_merged(array[v_job.id], null);
  perform private.audit(auth.uid(), auth.uid(), 'job.merge_taken_back', jsonb_build_object('product_id', v_job.product_id,
    'job_id', v_job.id, 'code', p_change.code, 'head_sha', v_job.head_sha));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.stories_to_finish(p_job public.agent_jobs)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    return array(select distinct t.story_id from private.tasks_awaiting_proof(p_job.sprint_run_id) t);
  end if;
  return array(select t.story_id from public.tasks t where t.id = p_job.task_id and private.finishes_story(t.id));
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
    perform private.recount_or_note(nullif(private.tasks_blocked_by(private.tasks_of_work(old.kind, old.task_id, old.sprint_run_id)), '{}'));
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_task_executions__advance_task()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  case new.status
    when 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = new.task_id and t.status = 'TO_DO';
    when 'DONE' then
      update public.tasks t set status = case when private.awaits_proof(t.id, new.verify_result) then 'REVIEW' else 'DONE' end::public.task_status
      where t.id = new.task_id and t.status <> 'DONE';
    when 'SKIPPED' then
      update public.tasks t set status = 'REVIEW' where t.id = new.task_id and t.status not in ('DONE', 'REVIEW');
    when 'FAILED' then
      update public.agent_jobs j set task_id = new.task_id
      where j.sprint_run_id = new.sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
      update public.tasks t set status = 'FAILED' where t.id = new.task_id and t.status <> 'FAILED';
      return null;
    else
      null;
  end case;

  update public.agent_jobs j
  set task_id = n.task_id
  from (
    select e.task_id from public.task_executions e
    where e.sprint_run_id = new.sprint_run_id and e.status in ('RUNNING', 'PENDING')
    order by (e.status = 'RUNNING') desc, e.position
    limit 1
  ) n
  where j.sprint_run_id = new.sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    and j.task_id is distinct from n.task_id;
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
    perform private.recount_or_note(nullif(private.tasks_blocked_by('{}', array(select distinct n.story_id from new_tasks n)), '{}'));
  else
    perform private.derive_stories(array(select distinct o.story_id from old_tasks o));
    perform private.recount_or_note(nullif(private.tasks_blocked_by('{}', array(select distinct o.story_id from old_tasks o)), '{}'));
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.verify_work(p_job public.agent_jobs, p_execution public.task_executions, p_verify_result text, p_changed_files jsonb, p_evidence jsonb, p_base_sha text, p_head_sha text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_plan text := coalesce(p_execution.plan_snapshot, p_job.plan_snapshot);
  v_required public.verify_required;
  v_result public.verify_result;
  v_outcome text;
  v_missing jsonb;
begin
  if jsonb_typeof(coalesce(p_changed_files, '[]')) <> 'array' or length(coalesce(p_changed_files, '[]')::text) > 262144
    or length(coalesce(p_evidence, '{}')::text) > 65536 then
    perform private.refuse(422, 'changed_files must be a list of paths (256 KiB at most), evidence at most 64 KiB of JSON.');
  end if;
  select t.* into v_task from public.tasks t where t.id = coalesce(p_execution.task_id, p_job.task_id);
  v_required := coalesce(p_execution.verify_required, v_task.verify_required);
  v_result := coalesce(
    case when jsonb_array_length(p_changed_files) = 0 then 'EMPTY'::public.verify_result end,
    private.require_choice('verify_result', p_verify_result, array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result,
    private.classify_diff(v_plan, p_changed_files));
  if v_result is null then
    perform private.refuse(422, 'Give verify_result (aligned, partial, empty, divergent) or changed_files.');
  end if;

  if p_execution.id is not null then
    update public.task_executions e set verify_result = v_result where e.id = p_execution.id;
  end if;
  update public.agent_jobs j
  set verify_result = case when p_execution.id is null then v_result else j.verify_result end,
      base_sha = coalesce(j.base_sha, left(p_base_sha, 64)), head_sha = coalesce(left(p_head_sha, 64), j.head_sha),
      evidence = coalesce(p_evidence, j.evidence)
  where j.id = p_job.id;

  perform private.note_head(v_task.story_id, p_job, p_head_sha);

  v_outcome := private.end_after_verify(v_required, v_result, v_task.verify_only);
  v_missing := case when v_outcome = 'DONE' then private.proof_gap(v_task.id) end;
  if v_missing is not null then
    v_outcome := null;
  end if;
  return json_build_object('job_id', p_job.id, 'task_id', v_task.id, 'task_code', v_task.code,
    'execution_id', p_execution.id, 'verify_result', v_result, 'verify_required', v_required,
    'verify_only', v_task.verify_only, 'passes', v_outcome is not null, 'report', lower(v_outcome),
    'plan', v_plan, 'missing', coalesce(v_missing, '[]'),
    'hint', case v_outcome
      when 'DONE' then 'The gate is open: report done.'
      when 'SKIPPED' then 'Nothing differs from the main branch: the work is already present. Report skipped.'
      else case when v_missing is not null then 'Not proven yet, and the product requires it: '
        || (select string_agg(m ->> 'message', ' ') from jsonb_array_elements(v_missing) m)
      else format('The gate needs %s. Finish what is missing and verify again, or report failed with failure_class verification_failed.', v_required) end
    end);
end;
$function$;

COMMENT ON COLUMN "public"."stories"."in_triage" IS 'Set aside: it must be accepted before it is part of the backlog (its status is TRIAGE), or is a template.';
