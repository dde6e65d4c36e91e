-- Jobs that share a branch run one after another; one that waits for a person does not hold up the others. A job
-- that returns from a review waits until the one at work has ended. Blocked jobs let unblocked ones go first. Under a
-- shared product lock someone may release a job at this moment, so if all seem blocked the run is locked and checked
-- again. Returns whether the branch queue has an unfinished job (specification: Agent job; docs/proof.md).
create function private.bring_next_in_turn(p_sprint_run_id uuid, p_lane_id uuid)
returns boolean language plpgsql volatile set search_path = '' as $$
declare
  v_next record;
begin
  for v_look in 1 .. 2 loop
    select n.id, n.in_turn, n.open_blockers, n.attempt > 0 as comes_back, n.status = 'QUEUED' and n.attempt = 0 and n.open_blockers > 0 as waits into v_next
    from public.agent_jobs n
    where n.sprint_run_id = p_sprint_run_id and n.lane_id = p_lane_id and n.status in ('QUEUED', 'CLAIMED', 'RUNNING')
      and not (n.status = 'QUEUED' and n.phase = 'review') and not private.awaits_choice(n)
    order by n.in_turn desc, n.status = 'QUEUED' and n.attempt = 0 and n.open_blockers > 0, n.position
    limit 1;
    exit when v_next.id is null or v_next.in_turn or not v_next.waits;
    perform private.lock_part('run', p_sprint_run_id);
  end loop;
  if v_next.id is null then
    return exists (
      select from public.agent_jobs w
      where w.sprint_run_id = p_sprint_run_id and w.lane_id = p_lane_id and w.status in ('QUEUED', 'CLAIMED', 'RUNNING'));
  end if;
  if not v_next.in_turn and not (v_next.comes_back and private.is_lane_held(p_sprint_run_id, p_lane_id)) then
    update public.agent_jobs j set in_turn = true where j.id = v_next.id;
    if v_next.open_blockers > 0 then
      perform private.pass_turn(p_sprint_run_id, p_lane_id);
    end if;
  end if;
  return true;
end;
$$;

-- What follows when a job is queued again in another phase. A review lets the next jobs of its branch queue go;
-- after every third failed verification a person is asked what to do (docs/proof.md).
create function private.enter_phase(p_job public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
begin
  case p_job.phase
    when 'review' then
      update public.tasks t set status = 'REVIEW' where t.id = p_job.task_id and t.status not in ('DONE', 'REVIEW');
      perform private.bring_next_in_turn(p_job.sprint_run_id, p_job.lane_id);
    when 'implement' then
      perform private.note_return(p_job, 'proof_voided');
      perform private.reopen_tasks(p_job, array(
        select (m ->> 'story_id')::uuid from jsonb_array_elements(private.missing_proof(private.stories_to_finish(p_job), 'other_worker')) m));
      if private.verify_rounds(p_job.id) % 3 = 0 then
        perform private.ask_about_proof(p_job);
      end if;
    else
      null;
  end case;
end;
$$;

-- After three rounds between two workers a person decides; the next attempt reads it (docs/proof.md).
create function private.ask_about_proof(p_job public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_question_id uuid;
begin
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, asked_by, question, options, recommended_option, park)
  select p_job.product_id, t.story_id, t.id, p_job.id, p_job.sprint_run_id, p_job.created_by,
    left(format('Another worker has reviewed %s %s times and still finds faults: %s How should it continue?', t.code, private.verify_rounds(p_job.id),
      (select string_agg(format('%s (%s)', left(f ->> 'text', 200), left(coalesce(f ->> 'excerpt', f ->> 'command', f ->> 'verdict'), 300)), '; ')
       from jsonb_array_elements(private.findings(p_job)) f)), 4000),
    '[{"label":"Try again"},{"label":"Try again, with what I write here"}]', 0, true
  from public.tasks t where t.id = p_job.task_id
  returning id into v_question_id;
  update public.agent_jobs j set parked_question_id = v_question_id where j.id = p_job.id;
end;
$$;

-- How often another worker found a fault in a job's work (docs/proof.md).
create function private.verify_rounds(p_job_id uuid) returns integer language plpgsql stable set search_path = '' as $$
begin
  return (
    select count(distinct e.attempt) from public.evidence e
    where e.job_id = p_job_id and e.grade = 'other_worker' and e.verdict <> 'pass');
end;
$$;

-- Whether a task finishes its story: all others are done and it is not (docs/proof.md).
create function private.finishes_story(p_task_id uuid)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.tasks t
    where t.id = p_task_id and t.status <> 'DONE'
      and not exists (select from public.tasks o where o.story_id = t.story_id and o.id <> t.id and o.status <> 'DONE'));
end;
$$;

