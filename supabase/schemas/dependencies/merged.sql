-- Only a repository shows whether code has been merged, and the service never opens one. So a worker that asks for
-- work gets the awaited commits, to check whether the main branch has them (report_merged). Null if there are none:
-- nearly always, and then this costs one look-up of the product.
create function private.awaited_heads(p_user_id uuid, p_product_id uuid)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_product public.products;
  v_work jsonb;
  v_heads jsonb := '[]';
begin
  for v_product in
    select p.*
    from private.consented_products(p_user_id, p_product_id) as w (product_id)
    join public.products p on p.id = w.product_id and p.archived_at is null and p.dependency_release = 'merged'
    order by p.id
  loop
    for v_work in
      select w
      from jsonb_array_elements(private.awaited_work(array(
        select a.task_id
        from public.sprint_runs r
        join public.agent_jobs j on j.sprint_run_id = r.id and j.status = 'QUEUED' and j.open_blockers > 0
        cross join lateral unnest(private.tasks_of_job(j)) as a (task_id)
        where r.product_id = v_product.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      ), 50)) w
      where w ->> 'head_sha' is not null
    loop
      v_heads := v_heads || (v_work || jsonb_build_object('product_repo_url', v_product.repo_url, 'repo_url', (
        select coalesce(nullif(t.repo_url, ''), v_product.repo_url) from private.works j join public.tasks t on t.id = j.task_id
        where j.id = (v_work ->> 'job_id')::uuid)));
    end loop;
  end loop;
  return nullif(v_heads, '[]');
end;
$$;

-- Done work that still blocks these tasks, as its code is not on main: for reasons, pages and workers, a job once.
create function private.awaited_work(p_task_ids uuid[], p_limit integer default 20)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(w) order by w.task_code), '[]')
    from (
      select distinct on (x.job_id) x.job_id, x.task_code, x.branch, x.head_sha
      from (
        select distinct b.kind, b.blocker_id
        from private.task_blockers b
        where b.task_id = any (p_task_ids) and b.status = 'done' and not b.resolved
      ) d
      cross join lateral private.unmerged_works(d.kind, d.blocker_id) x
      order by x.job_id, x.task_code
      limit p_limit
    ) w
  );
end;
$$;

-- "done" does not yet mean "on my branch". The blockers of a job's tasks may be on other branches, of this run or
-- an earlier one; their newest heads are part of the claim, so that the worker merges them before the agent begins. One
-- head per branch, since a later head contains the earlier ones. `merged`, in products that wait for the merge, means
-- that the main branch has the work, perhaps as other commits: then the worker merges the main branch instead.
-- Step by step, each by an index: Postgres would plan one statement as if every job had dependencies, and start at the
-- wrong end (specification: Agent job).
create function private.base_refs(p_job public.agent_jobs)
returns json language plpgsql stable set search_path = '' as $$
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
      -- Where the main branch is waited for, it has what is done without an own commit, or no one knows.
      where (j.status = 'DONE' or j.status = 'SKIPPED' and p.dependency_release = 'done') and j.head_sha is not null and j.branch is not null and j.branch is distinct from p_job.branch
        and coalesce(nullif(t.repo_url, ''), p.repo_url) = v_repo_url
      order by j.branch, j.finished_at desc, j.id, t.sort_order, t.code
    ) h
  );
end;
$$;

-- A task may be done although its own job delivered nothing: the work existed already, or a person finished it
-- after the job was cancelled or failed. Then the last earlier delivery on the same branch counts as its work. Returns
-- the job whose head that is, or null.
create function private.branch_head(p_job private.works)
returns private.works language plpgsql stable set search_path = '' as $$
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

-- Whether finished code is available to what it blocks. Always, if the product asks for no more than "done". Otherwise
-- it must be on the main branch or on the blocked task's own branch, because jobs that share a branch would wait for a
-- merge that comes after all of them. p_branch is the branch of a job about to be written (docs/dependencies.md).
create function private.has_arrived(
  p_waiting_id uuid, p_kind text, p_blocker_id uuid, p_product_id uuid, p_branch text default null
) returns boolean language plpgsql stable set search_path = '' as $$
declare
  v_branches text[];
begin
  if (select p.dependency_release from public.products p where p.id = p_product_id) = 'done' then
    return true;
  end if;
  v_branches := array_remove(array(
    select j.branch from public.agent_jobs j
    where j.task_id = p_waiting_id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    union all
    select j.branch from public.task_executions e
    join public.agent_jobs j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    where e.task_id = p_waiting_id
  ) || p_branch, null);
  return not exists (
    select from private.unmerged_works(p_kind, p_blocker_id) w where w.branch is null or w.branch <> all (v_branches));
end;
$$;
grant execute on function private.has_arrived to authenticated;

-- The unmerged work of a blocker, task or story alike; a story has arrived with all of its tasks.
create function private.unmerged_works(p_kind text, p_blocker_id uuid)
returns table (job_id uuid, task_code text, branch text, head_sha text)
language plpgsql stable set search_path = '' as $$
declare
  v_task public.tasks;
  v_job private.works;
begin
  for v_task in
    select t.* from public.tasks t where p_kind = 'task' and t.id = p_blocker_id
    union all
    select t.* from public.tasks t where p_kind = 'story' and t.story_id = p_blocker_id
  loop
    v_job := private.unmerged_work(v_task.id);
    continue when v_job.id is null;
    return query select v_job.id, v_task.code, v_job.branch, v_job.head_sha;
  end loop;
end;
$$;
grant execute on function private.unmerged_works to authenticated;

-- In products that wait for the merge, a finished task releases others only when its code is on the main branch.
-- Its newest job counts: one that left no commit or is known to be merged blocks nothing, nor does work by hand. A
-- batch has one head for all its tasks, at its end. Returns the job whose work is not there yet, or null. Written as
-- look-ups by key, because Postgres plans one statement for both kinds from the wrong end.
create function private.unmerged_work(p_task_id uuid)
returns private.works language plpgsql stable set search_path = '' as $$
declare
  v_job private.works;
  v_batch private.works;
begin
  select j.* into v_job from private.works j
  where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  select j.* into v_batch
  from public.task_executions e
  join private.works j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION'
  where e.task_id = p_task_id and e.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  if v_job.id is null or v_batch.created_at > v_job.created_at then
    v_job := v_batch;
  end if;
  if v_job.merged_at is not null
    or (v_job.status in ('DONE', 'SKIPPED') and (v_job.head_sha is null or v_job.head_sha = v_job.base_sha)) then
    return null;
  end if;
  return v_job;
end;
$$;
grant execute on function private.unmerged_work to authenticated;
