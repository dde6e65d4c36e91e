-- A new job knows its blockers from the start. Definer: counts independently of what the caller may see.
create function private.tg_agent_jobs__count_blockers()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  new.open_blockers := private.count_open_blockers(new);
  return new;
end;
$$;
create trigger _150_count_blockers
before insert on public.agent_jobs
for each row when (new.kind <> 'PLAN_CHAT')
execute function private.tg_agent_jobs__count_blockers();

-- Sets what follows from a job's row alone, for every writer: a single job outside a run is refused with the
-- alternative, a final status has its time, a queued or finished job has no lease, and a job alone has its own branch
-- queue. Invoker on purpose: the current role separates a user's direct insert (always refused) from one by our own
-- functions (specification: Starting a sprint run 3; Agent job).
create function private.tg_agent_jobs__stamp() returns trigger language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if current_user = 'authenticated' or (new.sprint_run_id is null and new.kind <> 'PLAN_CHAT') then
      perform private.refuse(409,
        'Single jobs can no longer be created. Start a sprint run instead: it creates the jobs of all its tasks (start_sprint_run).');
    end if;
    new.lane_id := coalesce(new.lane_id, new.id);
  end if;

  -- A hold ends with the attempt of the person, with the job, and when an agent claims after the time to wait.
  if tg_op = 'UPDATE' and new.taken_by is not null and (new.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED')
    or (new.attempt <> old.attempt and new.taken_until is not null)
    or (new.status = 'QUEUED' and old.status <> 'QUEUED' and new.taken_until is null)) then
    new.taken_by := null;
    new.taken_until := null;
    new.take_at_once := false;
  end if;

  new.updated_at := private.now();
  if new.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED') then
    new.finished_at := coalesce(new.finished_at, private.now());
    new.lease_until := null;
  else
    new.finished_at := null;
  end if;
  if new.status = 'QUEUED' then
    new.lease_until := null;
  end if;
  return new;
end;
$$;
grant execute on function private.tg_agent_jobs__stamp to authenticated, service_role;

create trigger _200_stamp
before insert or update on public.agent_jobs
for each row execute function private.tg_agent_jobs__stamp();

-- The one place where the consequences of a job's change begin; private.after_job_change says which. They come before
-- the job's own event: who waits for a job's end finds its task finished. Definer: the caller may not write tasks, runs, attempts,
-- messages and the ledger (specification: Agent job).
create function private.tg_agent_jobs__follow()
returns trigger language plpgsql security definer set search_path = '' as $$
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
$$;
create trigger _890_follow_insert after insert on public.agent_jobs
  for each row when (new.task_id is not null and new.status not in ('QUEUED', 'CANCELLED'))
  execute function private.tg_agent_jobs__follow();
create trigger _890_follow_update after update of status, attempt, phase on public.agent_jobs
  for each row when (new.status <> old.status or new.attempt <> old.attempt or new.phase <> old.phase)
  execute function private.tg_agent_jobs__follow();
create trigger _890_follow_delete after delete on public.agent_jobs
  for each row when (old.sprint_run_id is not null and old.status in ('QUEUED', 'CLAIMED', 'RUNNING'))
  execute function private.tg_agent_jobs__follow();

-- Work that is merged releases what waits for it. Definer: the caller may not write jobs (docs/dependencies.md).
create function private.tg_agent_jobs__settle_merged()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if (select p.dependency_release from public.products p where p.id = old.product_id) = 'merged' then
    perform private.recount_now_or_at_job_end(private.tasks_blocked_by(private.tasks_of_work(old.kind, old.task_id, old.sprint_run_id)));
  end if;
  return null;
end;
$$;
create trigger _891_settle_merged
after update of merged_at on public.agent_jobs
for each row when (new.merged_at is distinct from old.merged_at)
execute function private.tg_agent_jobs__settle_merged();

