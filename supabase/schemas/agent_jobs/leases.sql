-- Renews the lease and says what the worker does next: continue, pause (its run is paused; it still holds the
-- job) or stop (it no longer holds the job, or the product is archived), with the reason as code and message. For a
-- lost attempt, or in an archived product, nothing changes, because its work could not be reported.
-- Returns messages that people wrote to the job's agent, and stores which earlier ones the worker has seen.
-- Takes no product lock: one row, one statement, nothing else depends on it.
-- Definer: jobs are written by functions only (specification: Agent job, lease_until).
create function operations.heartbeat_agent_job(
  p_job_id uuid, p_attempt integer, p_quota_pct integer default null, p_usage jsonb default null,
  p_seen_messages jsonb default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
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

  select r.pause_context into v_pause from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status = 'PAUSED';
  -- A budget limits what agents use: it takes no job from a person's terminal.
  if not private.is_in_hand(v_job) then
    v_spent_up := private.enforce_budget(v_job, p_usage);
    if v_spent_up is not null then
      return json_build_object('action', 'stop', 'status', 'queued', 'lease_until', null,
        'reason', json_build_object('code', 'budget', 'message', v_spent_up));
    end if;
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
$$;
grant execute on function operations.heartbeat_agent_job to authenticated;
comment on function operations.heartbeat_agent_job is 'scope work';

-- The one place for how long a claim lasts without a call from its worker (specification: Agent job, lease_until).
create function private.lease() returns interval language plpgsql immutable set search_path = '' as $$
begin
  return interval '5 minutes';
end;
$$;

-- Under the product's lock. Returns how many leases had expired (specification: Agent job, lease_until).
create function private.requeue_expired_leases(p_product_id uuid)
returns integer language plpgsql volatile set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
  v_count integer := 0;
begin
  for v_job in
    select j.* from public.agent_jobs j
    where j.product_id = p_product_id and j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
    order by j.lease_until, j.id
    for update skip locked
  loop
    if private.requeue_lost_job(v_job, format('The lease of attempt %s expired at %s without a report from worker %s.',
        v_job.attempt, private.time_text(v_job.lease_until),
        coalesce((select w.name from public.agent_workers w where w.id = v_job.worker_id), 'unknown'))) is not null then
      v_count := v_count + 1;
    end if;
  end loop;
  return v_count;
end;
$$;

-- A lost lease (expired, or its worker restarted) requeues the job with one more retry; after three retries the next
-- agent of the product's list has it, and without one it fails and keeps the reason. A person's terminal that dies uses up
-- no job. Called under the product lock. The triggers carry a failure upwards (specification: Agent job, lease_until).
create function private.requeue_lost_job(p_job public.agent_jobs, p_reason text)
returns public.agent_job_status language plpgsql volatile set search_path = '' as $$
declare
  v_is_last boolean := p_job.retry_count >= 3 and not private.is_in_hand(p_job);
  v_reason text := case when v_is_last then 'All 3 retries are used up. ' else '' end || p_reason;
  v_fallback text := case when v_is_last then private.next_agent(p_job, null) end;
  v_question_id uuid := case when v_is_last and v_fallback is null then private.ask_about_failure(p_job, v_reason) end;
  v_status public.agent_job_status;
begin
  update public.agent_jobs j
  set status = case when v_is_last and v_question_id is null and v_fallback is null then 'FAILED' else 'QUEUED' end::public.agent_job_status,
      retry_count = case when v_fallback is null then least(j.retry_count + 1, 3) else 0 end,
      fallback_agent = coalesce(v_fallback, j.fallback_agent),
      failure_class = 'infrastructure',
      failure_reason = v_reason,
      parked_question_id = coalesce(v_question_id, j.parked_question_id),
      in_turn = j.in_turn and v_question_id is null,
      lease_until = null
  where j.id = p_job.id and j.attempt = p_job.attempt and j.status in ('CLAIMED', 'RUNNING')
  returning j.status into v_status;

  if v_status is not null then
    perform nextval('private.lost_lease_seq');
    if v_question_id is not null then
      perform private.bring_next_in_turn(p_job.sprint_run_id, p_job.lane_id);
    end if;
  end if;
  return v_status;
end;
$$;

-- Most reports are only accepted from the attempt that holds the job, and each renews the lease as a heartbeat
-- does. Returns the job under the product lock, or PT409 (specification: Agent job).
create function private.hold_job(p_job_id uuid, p_attempt integer)
returns public.agent_jobs language plpgsql volatile set search_path = '' as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_state text := private.attempt_state(v_job, p_attempt);
begin
  if v_state <> 'held' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  update public.agent_jobs j set lease_until = private.now() + private.lease() where j.id = p_job_id returning j.* into v_job;
  return v_job;
end;
$$;

-- The first line of every change of a job: 404, 403, the product lock, demo and archive. Returns the current row.
-- With p_share a job of one task takes only a share of the lock, and locks the story of its task: enough for the end of
-- one task, and for less. A batch affects more and always takes the exclusive lock (specification: Agent job).
create function private.lock_job(p_job_id uuid, p_share boolean default false)
returns public.agent_jobs language plpgsql volatile set search_path = '' as $$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  if not found then
    perform private.refuse_unknown('agent job');
  end if;
  perform private.require_product_access(v_job.product_id);
  if p_share and v_job.kind = 'TASK_IMPLEMENTATION' then
    perform private.share_product(v_job.product_id);
    -- Read under the lock: a task may have moved to another story until then.
    perform private.lock_part('story', (select t.story_id from public.tasks t where t.id = v_job.task_id));
  else
    perform private.lock_product(v_job.product_id);
  end if;
  perform private.require_product_write(v_job.product_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id for update;
  if not found then
    perform private.refuse_unknown('agent job');
  end if;
  return v_job;
end;
$$;

-- For an attempt that lost its job, in refusals and heartbeats: what to do (specification: Agent job; attempts).
create function private.attempt_words(p_job public.agent_jobs, p_attempt integer, p_state text)
returns text language plpgsql stable set search_path = '' as $$
begin
  if p_state = 'lost' and p_attempt = p_job.attempt and p_job.status in ('CLAIMED', 'RUNNING') then
    return format('Attempt %s of this job is held by %s. Only tokens of that user can report for it. Ask for a job of your own.',
      p_attempt, coalesce((
        select format('worker %s of %s', w.name, coalesce(private.username(w.user_id), 'another user'))
        from public.agent_workers w where w.id = p_job.worker_id), 'a worker of another user'));
  end if;
  return case p_state
    when 'cancelled' then format('This job was cancelled%s. Stop working on it and ask for the next one.',
      coalesce(': ' || rtrim(p_job.failure_reason, '. '), ''))
    when 'finished' then format('This job is already %s. Ask for the next one.', lower(p_job.status::text))
    when 'handed_over' then 'Your work on this job is done; it is waiting for a review by another worker or a person. Ask for the next one.'
    when 'parked' then case when p_job.phase = 'plan' then 'The plan is handed in and waits for a person. Stop here and ask for the next job; this one goes back to a worker with the verdict.'
      else 'This job is waiting for the answer to a question. It goes back to a worker once it is answered.' end
    when 'budget' then coalesce((select private.budget_stop_text(b) from public.budgets b where b.id = p_job.stopped_by_budget_id),
      'This job was stopped by a budget. Ask for the next one.')
    when 'requeued' then 'This job went back to the queue until the rate limit ends. Ask for the next one.'
    when 'sent_home' then 'The work of this attempt does not merge, and the job went back to the queue with both versions. Ask for the next one.'
    when 'failed' then 'Your attempt has failed, and a person chooses what follows, or another agent goes on. Ask for the next one.'
    when 'failed_look' then 'You could not review this work, so the job went back to the queue. Ask for the next one.'
    when 'returned' then 'This job was given back to the queue. Ask for the next one.'
    when 'archived' then 'The product is archived and can only be read. Its owner can restore it.'
    else format('Attempt %s no longer holds this job (it is at attempt %s, %s). Stop working on it and ask for the next one.',
      coalesce(p_attempt::text, '?'), p_job.attempt, lower(p_job.status::text))
  end;
end;
$$;
