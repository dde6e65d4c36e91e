-- Why: what follows from a change of a task, story or job is said in one function each, in order.
set local check_function_bodies = off;

DROP TRIGGER "_500_advance_task" ON "public"."agent_jobs";

DROP TRIGGER "_520_note_attempt" ON "public"."agent_jobs";

DROP TRIGGER "_530_keep_usage" ON "public"."agent_jobs";

DROP TRIGGER "_590_settle_waiting" ON "public"."agent_jobs";

DROP TRIGGER "_592_settle_merged" ON "public"."agent_jobs";

DROP TRIGGER "_600_advance_lane_deleted" ON "public"."agent_jobs";

DROP TRIGGER "_600_advance_lane" ON "public"."agent_jobs";

DROP TRIGGER "_605_pass_turn" ON "public"."agent_jobs";

DROP TRIGGER "_640_settle_messages" ON "public"."agent_jobs";

DROP TRIGGER "_890_tell_inbox" ON "public"."agent_jobs";

DROP TRIGGER "_510_derive_pbi_delete" ON "public"."stories";

DROP TRIGGER "_510_derive_pbi_insert" ON "public"."stories";

DROP TRIGGER "_510_derive_pbi_update" ON "public"."stories";

DROP TRIGGER "_550_record_sprint" ON "public"."stories";

DROP TRIGGER "_560_settle_waiting" ON "public"."stories";

DROP TRIGGER "_890_tell_inbox" ON "public"."stories";

DROP TRIGGER "_891_tell_inbox" ON "public"."stories";

DROP TRIGGER "_892_tell_inbox" ON "public"."stories";

DROP TRIGGER "_500_derive_story_delete" ON "public"."tasks";

DROP TRIGGER "_500_derive_story_insert" ON "public"."tasks";

DROP TRIGGER "_550_record_move" ON "public"."tasks";

DROP TRIGGER "_550_record_status_insert" ON "public"."tasks";

DROP TRIGGER "_550_record_status_update" ON "public"."tasks";

DROP TRIGGER "_555_note_review_insert" ON "public"."tasks";

DROP TRIGGER "_555_note_review_update" ON "public"."tasks";

DROP TRIGGER "_560_settle_waiting_deleted" ON "public"."tasks";

DROP TRIGGER "_560_settle_waiting_inserted" ON "public"."tasks";

DROP TRIGGER "_560_settle_waiting" ON "public"."tasks";

DROP TRIGGER "_610_cascade_failure" ON "public"."tasks";

DROP TRIGGER "_620_finish_elsewhere" ON "public"."tasks";

DROP TRIGGER "_700_notices" ON "public"."tasks";

DROP TRIGGER "_890_tell_inbox" ON "public"."tasks";

DROP TRIGGER "_990_derive_story_update" ON "public"."tasks";

DROP FUNCTION "private"."tg_agent_jobs__advance_lane"();

DROP FUNCTION "private"."tg_agent_jobs__advance_task"();

DROP FUNCTION "private"."tg_agent_jobs__keep_usage"();

DROP FUNCTION "private"."tg_agent_jobs__note_attempt"();

DROP FUNCTION "private"."tg_agent_jobs__pass_turn"();

DROP FUNCTION "private"."tg_agent_jobs__settle_messages"();

DROP FUNCTION "private"."tg_agent_jobs__settle_waiting"();

DROP FUNCTION "private"."tg_stories__derive_pbi"();

DROP FUNCTION "private"."tg_stories__record_sprint"();

DROP FUNCTION "private"."tg_stories__settle_waiting"();

DROP FUNCTION "private"."tg_stories__tell_inbox"();

DROP FUNCTION "private"."tg_tasks__cascade_failure"();

DROP FUNCTION "private"."tg_tasks__derive_story"();

DROP FUNCTION "private"."tg_tasks__finish_elsewhere"();

DROP FUNCTION "private"."tg_tasks__note_review"();

DROP FUNCTION "private"."tg_tasks__notices"();