-- The solo stream sends job events. A mere renewal of the lease sends none, nor the turn: the job before says it.
-- Blockers are sent only at 0. Definer: no client may call private.emit (specification: Solo stream).
create function private.tg_agent_jobs__emit()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_event jsonb;
begin
  if tg_op = 'UPDATE' and new.in_turn <> old.in_turn and new.status = old.status then
    return null;
  end if;
  if tg_op = 'UPDATE' then
    v_event := private.change_event(tg_op, 'job', null,
      jsonb_build_object('id', new.id, 'product_id', new.product_id), private.changed_job_fields(old, new));
  else
    v_event := private.change_event(tg_op, 'job', to_jsonb(old), to_jsonb(new));
  end if;
  if v_event is null or v_event -> 'changed_fields' = '["lease_until"]' then
    return null;
  end if;
  if v_event -> 'changed_fields' = '["open_blockers"]' and new.open_blockers > 0 then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'task_id', coalesce(new.task_id, old.task_id),
    'idea_id', coalesce(new.idea_id, old.idea_id),
    'kind', coalesce(new.kind, old.kind),
    'status', coalesce(new.status, old.status),
    'sprint_run_id', coalesce(new.sprint_run_id, old.sprint_run_id)
  );
  perform private.emit('product:' || coalesce(new.product_id, old.product_id), v_event);
  return null;
end;
$$;
create trigger _900_emit
after insert or update or delete on public.agent_jobs
for each row execute function private.tg_agent_jobs__emit();

-- Claims and ends write a job often, and always the same few columns. If no others differ, this finds their names
-- without converting the row to JSON twice, the most expensive part of an event. A column missing here is still found.
-- The names are in the order of private.changed_fields (specification: Solo stream, changed_fields).
create function private.changed_job_fields(p_old public.agent_jobs, p_new public.agent_jobs)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_rest public.agent_jobs := p_new;
begin
  v_rest.agent := p_old.agent;
  v_rest.attempt := p_old.attempt;
  v_rest.claimed_at := p_old.claimed_at;
  v_rest.confinement := p_old.confinement;
  v_rest.effort := p_old.effort;
  v_rest.finished_at := p_old.finished_at;
  v_rest.head_sha := p_old.head_sha;
  v_rest.lease_until := p_old.lease_until;
  v_rest.model := p_old.model;
  v_rest.plan_snapshot := p_old.plan_snapshot;
  v_rest.started_at := p_old.started_at;
  v_rest.status := p_old.status;
  v_rest.summary := p_old.summary;
  v_rest.updated_at := p_old.updated_at;
  v_rest.verify_result := p_old.verify_result;
  v_rest.worker_id := p_old.worker_id;
  if v_rest is distinct from p_old then
    return private.changed_fields(to_jsonb(p_old), to_jsonb(p_new));
  end if;
  return to_jsonb(array_remove(array[
    case when p_new.agent is distinct from p_old.agent then 'agent' end,
    case when p_new.attempt is distinct from p_old.attempt then 'attempt' end,
    case when p_new.claimed_at is distinct from p_old.claimed_at then 'claimed_at' end,
    case when p_new.confinement is distinct from p_old.confinement then 'confinement' end,
    case when p_new.effort is distinct from p_old.effort then 'effort' end,
    case when p_new.finished_at is distinct from p_old.finished_at then 'finished_at' end,
    case when p_new.head_sha is distinct from p_old.head_sha then 'head_sha' end,
    case when p_new.lease_until is distinct from p_old.lease_until then 'lease_until' end,
    case when p_new.model is distinct from p_old.model then 'model' end,
    case when p_new.plan_snapshot is distinct from p_old.plan_snapshot then 'plan_snapshot' end,
    case when p_new.started_at is distinct from p_old.started_at then 'started_at' end,
    case when p_new.status is distinct from p_old.status then 'status' end,
    case when p_new.summary is distinct from p_old.summary then 'summary' end,
    case when p_new.verify_result is distinct from p_old.verify_result then 'verify_result' end,
    case when p_new.worker_id is distinct from p_old.worker_id then 'worker_id' end
  ], null));
end;
$$;

