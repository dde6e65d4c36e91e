-- Why: "done" does not yet mean "on my branch". The blockers of a job's tasks may be on other branches, of this run or
-- an earlier one; their newest heads are part of the claim, so that the worker merges them before the agent begins. One
-- head per branch, since a later head contains the earlier ones. `merged`, in products that wait for the merge, means
-- that the main branch has the work, perhaps as other commits: then the worker merges the main branch instead.
-- Step by step, each by an index: Postgres would plan one statement as if every job had dependencies, and start at the
-- wrong end.
create function private.base_refs(p_job public.agent_jobs)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_waiting uuid[] := private.tasks_of_job(p_job);
  v_task_ids uuid[];
  v_story_ids uuid[];
  v_repo_url text;
begin
  v_task_ids := array(select d.blocker_id from public.task_dependencies d where d.blocked_id = any (v_waiting));
  v_story_ids := array(select d.blocker_id from public.story_dependencies d
    where d.blocked_id = any (array(select t.story_id from public.tasks t where t.id = any (v_waiting))));
  if v_task_ids = '{}' and v_story_ids = '{}' then
    return '[]';
  end if;
  v_task_ids := v_task_ids || array(select t.id from public.tasks t where t.story_id = any (v_story_ids));
  v_repo_url := (
    select coalesce(nullif(t.repo_url, ''), p.repo_url)
    from public.tasks t join public.products p on p.id = t.product_id where t.id = p_job.task_id);
  return (
    select coalesce(json_agg(jsonb_build_object('task_id', h.task_id, 'task_code', h.code, 'branch', h.branch, 'head_sha', h.head_sha)
      || case when h.merged then '{"merged": true}' else '{}' end::jsonb order by h.sort_order, h.code), '[]')
    from (
      select distinct on (j.branch) t.id as task_id, t.code, t.sort_order, j.branch, j.head_sha,
        p.dependency_release = 'merged' and j.merged_at is not null as merged
      from unnest(v_task_ids) k (id)
      join public.tasks t on t.id = k.id and t.status = 'DONE'
      join public.products p on p.id = t.product_id
      cross join lateral (
        select b.id, b.status, b.branch, b.head_sha, b.finished_at, b.merged_at
        from private.works a cross join lateral private.branch_head(a) b
        where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.finished_at is not null
        union all
        -- The head of a batch is that of its end, and until then, or without one, that of each of its tasks.
        select a.id, 'DONE', a.branch, case a.status when 'DONE' then a.head_sha else e.head_sha end,
          case a.status when 'DONE' then a.finished_at else e.finished_at end, a.merged_at
        from public.task_executions e
        join private.works a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION'
        where e.task_id = t.id and e.status = 'DONE'
      ) j
      -- Where the main branch is waited for, it has what is done without an own commit, or nobody knows.
      where (j.status = 'DONE' or j.status = 'SKIPPED' and p.dependency_release = 'done') and j.head_sha is not null and j.branch is not null and j.branch is distinct from p_job.branch
        and coalesce(nullif(t.repo_url, ''), p.repo_url) = v_repo_url
      order by j.branch, j.finished_at desc, j.id, t.sort_order, t.code
    ) h
  );
end;
$$;

comment on function private.base_refs is 'Heads of what a job waited for that its branch does not hold (specification: Agent job).';

-- Why: a task may be done although its own job delivered nothing: the work existed already, or a person finished it
-- after the job was cancelled or failed. Then the last earlier delivery on the same branch counts as its work. Returns
-- the job whose head that is, or null.
create function private.branch_head(p_job private.works)
returns private.works
language plpgsql
stable
set search_path = ''
as $$
declare
  v_job private.works;
begin
  if p_job.status in ('DONE', 'SKIPPED') and p_job.head_sha is not null then
    return p_job;
  end if;
  select j.* into v_job from private.works j
  where j.sprint_run_id = p_job.sprint_run_id and j.branch = p_job.branch and j.status in ('DONE', 'SKIPPED')
    and j.head_sha is not null and j.finished_at <= p_job.finished_at
  order by j.finished_at desc, j.id limit 1;
  return v_job;
end;
$$;

comment on function private.branch_head is 'The job with the head that the work of a finished job ends at.';
