-- Why: the history of attempts follows the job, whatever path wrote it: a claim begins one, leaving CLAIMED and RUNNING ends it.
-- A job that is back in the queue says why: a limit, a question, a budget, a lost lease, that it
-- is for somebody else to look at now, or that its worker gave it back.
-- Definer: attempts are nobody's to write.
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
    insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, started_at)
    values (new.id, new.attempt, new.product_id, new.worker_id,
      coalesce((select w.name from public.agent_workers w where w.id = new.worker_id), ''), coalesce(new.claimed_at, private.now()))
    on conflict (job_id, attempt) do nothing;
    return null;
  end if;

  -- Apart from the update, so that the end of a job, which is what mostly comes here, does not prepare to look for conflicts.
  if new.status = 'QUEUED' then
    v_outcome := case
      when new.phase <> old.phase then 'done'
      when new.failure_class = 'rate_limited' then 'rate_limited'
      when new.failure_class is not null then 'lost'
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
