-- Why: the agent's session and the place of unfinished work outlive the attempt; the next one gets both.
create function private.note_attempt(p_job public.agent_jobs, p_report private.job_report)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if num_nonnulls(p_report.session_id, p_report.kept_ref) = 0 then
    return;
  end if;
  update public.job_attempts a
  set session_id = coalesce(left(p_report.session_id, 300), a.session_id),
      kept_ref = coalesce(left(p_report.kept_ref, 300), a.kept_ref)
  where a.job_id = p_job.id and a.attempt = p_job.attempt;
end;
$$;

comment on function private.note_attempt is 'Keeps session and kept work of an attempt (specification: Agent job; attempts).';
