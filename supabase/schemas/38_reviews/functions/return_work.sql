-- Why: faults that a code host or the landing queue found in finished work go to its agent as a review that requests
-- changes, in the same session. With p_question a person is asked as well, and the job waits for the answer. Called
-- under the product lock.
create function private.return_work(p_job public.agent_jobs, p_words text, p_author text, p_question text default null)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  -- At most what a review may hold.
  insert into public.job_reviews (job_id, product_id, attempt, verdict, summary, author, head_sha)
  values (p_job.id, p_job.product_id, p_job.attempt, 'request_changes', left(p_words, 10000), p_author, p_job.head_sha);
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    -- A batch is over with its run: people decide what follows.
    perform private.ask_person(p_job, false, coalesce(p_question, left(p_words, 3000)));
    return;
  end if;
  if p_job.status = 'QUEUED' then
    perform private.reject_review(p_job.id);
  else
    perform private.reopen_run(p_job);
    perform private.reopen_job(p_job);
  end if;
  if p_question is not null then
    perform private.ask_person(p_job, true, p_question);
  end if;
end;
$$;

comment on function private.return_work is 'Work that is done goes back to its agent (docs/forges.md).';

-- Why: CI, reviewers and the queue often report after the run has ended; a run that was done is then reopened with the
-- job. Not if its sprint has ended or another run is at work: then the task waits on the board for the next run, which
-- gets the same review.
create function private.reopen_run(p_job public.agent_jobs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.sprint_runs r set status = 'QUEUED', finished_at = null, failure = null
  where r.id = p_job.sprint_run_id and r.status = 'DONE'
    and (private.active_run_of_task(p_job.task_id)).id is null
    and (r.sprint_id is null or (
      exists (select from public.sprints s where s.id = r.sprint_id and s.status = 'ACTIVE')
      and not exists (select from public.sprint_runs o where o.sprint_id = r.sprint_id and o.status in ('QUEUED', 'RUNNING', 'PAUSED'))));
end;
$$;

comment on function private.reopen_run is 'A run that was done is continued with a job that comes back (docs/forges.md).';
