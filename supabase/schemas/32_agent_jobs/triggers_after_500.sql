-- Why: a task follows its job (specification: States and transitions, Task), on insert and update, and a run begins
-- with the first claim of one of its jobs.
-- Definer: the caller may not write jobs and runs, and a rule must not depend on what the caller may see.
create function private.tg_agent_jobs__advance_task()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and new.status = old.status then
    return null;
  end if;

  case new.status
    when 'CLAIMED', 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = new.task_id and t.status = 'TO_DO';
      -- Only the first claim of a run: preparing an update costs more than this look, and it is every claim that comes here.
      if exists (select from public.sprint_runs r where r.id = new.sprint_run_id and r.status = 'QUEUED') then
        update public.sprint_runs r
        set status = 'RUNNING', started_at = coalesce(r.started_at, private.now())
        where r.id = new.sprint_run_id and r.status = 'QUEUED';
      end if;
    when 'DONE' then
      update public.tasks t set status = 'DONE'
      where t.id = new.task_id and t.status <> 'DONE'
        and not exists (
          select from public.task_executions e
          where new.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = new.sprint_run_id
            and e.task_id = new.task_id and e.status = 'SKIPPED'
        );
      if new.kind = 'SPRINT_IMPLEMENTATION' then
        perform private.release_held_tasks(new.sprint_run_id);
      end if;
    when 'SKIPPED' then
      if new.kind = 'SPRINT_IMPLEMENTATION' then
        update public.task_executions e
        set status = 'SKIPPED', verify_result = 'EMPTY', finished_at = private.now()
        where e.sprint_run_id = new.sprint_run_id and e.status in ('PENDING', 'RUNNING');
      else
        update public.tasks t set status = 'REVIEW' where t.id = new.task_id and t.status not in ('DONE', 'REVIEW');
      end if;
    when 'FAILED' then
      update public.tasks t set status = 'FAILED' where t.id = new.task_id and t.status <> 'FAILED';
    else
      null;
  end case;
  return null;
end;
$$;

comment on function private.tg_agent_jobs__advance_task is
  'todo to in_progress, to done, to review, to failed as the job says; run QUEUED to RUNNING (specification: Task, Sprint run).';

create trigger _500_advance_task
after insert or update of status on public.agent_jobs
for each row when (new.task_id is not null and new.status not in ('QUEUED', 'CANCELLED'))
execute function private.tg_agent_jobs__advance_task();

-- Why: attempts follow the job, whatever writes it: a claim begins one, leaving CLAIMED and RUNNING ends it. The
-- outcome of a requeued job says why: a limit, a question, a budget, a lost lease, a failed verifier, work done and now
-- for somebody else to check, or returned by its worker.
-- Definer: users may not write attempts.
create function private.tg_agent_jobs__note_attempt()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_outcome text := lower(new.status::text);
begin
  if new.attempt <> old.attempt then
    insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, confinement, started_at)
    values (new.id, new.attempt, new.product_id, new.worker_id,
      coalesce((select w.name from public.agent_workers w where w.id = new.worker_id), ''), new.confinement,
      coalesce(new.claimed_at, private.now()))
    on conflict (job_id, attempt) do nothing;
    return null;
  end if;

  -- Apart from the update, so that the end of a job, which is what mostly comes here, does not prepare to look for conflicts.
  if new.status = 'QUEUED' then
    v_outcome := case
      when new.phase <> old.phase then 'done'
      when new.failure_class = 'rate_limited' then 'rate_limited'
      -- Only a verifier's report puts a job off; what is lost comes back at once.
      when new.failure_class is not null then case when new.not_before is null then 'lost' else 'failed_look' end
      when new.stopped_by_budget_id is not null then 'budget'
      when new.parked_question_id is not null then 'question'
      when exists (select from public.job_conflicts c where c.job_id = new.id and c.attempt = new.attempt and c.decision <> 'noted') then 'conflict'
      else 'returned'
    end;
  end if;
  update public.job_attempts a
  set ended_at = private.now(), head_sha = new.head_sha, outcome = v_outcome
  where a.job_id = new.id and a.attempt = new.attempt and a.ended_at is null;
  return null;
end;
$$;

comment on function private.tg_agent_jobs__note_attempt is
  'Begins and ends the rows of job_attempts (specification: Agent job; attempts).';

