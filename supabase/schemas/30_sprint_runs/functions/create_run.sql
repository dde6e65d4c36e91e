-- Why: a run and all its parts in a few set-based statements: one job per task, blockers first and otherwise in PBI,
-- story, task order, or one batch job with execution records that freeze plan and verify_required. Called under the
-- product lock, after the blockers were checked in the same transaction. A run that continues an earlier one keeps its
-- branch, unless a person has since started a story over.
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

-- Why: each sprint run has its own branch, with a name people can find: product, sprint, number of the run.
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

-- Why: a run without a sprint works on the branch of its story. One over several stories has another branch, which its
-- jobs share unless each story gets its own.
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
