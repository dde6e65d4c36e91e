-- Why: the gates of a product, checked when a job would end DONE. Returns null when the job ends, else the phase in
-- which it is queued again: verify for another worker, review for a person or CI, implement when the verifier found a
-- fault. The gate "worker" is a refusal (422). Called in the transaction of the end, after its evidence is written.
create function private.phase_after(p_job public.agent_jobs, p_result public.verify_result)
returns public.job_phase
language plpgsql
volatile
set search_path = ''
as $$
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
      return case when v_missing is not null or not private.has_criteria(v_stories) then 'review'::public.job_phase end;
  end case;
end;
$$;

comment on function private.phase_after is 'Where a job goes whose work is done (docs/proof.md).';

-- Why: if a person decides, work that follows its plan only in part is never done by itself, even if it does not finish
-- its story; nor is the last task of a story whose other tasks still wait for that person.
create function private.is_for_person(p_job public.agent_jobs, p_result public.verify_result)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    return exists (
      select from private.held_tasks(p_job.sprint_run_id) t
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

comment on function private.is_for_person is 'Whether a person judges the end of a job, its criteria aside (docs/proof.md).';

-- Why: a story without criteria has nothing to prove, but a person still wants to see it.
create function private.has_criteria(p_story_ids uuid[])
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (select from unnest(p_story_ids) s (id) cross join lateral private.story_proof(s.id) c);
end;
$$;

comment on function private.has_criteria is 'Whether stories have any criterion (docs/proof.md).';

-- Why: another worker has checked the work. It owes a verdict for each open criterion; if all pass, the job ends, else
-- it returns to work. If the product's requirement has changed meanwhile, the new one applies.
create function private.phase_after_verify(p_job public.agent_jobs, p_required public.done_requires)
returns public.job_phase
language plpgsql
volatile
set search_path = ''
as $$
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

comment on function private.phase_after_verify is 'What the verdict of another worker leads to (docs/proof.md).';

-- Why: CI results belong to commits; a pass for an earlier commit says nothing about the current work.
create function private.has_passed_ci(p_job public.agent_jobs)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select from public.pulls p
    where p.product_id = p_job.product_id and p.branch = p_job.branch and p.head_sha = p_job.head_sha and p.ci = 'passed');
end;
$$;

comment on function private.has_passed_ci is 'Whether CI has passed at the commit of a job (docs/forges.md).';
