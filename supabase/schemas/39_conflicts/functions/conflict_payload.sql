-- Why: a claim includes both versions of each conflict: the newest for each branch the work did not merge with. Whether
-- it merges now, the worker sees in git.
create function private.conflict_payload(p_job public.agent_jobs)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object('kind', c.kind, 'branch', c.branch, 'task_id', t.id, 'task_code', t.code,
      'ours_sha', c.ours_sha, 'theirs_sha', c.theirs_sha, 'files', c.files) order by c.created_at desc), '[]')
    from (
      select distinct on (x.kind, x.branch) x.*
      from public.job_conflicts x
      where x.job_id = p_job.id
      order by x.kind, x.branch, x.created_at desc
    ) c
    left join public.agent_jobs o on o.id = c.other_job_id
    left join public.tasks t on t.id = o.task_id
  );
end;
$$;

comment on function private.conflict_payload is 'What the work of a job did not merge with (specification: Agent job).';