-- A story's last task is done for its batch, but in review until the story is proven (docs/proof.md).
create function private.tasks_awaiting_proof(p_sprint_run_id uuid)
returns setof public.tasks language plpgsql stable set search_path = '' as $$
begin
  return query
  select t.* from public.task_executions e
  join public.tasks t on t.id = e.task_id
  where e.sprint_run_id = p_sprint_run_id and e.status = 'DONE' and t.status = 'REVIEW';
end;
$$;

-- A task of a batch is done with its execution, with two exceptions: it finishes a story that another worker, CI
-- or a person must check first, or it was done in part and a person decides. That check happens once, at the end of the
-- batch (docs/proof.md).
create function private.awaits_proof(p_task_id uuid, p_result public.verify_result)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.tasks t
    join public.products p on p.id = t.product_id
    where t.id = p_task_id and p.done_requires in ('other_worker', 'ci', 'person')
      and (private.finishes_story(t.id) or (p.done_requires = 'person' and private.is_in_part(p_result))));
end;
$$;

-- Only a verification that found the whole plan done, or the work already present, is complete (docs/proof.md).
create function private.is_in_part(p_result public.verify_result)
returns boolean language plpgsql immutable set search_path = '' as $$
begin
  return p_result is null or p_result not in ('ALIGNED', 'EMPTY');
end;
$$;

-- Whether a worker is at work in a branch queue (specification: Agent job).
create function private.is_lane_held(p_sprint_run_id uuid, p_lane_id uuid)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.agent_jobs h
    where h.sprint_run_id = p_sprint_run_id and h.lane_id = p_lane_id and h.status in ('CLAIMED', 'RUNNING'));
end;
$$;

-- A person approves a job in the phase review. It ends DONE, with all that follows. The approval is evidence of grade
-- person for every criterion that is not waived, at the story's head when its last task is approved; p_words are stored
-- with it. With p_criteria it confirms no others, and with p_confirm of those that nothing proves only these. For the
-- operation that sends a review (POST /api/jobs/:id/review, approve), which refuses tokens. It locks by itself: PT404,
-- PT403 (no access, demo, archived), PT409 when the job does not wait for a review (docs/proof.md).
create function private.pass_review(p_job_id uuid, p_words text, p_criteria jsonb default null, p_confirm jsonb default null)
returns public.agent_jobs language plpgsql volatile set search_path = '' as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_criterion private.proven_criterion;
begin
  perform private.require_review(v_job);
  for v_criterion in
    select c.* from unnest(private.stories_to_finish(v_job)) s (id) cross join lateral private.story_proof(s.id) c
    where c.state <> 'waived' and not (c.state = 'proven' and c.grade = 'person')
  loop
    if not coalesce(p_criteria ? v_criterion.id, true) then
      perform private.refuse(409, format('This criterion has been written since you looked: "%s" Reload the page: an approval confirms what it showed.',
        left(v_criterion.text, 200)));
    end if;
    continue when v_criterion.state <> 'proven' and not coalesce(p_confirm ? v_criterion.id, true);
    perform private.insert_evidence(v_criterion.story_id, jsonb_build_object('criterion', v_criterion.id, 'verdict', 'pass',
      'head_sha', (select h.head_sha from public.story_heads h where h.story_id = v_criterion.story_id),
      'excerpt', coalesce(nullif(left(btrim(p_words), 2000), ''), 'Approved.')), 'person', null, v_job,
      coalesce(private.username(auth.uid()), 'someone'));
  end loop;
  update public.agent_jobs j set status = 'DONE' where j.id = p_job_id returning j.* into v_job;
  return v_job;
end;
$$;

-- The gates of a product, checked when a job would end DONE. Returns null when the job ends, otherwise the phase in
-- which it is queued again: verify for another worker, review for a person or CI, implement when the verifier found a
-- fault. The gate "worker" is a refusal (422). Called after its evidence is written (docs/proof.md).
create function private.phase_after(p_job public.agent_jobs, p_result public.verify_result)
returns public.job_phase language plpgsql volatile set search_path = '' as $$
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
      return case when private.decision_for('review', p_job.id) is null then 'review'::public.job_phase end;
  end case;
end;
$$;

-- If a person decides, work that follows its plan only in part is never done by itself, even if it does not finish
-- its story; nor is the last task of a story whose other tasks still wait for that person (docs/proof.md).
create function private.is_for_person(p_job public.agent_jobs, p_result public.verify_result)
returns boolean language plpgsql stable set search_path = '' as $$
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
$$;

-- Another worker has checked the work. It owes a verdict for each open criterion; if all pass, the job ends, otherwise
-- it returns to work. If the product's requirement has changed since, the new one applies (docs/proof.md).
create function private.phase_after_verify(p_job public.agent_jobs, p_required public.done_requires)
returns public.job_phase language plpgsql volatile set search_path = '' as $$
declare
  v_stories uuid[] := private.stories_to_finish(p_job);
  v_missing jsonb := private.missing_proof(v_stories, 'other_worker');
  v_silent jsonb;
