-- Why: a run and all that belongs to it in a few set-based statements: one job a task, each after what it waits
-- for and else in PBI, story, task order, or one batch job with execution records that freeze plan and verify_required. Called under the product lock after the blockers
-- were looked at in the same transaction. A run that goes on from an earlier one keeps its branch, unless a person let
-- a story start over since.
create function private.create_run(
  p_sprint public.sprints, p_product public.products, p_previous public.sprint_runs, p_task_ids uuid[], p_plan_first boolean)
returns public.sprint_runs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_run public.sprint_runs;
begin
  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, plan_first, started_by)
  values (p_sprint.id, p_product.id, p_product.pr_strategy, case
      when p_sprint.id is null then private.own_run_branch(p_product, p_task_ids)
      when private.was_started_over(p_sprint.id, p_previous.created_at) then private.run_branch(p_sprint, p_product)
      else coalesce(p_previous.branch, private.run_branch(p_sprint, p_product)) end,
    p_previous.id, p_plan_first, auth.uid())
  returning * into v_run;

  if v_run.pr_strategy = 'SPRINT_BATCH' then
    insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
    select v_run.id, sc.task_id, sc.place, t.implementation_plan, t.verify_required
    from private.run_scope(p_task_ids) sc
    join public.tasks t on t.id = sc.task_id;
    perform private.create_batch_job(v_run);
    return v_run;
  end if;

  insert into public.agent_jobs
    (product_id, task_id, kind, sprint_run_id, lane_id, position, in_turn, branch, created_by, created_at)
  select p_product.id, sc.task_id, 'TASK_IMPLEMENTATION', v_run.id,
    case v_run.pr_strategy when 'STORY' then sc.story_id else v_run.id end,
    sc.place,
    case v_run.pr_strategy when 'STORY' then sc.place = min(sc.place) over (partition by sc.story_id) else sc.place = 1 end,
    coalesce(s.branch, v_run.branch),
    auth.uid(), v_now
  from private.run_scope(p_task_ids) sc
  left join (
    select k.story_id, case when p_sprint.id is null then private.story_branch(k.story_id)
      else left(v_run.branch || '--' || private.branch_part(k.story_code, k.story_id), 200) end as branch
    from (select distinct x.story_id, x.story_code from private.run_scope(p_task_ids) x where v_run.pr_strategy = 'STORY') k
  ) s on s.story_id = sc.story_id
  order by sc.place;
  return v_run;
end;
$$;

comment on function private.create_run is 'A run with its jobs or executions (specification: Starting a sprint run 2).';

-- Why: each run works on a branch of its own, named so that a person finds it: product, sprint, number of the run.
create function private.run_branch(p_sprint public.sprints, p_product public.products)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return format('backloom/%s/%s-run-%s', private.branch_part(p_product.code, p_product.id), p_sprint.code,
    (select count(*) + 1 from public.sprint_runs r where r.sprint_id = p_sprint.id));
end;
$$;

comment on function private.run_branch is 'The work branch of a new run (specification: Sprint run, branch).';

-- Why: codes become parts of branch names, and git refuses some of what codes may contain (`..`, a dot at an end, `.lock`).
-- A code that had to be changed gets a piece of its id, so that two codes never share a branch.
create function private.branch_part(p_code text, p_id uuid)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  if p_code ~ '^[A-Za-z0-9_][A-Za-z0-9_-]*$' then
    return p_code;
  end if;
  return trim('-' from regexp_replace(p_code, '[^A-Za-z0-9_-]+', '-', 'g')) || '-' || left(p_id::text, 8);
end;
$$;

comment on function private.branch_part is 'A code as part of a branch name (specification: Sprint run, branch).';

-- Why: a run of its own works on the branch of its story; one over several stories has a branch of its own beside those, which its
-- jobs share unless each story is to have one.
create function private.own_run_branch(p_product public.products, p_task_ids uuid[])
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  v_story_ids uuid[] := private.stories_of_tasks(p_task_ids);
begin
  if cardinality(v_story_ids) = 1 then
    return private.story_branch(v_story_ids[1]);
  end if;
  return format('backloom/%s/run-%s', private.branch_part(p_product.code, p_product.id),
    (select count(*) + 1 from public.sprint_runs r where r.product_id = p_product.id and r.sprint_id is null));
end;
$$;

comment on function private.own_run_branch is 'The work branch of a run of its own (specification: Sprint run, branch).';

-- Why: a story has one branch, which its next run continues. The name is taken anew, with a number, once that branch is at work in another
-- run, has landed, or was left when a person let the story start over. Products of one owner that share a repository do not share a branch, and none
-- is named like the folder of another branch.
create function private.story_branch(p_story_id uuid)
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  v_story public.stories;
  v_part text;
  v_base text;
  v_newest record;
begin
  select s.* into v_story from public.stories s where s.id = p_story_id;
  v_part := private.branch_part(v_story.code, v_story.id);
  if lower(v_part) = 'kept'
    or exists (select from public.products p where lower(private.branch_part(p.code, p.id)) = lower(v_part))
    or exists (
      select from public.products p
      join public.products o on o.owner_id = p.owner_id and o.repo_url = p.repo_url and o.repo_url <> '' and o.id <> p.id
      join public.stories s on s.product_id = o.id and s.code = v_story.code
      join public.tasks t on t.story_id = s.id
      cross join lateral (
        select j.sprint_run_id from public.agent_jobs j where j.task_id = t.id
        union all
        select e.sprint_run_id from public.task_executions e where e.task_id = t.id) x
      join public.sprint_runs r on r.id = x.sprint_run_id and r.sprint_id is null
      where p.id = v_story.product_id)
  then
    v_part := v_part || '-' || left(v_story.id::text, 8);
  end if;
  v_base := 'backloom/' || v_part;

  select u.branch, u.at_work, u.has_work, coalesce(nullif(substring(u.branch from length(v_base) + 2), '')::integer, 1) as number into v_newest
  from (
    select x.branch, bool_or(x.at_work) as at_work, bool_or(x.has_work) as has_work
    from public.tasks t
    cross join lateral (
      select a.branch, r.status in ('QUEUED', 'RUNNING', 'PAUSED') as at_work, a.pushed_at is not null or a.status = 'DONE' as has_work
      from public.agent_jobs a join public.sprint_runs r on r.id = a.sprint_run_id
      where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and r.sprint_id is null
      union all
      select r.branch, r.status in ('QUEUED', 'RUNNING', 'PAUSED'), e.status = 'DONE'
      from public.task_executions e join public.sprint_runs r on r.id = e.sprint_run_id
      where e.task_id = t.id and r.sprint_id is null
    ) x
    where t.story_id = p_story_id and x.branch ~ ('^' || v_base || '(-[1-9][0-9]{0,5})?$')
    group by x.branch
  ) u
  order by number desc
  limit 1;
  if v_newest.branch is null then
    return v_base;
  end if;
  if not v_newest.at_work and (not v_newest.has_work
    or exists (select from private.unlanded_work(array[p_story_id]) w where w.branch = v_newest.branch))
  then
    return v_newest.branch;
  end if;
  return v_base || '-' || v_newest.number + 1;
end;
$$;

comment on function private.story_branch is 'The branch on which a run of its own works on a story (specification: Sprint run, branch).';