DROP FUNCTION "private"."tg_tasks__record_status_change"();

DROP FUNCTION "private"."tg_tasks__settle_waiting"();

DROP FUNCTION "private"."tg_tasks__settle_waiting_inserted"();

CREATE OR REPLACE FUNCTION private.advance_branch_queue(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not private.is_run_unfinished(p_job.sprint_run_id) then
    return;
  end if;

  if private.bring_next_in_turn(p_job.sprint_run_id, p_job.lane_id) then
    return;
  end if;
  perform private.lock_part('run', p_job.sprint_run_id);
  perform private.complete_run(p_job.sprint_run_id);
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
        perform private.release_held_tasks(p_job.sprint_run_id);
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
    perform private.end_attempt(p_old, p_new);
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
    perform private.settle_messages(p_old, p_new);
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
    perform private.tell_triage(array(select distinct n.product_id from new_stories n where n.in_triage and not n.is_template));
    return null;
  elsif tg_op = 'DELETE' then
    perform private.derive_pbis(array(select distinct o.pbi_id from old_stories o));
    perform private.tell_triage(array(select distinct o.product_id from old_stories o where o.in_triage));
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
  perform private.settle_waiting((
    select array_agg(t.id)
    from new_stories n
    join old_stories o on o.id = n.id and (o.status = 'DONE') <> (n.status = 'DONE')
    join public.story_dependencies d on d.blocker_id = n.id
    join public.tasks t on t.story_id = d.blocked_id));

  perform private.tell_triage(array(
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
    perform private.settle_task_waiting(p_old, p_new);
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

CREATE OR REPLACE FUNCTION private.begin_attempt(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, confinement, started_at)
  values (p_job.id, p_job.attempt, p_job.product_id, p_job.worker_id,
    coalesce((select w.name from public.agent_workers w where w.id = p_job.worker_id), ''), p_job.confinement,
    coalesce(p_job.claimed_at, private.now()))
  on conflict (job_id, attempt) do nothing;
end;
$function$;

CREATE OR REPLACE FUNCTION private.derive_pbis(p_pbi_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_pbi_ids uuid[];
begin
  -- Most changes leave the PBI as it is: then no write is tried, and no trigger of PBIs fires.
  select array_agg(b.id)
  into v_pbi_ids
  from public.pbis b
  where b.id = any (p_pbi_ids) and b.status <> 'BLOCKED' and b.status <> private.derived_pbi_status(b.id);
  if v_pbi_ids is not null then
    update public.pbis b set status = private.derived_pbi_status(b.id) where b.id = any (v_pbi_ids);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.derive_stories(p_story_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story_ids uuid[];
begin
  -- Most changes leave the story as it is: then no write is tried, and no trigger of stories fires.
  select array_agg(s.id)
  into v_story_ids
  from public.stories s
  where s.id = any (p_story_ids) and s.status <> private.derived_story_status(s.id, s.sprint_id);
  if v_story_ids is not null then
    update public.stories s
    set status = private.derived_story_status(s.id, s.sprint_id)
    where s.id = any (v_story_ids);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_attempt(p_old public.agent_jobs, p_new public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_outcome text := lower(p_new.status::text);
begin
  -- Apart from the update, so that the end of a job, which is what mostly comes here, does not prepare to look for conflicts.
  if p_new.status = 'QUEUED' then
    v_outcome := case
      when p_new.phase <> p_old.phase then 'done'
      when p_new.failure_class = 'rate_limited' then 'rate_limited'
      -- Only a verifier's report puts a job off; what is lost comes back at once.
      when p_new.failure_class is not null then case when p_new.not_before is null then 'lost' else 'failed_look' end
      when p_new.stopped_by_budget_id is not null then 'budget'
      when p_new.parked_question_id is not null then 'question'
      when exists (select from public.job_conflicts c where c.job_id = p_new.id and c.attempt = p_new.attempt and c.decision <> 'noted') then 'conflict'
      else 'returned'
    end;
  end if;
  update public.job_attempts a
  set ended_at = private.now(), head_sha = p_new.head_sha, outcome = v_outcome
  where a.job_id = p_new.id and a.attempt = p_new.attempt and a.ended_at is null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.finish_elsewhere(p_task_id uuid)
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
    and (j.kind <> 'SPRINT_IMPLEMENTATION' or not exists (select from private.held_tasks(j.sprint_run_id)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_in_review(p_task_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.tasks_in_review r
  using public.tasks t
  where r.task_id = p_task_id and t.id = r.task_id and t.status <> 'REVIEW';
  insert into public.tasks_in_review (task_id, product_id)
  select t.id, t.product_id from public.tasks t where t.id = p_task_id and t.status = 'REVIEW'
  on conflict (task_id) do nothing;
end;
$function$;

CREATE OR REPLACE FUNCTION private.notify_review(p_task public.tasks)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
begin
  select s.* into v_story from public.stories s where s.id = p_task.story_id;
  perform private.queue_notices('review_needed', p_task.product_id, v_story.assignee_id, true,
    format('%s is ready for review', p_task.code), p_task.title,
    case when v_story.sprint_id is null then format('/products/%s/backlog', p_task.product_id)
      else format('/products/%s/sprints/%s', p_task.product_id, v_story.sprint_id) end,
    jsonb_build_object('task_id', p_task.id, 'task_code', p_task.code, 'story_id', v_story.id, 'story_code', v_story.code,
      'sprint_id', v_story.sprint_id, 'status', 'review'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.release_noted(p_sprint_run_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_waiting uuid[] := string_to_array(nullif(current_setting('backloom.waiting', true), ''), ',');
begin
  if v_waiting is null then
    return;
  end if;
  perform set_config('backloom.waiting', '', true), private.lock_part('run', p_sprint_run_id);
  perform private.recount_blockers(v_waiting);
  perform private.note_released(v_waiting);
end;
$function$;

CREATE OR REPLACE FUNCTION private.settle_messages(p_old public.agent_jobs, p_new public.agent_jobs)
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

CREATE OR REPLACE FUNCTION private.settle_task_waiting(p_old public.tasks, p_new public.tasks)
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
    perform private.settle_waiting(v_task_ids);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.stop_failed_run(p_task public.tasks)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_job public.agent_jobs;
begin
  perform private.lock_product(p_task.product_id);
  v_run := private.active_run_of_task(p_task.id);
  if v_run.id is null then
    return;
  end if;

  update public.agent_jobs j
  set status = 'FAILED', failure_class = coalesce(j.failure_class, 'agent_error'),
      failure_reason = coalesce(j.failure_reason, 'Its task failed.')
  where j.sprint_run_id = v_run.id and j.task_id = p_task.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  update public.task_executions e
  set status = 'FAILED', failure_reason = coalesce(e.failure_reason, (
    select j.failure_reason from public.agent_jobs j
    where j.sprint_run_id = v_run.id and j.task_id = p_task.id and j.status = 'FAILED' order by j.position limit 1), 'Its task failed.')
  where e.sprint_run_id = v_run.id and e.task_id = p_task.id and e.status in ('PENDING', 'RUNNING');

  select j.* into v_job from public.agent_jobs j
  where j.sprint_run_id = v_run.id and j.task_id = p_task.id order by j.position limit 1;

  perform private.end_run(v_run, 'FAILED', format('Task %s failed, so the run was stopped.', p_task.code),
    jsonb_build_object('task_id', p_task.id, 'task_code', p_task.code, 'job_id', v_job.id,
      'failure_class', v_job.failure_class, 'reason', v_job.failure_reason));

  update public.sprints s set status = 'FAILED' where s.id = v_run.sprint_id and s.status = 'ACTIVE';
end;
$function$;

CREATE OR REPLACE FUNCTION private.tell_triage(p_product_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.emit_to_members(p.id, jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p.id, 'product_id', p.id))
  from unnest(p_product_ids) as p (id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__follow()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' then
    perform private.advance_branch_queue(old);
  elsif tg_op = 'INSERT' then
    perform private.advance_task(new);
  else
    perform private.after_job_change(old, new);
  end if;
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
    perform private.settle_waiting(nullif(private.waiting_for('{}', array(select distinct n.story_id from new_tasks n)), '{}'));
  else
    perform private.derive_stories(array(select distinct o.story_id from old_tasks o));
    perform private.settle_waiting(nullif(private.waiting_for('{}', array(select distinct o.story_id from old_tasks o)), '{}'));
  end if;
  return null;
end;
$function$;

CREATE TRIGGER _890_follow_delete AFTER DELETE ON public.agent_jobs FOR EACH ROW WHEN (((old.sprint_run_id IS NOT NULL) AND (old.status = ANY (ARRAY['QUEUED'::public.agent_job_status, 'CLAIMED'::public.agent_job_status, 'RUNNING'::public.agent_job_status])))) EXECUTE FUNCTION private.tg_agent_jobs__follow();

CREATE TRIGGER _890_follow_insert AFTER INSERT ON public.agent_jobs FOR EACH ROW WHEN (((new.task_id IS NOT NULL) AND (new.status <> ALL (ARRAY['QUEUED'::public.agent_job_status, 'CANCELLED'::public.agent_job_status])))) EXECUTE FUNCTION private.tg_agent_jobs__follow();

CREATE TRIGGER _890_follow_update AFTER UPDATE OF status, attempt, phase ON public.agent_jobs FOR EACH ROW WHEN (((new.status <> old.status) OR (new.attempt <> old.attempt) OR (new.phase <> old.phase))) EXECUTE FUNCTION private.tg_agent_jobs__follow();

CREATE TRIGGER _891_settle_merged AFTER UPDATE OF merged_at ON public.agent_jobs FOR EACH ROW WHEN ((new.merged_at IS DISTINCT FROM old.merged_at)) EXECUTE FUNCTION private.tg_agent_jobs__settle_merged();

CREATE TRIGGER _950_follow_delete AFTER DELETE ON public.stories REFERENCING OLD TABLE AS old_stories FOR EACH STATEMENT EXECUTE FUNCTION private.after_story_change();

CREATE TRIGGER _950_follow_insert AFTER INSERT ON public.stories REFERENCING NEW TABLE AS new_stories FOR EACH STATEMENT EXECUTE FUNCTION private.after_story_change();

CREATE TRIGGER _950_follow_update AFTER UPDATE ON public.stories REFERENCING OLD TABLE AS old_stories NEW TABLE AS new_stories FOR EACH STATEMENT EXECUTE FUNCTION private.after_story_change();

CREATE TRIGGER _950_follow_delete AFTER DELETE ON public.tasks REFERENCING OLD TABLE AS old_tasks FOR EACH STATEMENT EXECUTE FUNCTION private.tg_tasks__follow();

CREATE TRIGGER _950_follow_insert AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS new_tasks FOR EACH STATEMENT EXECUTE FUNCTION private.tg_tasks__follow();

CREATE TRIGGER _950_follow_update AFTER UPDATE OF status, story_id ON public.tasks FOR EACH ROW WHEN (((new.status <> old.status) OR (new.story_id <> old.story_id))) EXECUTE FUNCTION private.tg_tasks__follow();

COMMENT ON FUNCTION "private"."advance_branch_queue"(public.agent_jobs) IS 'Brings the next job of a branch queue in turn and completes the run (specification: Agent job; Sprint run).';

COMMENT ON FUNCTION "private"."advance_task"(public.agent_jobs) IS 'todo to in_progress, to done, to review, to failed as the job says; run QUEUED to RUNNING (specification: Task, Sprint run).';

COMMENT ON FUNCTION "private"."after_job_change"(public.agent_jobs, public.agent_jobs) IS 'What follows from a job''s change, in order (specification: Agent job; Task; Sprint run).';

COMMENT ON FUNCTION "private"."after_story_change"() IS 'What follows from new, changed and deleted stories (specification: States and transitions, Story, PBI).';

COMMENT ON FUNCTION "private"."after_task_change"(public.tasks, public.tasks) IS 'What follows from a task''s change, in order (specification: States and transitions, Task).';

COMMENT ON FUNCTION "private"."begin_attempt"(public.agent_jobs) IS 'Begins a row of job_attempts (specification: Agent job; attempts).';

COMMENT ON FUNCTION "private"."derive_pbis"(uuid[]) IS 'PBIs follow their stories (specification: States and transitions, PBI).';

COMMENT ON FUNCTION "private"."derive_stories"(uuid[]) IS 'Stories follow their tasks (specification: States and transitions, Story).';

COMMENT ON FUNCTION "private"."end_attempt"(public.agent_jobs, public.agent_jobs) IS 'Ends a row of job_attempts (specification: Agent job; attempts).';

COMMENT ON FUNCTION "private"."finish_elsewhere"(uuid) IS 'A task done by hand is done in its batch run too, and ends the job that waited for a look at it (specification: Sprint run, executions; docs/proof.md).';

COMMENT ON FUNCTION "private"."list_in_review"(uuid) IS 'Keeps tasks_in_review (specification: States and transitions, Task).';

COMMENT ON FUNCTION "private"."notify_review"(public.tasks) IS 'Notices of tasks that wait for a review (specification: Task).';

COMMENT ON FUNCTION "private"."release_noted"(uuid) IS 'Frees what waited for the task of a job that ended (specification: Agent job).';

COMMENT ON FUNCTION "private"."settle_messages"(public.agent_jobs, public.agent_jobs) IS 'What becomes of messages to an agent when its work ends.';

COMMENT ON FUNCTION "private"."settle_task_waiting"(public.tasks, public.tasks) IS 'Counters follow the status and the story of a task.';

COMMENT ON FUNCTION "private"."stop_failed_run"(public.tasks) IS 'A failed task of a run fails sprint and run and cancels the rest (specification: Task, becomes failed).';

COMMENT ON FUNCTION "private"."tell_triage"(uuid[]) IS 'Tells the members of products that what waits in triage has changed.';

COMMENT ON FUNCTION "private"."tg_agent_jobs__follow"() IS 'What follows from a new, changed or deleted job (specification: Agent job).';

COMMENT ON FUNCTION "private"."tg_tasks__follow"() IS 'What follows from a new, changed or deleted task (specification: States and transitions, Task).';

REVOKE ALL ON FUNCTION "private"."advance_branch_queue"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."advance_branch_queue"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."advance_task"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."advance_task"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."after_job_change"(public.agent_jobs, public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."after_job_change"(public.agent_jobs, public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."after_story_change"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."after_story_change"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."after_task_change"(public.tasks, public.tasks) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."after_task_change"(public.tasks, public.tasks) TO "postgres";

REVOKE ALL ON FUNCTION "private"."begin_attempt"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_attempt"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."derive_pbis"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."derive_pbis"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."derive_stories"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."derive_stories"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_attempt"(public.agent_jobs, public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_attempt"(public.agent_jobs, public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."finish_elsewhere"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."finish_elsewhere"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_in_review"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_in_review"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."notify_review"(public.tasks) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."notify_review"(public.tasks) TO "postgres";

REVOKE ALL ON FUNCTION "private"."release_noted"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."release_noted"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_messages"(public.agent_jobs, public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_messages"(public.agent_jobs, public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_task_waiting"(public.tasks, public.tasks) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_task_waiting"(public.tasks, public.tasks) TO "postgres";

REVOKE ALL ON FUNCTION "private"."stop_failed_run"(public.tasks) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."stop_failed_run"(public.tasks) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tell_triage"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tell_triage"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_agent_jobs__follow"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_agent_jobs__follow"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_tasks__follow"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_tasks__follow"() TO "postgres";
