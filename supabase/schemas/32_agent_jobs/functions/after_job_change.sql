-- Why: what happens when a job is claimed, ends or returns to the queue, in this order. Under a shared product lock the
-- locks are taken in the order story and PBI (with the task), run, jobs.
create function private.after_job_change(p_old public.agent_jobs, p_new public.agent_jobs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
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
$$;

comment on function private.after_job_change is
  'What follows from a job''s change, in order (specification: Agent job; Task; Sprint run).';

-- Why: attempts follow the job, whatever writes it: a claim begins one, leaving CLAIMED and RUNNING ends it.
create function private.begin_attempt(p_job public.agent_jobs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, confinement, started_at)
  values (p_job.id, p_job.attempt, p_job.product_id, p_job.worker_id,
    coalesce((select w.name from public.agent_workers w where w.id = p_job.worker_id), ''), p_job.confinement,
    coalesce(p_job.claimed_at, private.now()))
  on conflict (job_id, attempt) do nothing;
end;
$$;

comment on function private.begin_attempt is 'Begins a row of job_attempts (specification: Agent job; attempts).';

-- Why: the outcome of a requeued job says why: a limit, a question, a budget, a lost lease, a failed verifier, work done
-- and now for somebody else to check, or returned by its worker.
create function private.end_attempt(p_old public.agent_jobs, p_new public.agent_jobs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
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
$$;

comment on function private.end_attempt is 'Ends a row of job_attempts (specification: Agent job; attempts).';

-- Why: under a shared product lock the end of a task only notes what to recount (private.settle_waiting). By now story
-- and PBI have followed; the run is locked before the rows of its jobs, and before its branch queue advances.
create function private.release_noted(p_sprint_run_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
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
$$;

comment on function private.release_noted is 'Frees what waited for the task of a job that ended (specification: Agent job).';
