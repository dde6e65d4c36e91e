-- Why: "done" is not yet "on my branch". What a job's tasks waited for may lie on branches of its own, of this run or of an earlier
-- one; their newest heads go with the claim, so that the worker merges them before the agent begins. One a branch: a later
-- head of a branch holds the earlier ones.
-- Step by step, each by an index: one statement for all of it is planned as if every job had dependencies, and begins at the wrong end.
create function private.base_refs(p_job public.agent_jobs)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_waiting uuid[] := case p_job.kind
    when 'TASK_IMPLEMENTATION' then array[p_job.task_id]
    when 'SPRINT_IMPLEMENTATION' then array(
      select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id) end;
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
    select coalesce(json_agg(json_build_object('task_id', h.task_id, 'task_code', h.code, 'branch', h.branch, 'head_sha', h.head_sha)
      order by h.sort_order, h.code), '[]')
    from (
      select distinct on (j.branch) j.task_id, t.code, t.sort_order, j.branch, j.head_sha
      from public.agent_jobs j
      join public.tasks t on t.id = j.task_id and t.status = 'DONE'
      join public.products p on p.id = t.product_id
      where j.task_id = any (v_task_ids) and j.status = 'DONE' and j.kind <> 'PLAN_CHAT'
        and j.head_sha is not null and j.branch is not null and j.branch is distinct from p_job.branch
        and coalesce(nullif(t.repo_url, ''), p.repo_url) = v_repo_url
      order by j.branch, j.finished_at desc, j.id
    ) h
  );
end;
$$;

comment on function private.base_refs is 'Heads of what a job waited for that its branch does not hold (specification: Agent job).';