create trigger _520_note_attempt
after update of status, attempt on public.agent_jobs
for each row when (
  new.attempt <> old.attempt
  or (old.status in ('CLAIMED', 'RUNNING') and new.status not in ('CLAIMED', 'RUNNING'))
)
execute function private.tg_agent_jobs__note_attempt();

-- Why: a lost or taken-over attempt can report no more, so the usage it has reported so far is final.
-- Definer: users may not write the ledger.
create function private.tg_agent_jobs__keep_usage()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.keep_usage_so_far(old.id, old.attempt);
  return null;
end;
$$;

comment on function private.tg_agent_jobs__keep_usage is
  'Keeps the usage of attempts that were lost (specification: Agent job, token usage).';

create trigger _530_keep_usage
after update of status, attempt on public.agent_jobs
for each row when (
  (old.attempt > 0 and new.attempt <> old.attempt)
  or (old.status in ('CLAIMED', 'RUNNING') and new.status in ('QUEUED', 'FAILED') and new.failure_class = 'infrastructure')
)
execute function private.tg_agent_jobs__keep_usage();

-- Why: under a shared product lock the end of a task only notes what to recount (private.settle_waiting). By now story
-- and PBI have followed; the run is locked before the rows of its jobs, and before its branch queue advances.
-- Definer: the caller may not write jobs.
create function private.tg_agent_jobs__settle_waiting()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_waiting uuid[] := string_to_array(nullif(current_setting('backloom.waiting', true), ''), ',');
begin
  if v_waiting is null then
    return null;
  end if;
  perform set_config('backloom.waiting', '', true), private.lock_part('run', new.sprint_run_id);
  perform private.recount_blockers(v_waiting);
  perform private.note_released(v_waiting);
  return null;
end;
$$;

comment on function private.tg_agent_jobs__settle_waiting is 'Frees what waited for the task of a job that ended (specification: Agent job).';

create trigger _590_settle_waiting
after update of status on public.agent_jobs
for each row when (new.status in ('DONE', 'SKIPPED') and old.status in ('CLAIMED', 'RUNNING'))
execute function private.tg_agent_jobs__settle_waiting();

-- Why: in products that wait for the merge, work that reaches the main branch releases what it blocks.
-- Definer: the caller may not write jobs.
create function private.tg_agent_jobs__settle_merged()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if (select p.dependency_release from public.products p where p.id = old.product_id) = 'merged' then
    perform private.settle_waiting(nullif(private.waiting_for(private.tasks_of_work(old.kind, old.task_id, old.sprint_run_id)), '{}'));
  end if;
  return null;
end;
$$;

comment on function private.tg_agent_jobs__settle_merged is 'Counters follow work to the main branch (docs/dependencies.md).';

create trigger _592_settle_merged
after update of merged_at on public.agent_jobs
for each row when (new.merged_at is distinct from old.merged_at)
execute function private.tg_agent_jobs__settle_merged();

-- Why: jobs that share a branch run one after another. When one is finished or deleted, the first unfinished job of its
-- branch queue gets the turn; when the run has none left, the run is done.
-- Definer: the caller may not write jobs and runs.
create function private.tg_agent_jobs__advance_lane()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if not private.is_run_unfinished(old.sprint_run_id) then
    return null;
  end if;

  if private.bring_next_in_turn(old.sprint_run_id, old.lane_id) then
    return null;
  end if;
  perform private.lock_part('run', old.sprint_run_id);
  perform private.complete_run(old.sprint_run_id);
  return null;
end;
$$;

comment on function private.tg_agent_jobs__advance_lane is
  'Brings the next job of a lane in turn and completes the run (specification: Agent job; Sprint run).';

create trigger _600_advance_lane
after update of status on public.agent_jobs
for each row when (
  old.sprint_run_id is not null
  and old.status in ('QUEUED', 'CLAIMED', 'RUNNING')
  and new.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED')
)
execute function private.tg_agent_jobs__advance_lane();

create trigger _600_advance_lane_deleted
after delete on public.agent_jobs
for each row when (old.sprint_run_id is not null and old.status in ('QUEUED', 'CLAIMED', 'RUNNING'))
execute function private.tg_agent_jobs__advance_lane();