-- What happens when a job is claimed, ends or returns to the queue, in this order. Under a shared product lock the
-- locks are taken in the order story and PBI (with the task), run, jobs (specification: Agent job; Task; Sprint run).
create function private.after_job_change(p_old public.agent_jobs, p_new public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_has_status_changed boolean := p_new.status <> p_old.status;
  v_was_held boolean := p_old.status in ('CLAIMED', 'RUNNING');
  v_has_ended boolean := p_new.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED');
begin
  if v_has_status_changed and p_new.task_id is not null and p_new.status not in ('QUEUED', 'CANCELLED') then
    perform private.advance_task(p_new);
  end if;

  -- A verdict that has not begun was about what is gone.
  if p_old.attempt > 0 and not v_was_held then
    perform private.drop_verdict(v.verdict_id) from public.pending_verdicts v where v.job_id = p_new.id;
  end if;

  -- Attempts follow the job: a claim begins one, leaving CLAIMED, RUNNING ends it (specification: Agent job; attempts).
  if p_new.attempt <> p_old.attempt then
    insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, agent, confinement, started_at)
    values (p_new.id, p_new.attempt, p_new.product_id, p_new.worker_id,
      coalesce((select w.name from public.agent_workers w where w.id = p_new.worker_id), ''), p_new.agent, p_new.confinement,
      coalesce(p_new.claimed_at, private.now()))
    on conflict (job_id, attempt) do nothing;
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

  -- A blocker may have been added behind it in the same branch queue: the turn passes on, or nothing would begin.
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
$$;

-- The outcome of a requeued job says why: a limit, a question, a budget, a lost lease, a failed verifier, work done
-- and now for someone else to check, or returned by its worker (specification: Agent job; attempts).
create function private.end_attempt(p_old public.agent_jobs, p_new public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_outcome text := lower(p_new.status::text);
begin
  -- Kept out of the update: most jobs end here without this lookup.
  if p_new.status = 'QUEUED' then
    v_outcome := case
      when p_new.phase = 'plan' then 'question'
      when p_new.phase <> p_old.phase then 'done'
      when private.awaits_choice(p_new) then 'failed'
      when p_new.fallback_agent is distinct from p_old.fallback_agent and p_new.failure_class <> 'rate_limited' then 'failed'
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
$$;

-- Under a shared product lock the end of a task only notes what to recount (private.recount_now_or_at_job_end). Story
-- and PBI have followed; the run is locked before its jobs and branch queue (specification: Agent job).
create function private.recount_noted(p_sprint_run_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
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
$$;

-- A task follows its job, and a run begins with the first claim of one of its jobs (specification: Task, Sprint run).
create function private.advance_task(p_job public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
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
$$;

-- Jobs that share a branch run one after another. When one is finished or deleted, the first unfinished job of its
-- branch queue gets the turn; when the run has none left, the run is done (specification: Agent job; Sprint run).
create function private.advance_branch_queue(p_job public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
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
$$;

-- The work of a deleted job reaches the main branch like any other.
create trigger _592_settle_merged
after update of merged_at on public.past_jobs
for each row when (new.merged_at is distinct from old.merged_at)
execute function private.tg_agent_jobs__settle_merged();

-- Work can be merged whose job was deleted. PT404, PT403, then the product lock.
create function private.lock_work(p_job_id uuid)
returns private.works language plpgsql volatile set search_path = '' as $$
declare
  v_work private.works;
begin
  select w.* into v_work from private.works w where w.id = p_job_id;
  if not found then
    perform private.refuse_unknown('agent job');
  end if;
  perform private.require_product_access(v_work.product_id);
  perform private.lock_product(v_work.product_id);
  perform private.require_product_write(v_work.product_id);
  select w.* into v_work from private.works w where w.id = p_job_id;
  return v_work;
end;
$$;

-- Since when work is known to be on main, or null. Triggers count again. Under the product lock (docs/dependencies.md).
create function private.set_merged(p_job_ids uuid[], p_merged_at timestamptz)
returns void language plpgsql volatile set search_path = '' as $$
begin
  update public.agent_jobs j set merged_at = p_merged_at where j.id = any (p_job_ids);
  update public.past_jobs j set merged_at = p_merged_at where j.id = any (p_job_ids);
end;
$$;