begin
  if p_required = 'ci' then
    return case when not private.has_passed_ci(p_job) then 'review'::public.job_phase end;
  end if;
  if p_required = 'person' then
    return 'review';
  end if;
  if v_missing is null or p_required <> 'other_worker' then
    return null;
  end if;
  select jsonb_agg(m.issue) into v_silent
  from jsonb_array_elements(v_missing) m (issue)
  where not exists (
    select from public.evidence e
    where e.job_id = p_job.id and e.attempt = p_job.attempt and e.story_id = (m.issue ->> 'story_id')::uuid
      and e.criterion = m.issue ->> 'path');
  if v_silent is not null then
    perform private.refuse(422, 'Not verified yet: give a verdict for each criterion (evidence: criterion, verdict, and the command that you ran or what you looked at), then report done again.',
      jsonb_build_object('issues', v_silent));
  end if;
  return 'implement';
end;
$$;

-- CI results belong to commits; a pass for an earlier commit says nothing about the current work (docs/forges.md).
create function private.has_passed_ci(p_job public.agent_jobs)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.pulls p
    where p.product_id = p_job.product_id and p.branch = p_job.branch and p.head_sha = p_job.head_sha and p.ci = 'passed');
end;
$$;

-- A job that waits in the phase review returns to work, first in the queue; its task is in progress again. No
-- retry is counted. Jobs of its branch that have not begun wait for it; one at work finishes first.
-- For reviews (POST /api/jobs/:id/review, request_changes), by people and tokens alike, and for private.return_work
-- (CI, reviews at the Git host, merge queue). It checks and locks by itself: PT404, PT403, PT409 when the job does
-- not wait for a review. The calling operation stores the comments (docs/proof.md).
create function private.reject_review(p_job_id uuid)
returns public.agent_jobs language plpgsql volatile set search_path = '' as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_has_turn boolean;
begin
  perform private.require_review(v_job);
  if not private.is_run_unfinished(v_job.sprint_run_id) then
    return private.reject_after_run(v_job);
  end if;
  v_has_turn := private.take_turn(v_job);
  update public.agent_jobs j
  set phase = 'implement', claim_rank = 0, in_turn = v_has_turn, verify_result = null
  where j.id = p_job_id
  returning j.* into v_job;
  perform private.reopen_tasks(v_job, private.stories_to_finish(v_job));
  return v_job;
end;
$$;

-- Work whose run ended before its review cannot return to that run: the job ends, and its tasks are to do again for
-- the next one, which begins from this work and reads the review (docs/review.md).
create function private.reject_after_run(p_job public.agent_jobs)
returns public.agent_jobs language plpgsql volatile set search_path = '' as $$
declare
  v_job public.agent_jobs;
begin
  perform private.reopen_tasks(p_job, private.stories_to_finish(p_job));
  update public.tasks t set status = 'TO_DO'
  where t.status = 'IN_PROGRESS' and (t.id = p_job.task_id or t.id in (
    select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id and e.status = 'PENDING'));
  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = 'Changes were requested after the run had ended. The next run makes them.'
  where j.id = p_job.id
  returning j.* into v_job;
  return v_job;
end;
$$;

-- In progress again: the job's task, or a batch's tasks that waited for proof of these stories (docs/proof.md).
create function private.reopen_tasks(p_job public.agent_jobs, p_story_ids uuid[])
returns void language plpgsql volatile set search_path = '' as $$
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
$$;

-- If verdicts race, repeat or come too late, one wins and the others are refused (docs/proof.md).
create function private.require_review(p_job public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if p_job.status <> 'QUEUED' or p_job.phase <> 'review' then
    perform private.refuse(409, format('This job is not waiting for a review: it is %s%s.', lower(p_job.status::text),
      case when p_job.status = 'QUEUED' and p_job.phase = 'implement' then ' to be worked on again' else '' end),
      jsonb_build_object('status', lower(p_job.status::text), 'phase', p_job.phase));
  end if;
end;
$$;

-- The stories that a job's end would finish, for the gate. For a task its story, once all other tasks are done;
-- for a batch every story with a task that is done for the batch and waits for proof (in review) (docs/proof.md).
create function private.stories_to_finish(p_job public.agent_jobs)
returns uuid[] language plpgsql stable set search_path = '' as $$
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    return array(select distinct t.story_id from private.tasks_awaiting_proof(p_job.sprint_run_id) t);
  end if;
  return array(select t.story_id from public.tasks t where t.id = p_job.task_id and private.finishes_story(t.id));
end;
$$;
