-- Why: done work has its pull request opened late, or brought up to date, as long as it has not landed. What was left
-- without one for a week was left on purpose, as was one that somebody closed.
create function private.wants_pull(p_job public.agent_jobs)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return p_job.branch is not null and p_job.head_sha is not null and p_job.merged_at is null and p_job.kind <> 'PLAN_CHAT'
    and (p_job.status = 'DONE' or p_job.status = 'QUEUED' and p_job.phase = 'review')
    and (exists (
      select from public.pulls p where p.product_id = p_job.product_id and p.branch = p_job.branch and p.state = 'open')
    or coalesce(p_job.finished_at, p_job.updated_at) > private.now() - interval '7 days' and not exists (
      select from public.pulls p where p.product_id = p_job.product_id and p.branch = p_job.branch));
end;
$$;

comment on function private.wants_pull is 'Whether work that is done has an open pull request, or should have one.';
