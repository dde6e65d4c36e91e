-- Why: the gates of a product, asked when the end of a job would be DONE. Answers null when the job ends, else the phase in which it
-- goes back to the queue: verify for another worker, review for a person, implement when the verifier found a fault.
-- The gate "worker" is a refusal (422). Called in the transaction of the end, after its evidence is written.
create function private.phase_after(p_job public.agent_jobs)
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
  v_stories := private.stories_to_finish(p_job);
  if v_stories = '{}' then
    return null;
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
