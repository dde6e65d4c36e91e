-- Why: what the last verifier found, for the next attempt. Empty in other phases.
create function private.findings(p_job public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('criterion', e.criterion, 'text', e.criterion_text, 'verdict', e.verdict,
      'command', e.command, 'exit_code', e.exit_code, 'excerpt', e.excerpt, 'observed_by', e.observed_by) order by e.seq), '[]')
    from public.evidence e
    where e.job_id = p_job.id and p_job.phase = 'implement' and e.grade = 'other_worker' and e.verdict <> 'pass'
      and e.attempt = (
        select max(l.attempt) from public.evidence l where l.job_id = p_job.id and l.grade = 'other_worker' and l.verdict <> 'pass')
  );
end;
$$;

comment on function private.findings is 'What the last verification of a job found (docs/proof.md).';
