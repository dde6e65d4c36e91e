-- Why: another worker has looked. It owes a verdict for each criterion that was open; with all of them passed the job ends, with a
-- fault it goes back to be worked on. A product that asks for something else meanwhile gets that.
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
