-- Why: the branches that may land, in order: all their work is done and nobody is at work on them, their stories'
-- blockers have landed, and the pull request, if the product opens one, is at that commit with nothing against it. A
-- returned branch waits for its next commit; one refused by the code host is retried after half an hour.
create function private.landing_queue(p_product_id uuid)
returns table (place bigint, job_id uuid, branch text, head_sha text)
language plpgsql
stable
set search_path = ''
as $$
declare
  v_product public.products;
begin
  select p.* into v_product from public.products p where p.id = p_product_id;
  if v_product.landing <> 'queue' then
    return;
  end if;
  return query
    with heads as (
      select distinct on (j.branch) j.*
      from public.agent_jobs j
      where j.product_id = p_product_id and j.status = 'DONE' and j.kind <> 'PLAN_CHAT' and j.finished_at >= v_product.landing_since
        and j.branch is not null and j.head_sha is not null
      order by j.branch, j.finished_at desc, j.id
    )
    select row_number() over (order by l.id is null, h.finished_at, h.id), h.id, h.branch, h.head_sha
    from heads h
    left join public.landings l on l.job_id = h.id and l.finished_at is null
    where h.merged_at is null and (l.id is not null or (
      not private.is_worked_on(h)
      and not private.follows_unlanded(h)
      and not exists (
        select from public.landings b where b.job_id = h.id and b.ours_sha = h.head_sha and b.finished_at is not null
          and (b.state <> 'refused' or b.finished_at > private.now() - interval '30 minutes'))
      and (v_product.pull_requests = 'none' or exists (
        select from public.pulls p
        where p.product_id = p_product_id and p.branch = h.branch and p.state = 'open' and p.head_sha = h.head_sha and not p.draft
          and p.ci in ('none', 'passed') and p.review <> 'changes_requested' and p.mergeable is not false))));
end;
$$;

comment on function private.landing_queue is 'Branches that wait to land, the one that lands now first (docs/forges.md).';

-- Why: a branch is unfinished if an agent will push to it again, or not all of its tasks are done.
create function private.is_worked_on(p_job public.agent_jobs)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select from public.agent_jobs o
    where o.product_id = p_job.product_id and o.status in ('QUEUED', 'CLAIMED', 'RUNNING')
      and (o.branch = p_job.branch or (o.sprint_run_id = p_job.sprint_run_id and o.lane_id = p_job.lane_id)))
    or exists (
      select from public.agent_jobs o
      join public.tasks t on t.id = o.task_id
      where o.product_id = p_job.product_id and o.branch = p_job.branch and o.status = 'DONE' and o.kind = 'TASK_IMPLEMENTATION'
        and t.status <> 'DONE')
    or exists (
      select from public.fresh_starts f
      join public.tasks t on t.story_id = f.story_id
      where t.id = p_job.task_id and f.created_at >= p_job.finished_at);
end;
$$;

comment on function private.is_worked_on is 'Whether a branch will change, or was left behind (docs/forges.md).';

-- Why: a branch that began on another would bring that one along before its turn.
create function private.follows_unlanded(p_job public.agent_jobs)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    with stories as (
      select distinct t.story_id
      from public.agent_jobs o join public.tasks t on t.id = o.task_id
      where o.product_id = p_job.product_id and o.branch = p_job.branch and o.status = 'DONE'
    ), blockers as (
      select d.blocker_id as story_id from stories s join public.story_dependencies d on d.blocked_id = s.story_id
      union
      select b.story_id from stories s join public.tasks t on t.story_id = s.story_id
      join public.task_dependencies d on d.blocked_id = t.id join public.tasks b on b.id = d.blocker_id
    )
    select from private.unlanded_work(array(select b.story_id from blockers b)) w
    where w.branch is distinct from p_job.branch);
end;
$$;

comment on function private.follows_unlanded is 'Whether work that a branch depends on has not landed (docs/forges.md).';
