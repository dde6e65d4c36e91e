-- Why: what an attempt says of the criteria, in the transaction of its report. The grade says who saw it: the worker program that
-- ran the command ("worker", with its exit code), in the phase verify another worker, else the agent.
-- Refusals: 422 with one issue for each line that is not as it should be. Called by an attempt that holds the job.
create function private.record_evidence(p_job public.agent_jobs, p_evidence jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_line jsonb;
  v_place integer := -1;
  v_story_id uuid;
  v_worker text;
  v_grade public.evidence_grade;
begin
  if p_evidence is null or p_job.kind = 'PLAN_CHAT' then
    return;
  end if;
  select w.name into v_worker from public.agent_workers w where w.id = p_job.worker_id;
  for v_line in select jsonb_array_elements(p_evidence) loop
    v_place := v_place + 1;
    v_story_id := private.story_of_line(p_job, v_line, v_place);
    v_grade := case when p_job.phase = 'verify' then 'other_worker'
      when v_line ->> 'grade' = 'worker' then 'worker' else 'said' end;
    perform private.check_observation(v_line, v_grade, v_place);
    perform private.insert_evidence(v_story_id, v_line, v_grade, v_place, p_job, coalesce(v_worker, 'a worker'));
  end loop;
end;
$$;

comment on function private.record_evidence is 'The evidence of an attempt for the criteria of its stories (docs/proof.md).';
