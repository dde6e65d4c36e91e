-- Why: a run can end before the review of its work. Returns when that work ended; null for a job that has no run, or
-- whose run is at work.
create function private.ended_before_review(p_job public.agent_jobs)
returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_job.status <> 'QUEUED' or p_job.phase <> 'review' then
    return null;
  end if;
  return (
    select max(a.ended_at) from public.job_attempts a
    where a.job_id = p_job.id
      and exists (select from public.sprint_runs r where r.id = p_job.sprint_run_id and r.status in ('DONE', 'FAILED', 'CANCELLED')));
end;
$$;

comment on function private.ended_before_review is 'When work ended that still waits for its review after its run (docs/review.md).';

grant execute on function private.ended_before_review to authenticated;
