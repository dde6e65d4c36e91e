-- Asks a person; with p_park the job waits for the answer, which its next attempt reads (docs/forges.md).
create function private.ask_person(p_job public.agent_jobs, p_park boolean, p_question text)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_question_id uuid;
begin
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, asked_by, question, options, recommended_option, park)
  select p_job.product_id, t.story_id, t.id, p_job.id, p_job.sprint_run_id, p_job.created_by, p_question,
    case when p_park then '[{"label":"Try again"},{"label":"Try again, with what I write here"}]' else '[]' end::jsonb,
    case when p_park then 0 end, p_park
  from public.tasks t where t.id = p_job.task_id
  returning id into v_question_id;
  if p_park then
    update public.agent_jobs j set parked_question_id = v_question_id where j.id = p_job.id and j.status = 'QUEUED';
  end if;
end;
$$;

-- The branch is on the main branch: its jobs no longer wait for the merge, and unless a person must review them,
-- tasks in review are done. A token's report never replaces a person's review (docs/forges.md).
create function private.note_merged(p_product_id uuid, p_branch text)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_gate public.done_requires;
begin
  select p.done_requires into v_gate from public.products p where p.id = p_product_id;
  if v_gate = 'ci' then
    update public.agent_jobs j set status = 'DONE'
    where j.product_id = p_product_id and j.branch = p_branch and j.status = 'QUEUED' and j.phase = 'review';
  end if;
  if v_gate <> 'person' then
    update public.tasks t set status = 'DONE'
    where t.status = 'REVIEW' and t.id in (
      select j.task_id from public.agent_jobs j where j.product_id = p_product_id and j.branch = p_branch and j.status = 'DONE' and j.merged_at is null);
  end if;
  perform private.set_merged(array(
    select w.id from private.works w
    where w.product_id = p_product_id and w.branch = p_branch and w.merged_at is null and w.finished_at is not null
      and (w.status = 'DONE' or w.kind = 'SPRINT_IMPLEMENTATION')), private.now());
end;
$$;

-- Changes are requested for finished work. During its run the job itself returns, first in the queue, and jobs of
-- its branch that have not begun wait for it. Later its task returns to the board, and the next run gets the comments.
-- Failed work is retried by resuming. Called under the product lock (docs/review.md).
create function private.reopen_job(p_job public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_has_turn boolean;
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(409, 'This batch is over. Create a task for further changes.');
  end if;
  if p_job.status not in ('DONE', 'SKIPPED') then
    return;
  end if;
  if not private.is_run_unfinished(p_job.sprint_run_id) then
    update public.tasks t set status = 'TO_DO' where t.id = p_job.task_id and t.status in ('DONE', 'REVIEW');
    return;
  end if;

  v_has_turn := private.take_turn(p_job);
  update public.agent_jobs j
  set status = 'QUEUED', phase = 'implement', claim_rank = 0, in_turn = v_has_turn, verify_result = null,
      retry_count = 0, failure_class = null, failure_reason = null, parked_question_id = null, not_before = null
  where j.id = p_job.id;
  update public.tasks t set status = 'IN_PROGRESS' where t.id = p_job.task_id and t.status in ('DONE', 'REVIEW');
end;
$$;

-- Faults found in finished work (Git host, merge queue) go to its agent as a review, in the same session. With
-- p_question a person is asked as well, and the job waits for the answer. Under the product lock (docs/forges.md).
create function private.return_work(p_job public.agent_jobs, p_words text, p_author text, p_question text default null)
returns void language plpgsql volatile set search_path = '' as $$
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

-- CI, reviewers and the queue often report after the run has ended; a run that was done is then reopened with the
-- job. Not if its sprint has ended or another run is at work: then the task waits on the board for the next run, which
-- gets the same review (docs/forges.md).
create function private.reopen_run(p_job public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
begin
  update public.sprint_runs r set status = 'QUEUED', finished_at = null, failure = null
  where r.id = p_job.sprint_run_id and r.status = 'DONE'
    and (private.active_run_of_task(p_job.task_id)).id is null
    and (r.sprint_id is null or (
      exists (select from public.sprints s where s.id = r.sprint_id and s.status = 'ACTIVE')
      and not exists (select from public.sprint_runs o where o.sprint_id = r.sprint_id and o.status in ('QUEUED', 'RUNNING', 'PAUSED'))));
end;
$$;
