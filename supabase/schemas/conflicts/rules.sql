-- One row for each time a conflict was met, listed under the job that resolves it.
create function private.note_conflict(
  p_job public.agent_jobs, p_other public.agent_jobs, p_conflict jsonb, p_decision text
) returns void language plpgsql volatile set search_path = '' as $$
begin
  insert into public.job_conflicts
    (product_id, job_id, attempt, kind, other_job_id, branch, ours_sha, theirs_sha, files, decision, created_at)
  values (p_job.product_id, p_job.id, p_job.attempt, lower(p_conflict ->> 'kind'), p_other.id,
    coalesce(p_conflict ->> 'branch', ''), p_conflict ->> 'ours_sha', p_conflict ->> 'theirs_sha', p_conflict -> 'files', p_decision,
    -- Of two in one transaction none is older; the clock of the database tells them apart.
    greatest(private.now(), (select max(c.created_at) + interval '1 microsecond' from public.job_conflicts c where c.job_id = p_job.id)));
end;
$$;
