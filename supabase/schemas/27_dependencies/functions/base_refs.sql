-- Why: "done" is not yet "on my branch". What a job's tasks waited for may lie on branches of its own, of this run or of an earlier
-- one; their newest heads go with the claim, so that the worker merges them before the agent begins. One a branch: a later
-- head of a branch holds the earlier ones.
create function private.base_refs(p_job public.agent_jobs)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object('task_id', h.task_id, 'task_code', h.code, 'branch', h.branch, 'head_sha', h.head_sha)
      order by h.sort_order, h.code), '[]')
    from (
      select distinct on (j.branch) j.task_id, t.code, t.sort_order, j.branch, j.head_sha
      from private.task_blockers b
      join public.tasks t on t.status = 'DONE' and b.blocker_id in (t.id, t.story_id)
      join public.agent_jobs j on j.task_id = t.id and j.status = 'DONE' and j.kind <> 'PLAN_CHAT'
      join public.products p on p.id = t.product_id
      where p_job.kind <> 'PLAN_CHAT'
        and (b.task_id = p_job.task_id
          or p_job.kind = 'SPRINT_IMPLEMENTATION' and b.task_id in (
            select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id))
        and j.head_sha is not null and j.branch is not null and j.branch is distinct from p_job.branch
        and coalesce(nullif(t.repo_url, ''), p.repo_url) = (
          select coalesce(nullif(o.repo_url, ''), p.repo_url) from public.tasks o where o.id = p_job.task_id)
      order by j.branch, j.finished_at desc, j.id
    ) h
  );
end;
$$;

comment on function private.base_refs is 'Heads of what a job waited for that its branch does not hold (specification: Agent job).';
