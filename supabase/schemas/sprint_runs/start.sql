-- Pages and agents see all blockers before a start. The start checks the same again. Definer: reads for a member what
-- RLS would read row by row; access is checked first (specification: Starting a sprint run 1).
create function operations.preflight_sprint_run(p_sprint_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_sprint public.sprints;
  v_product public.products;
  v_blockers jsonb;
  v_task_ids uuid[] := private.sprint_task_ids(p_sprint_id);
  v_tasks integer := cardinality(v_task_ids);
begin
  perform private.require_access('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_sprint.product_id;
  v_blockers := private.run_blockers(v_sprint, v_product, v_task_ids,
    array(select s.id from public.stories s where s.sprint_id = p_sprint_id), private.plans_first(v_product, null), false);
  return json_build_object(
    'sprint_id', p_sprint_id,
    'sprint_code', v_sprint.code,
    'pr_strategy', v_product.pr_strategy,
    'plan_first', v_product.plan_first,
    'ready', v_blockers = '[]',
    'tasks_total', v_tasks,
    'jobs_total', case when v_product.pr_strategy = 'SPRINT_BATCH' then least(1, v_tasks) else v_tasks end,
    'stories_without_tasks', (
      select count(*) from public.stories s
      where s.sprint_id = p_sprint_id and s.status <> 'DONE' and not exists (select from public.tasks t where t.story_id = s.id)),
    'blockers', v_blockers,
    -- By story: each branch's newest head not known to be on main; finished stories too where they share the branch.
    'begins_from', private.beginnings(array(
      select s.id from public.stories s
      where s.sprint_id = p_sprint_id and (v_product.pr_strategy <> 'STORY'
        or exists (select from public.tasks t where t.story_id = s.id and t.status <> 'DONE')))),
    'warnings', private.budget_warnings(v_sprint));
end;
$$;
grant execute on function operations.preflight_sprint_run to authenticated;

-- The owner decides whether agents always or never write missing plans; else the caller of the start decides, and a
-- plan that a person is to approve has to be written.
create function private.plans_first(p_product public.products, p_plan_first boolean)
returns boolean language plpgsql immutable set search_path = '' as $$
begin
  return case p_product.plan_first
    when 'never' then false
    when 'auto' then coalesce(p_plan_first, true)
    else coalesce(p_plan_first, p_product.plan_review = 'person') end;
end;
$$;

-- Who approves plans, as the start says, otherwise as the product does. A token can only ask for more.
create function private.plan_review_of(p_product public.products, p_plan_review text)
returns public.plan_review language plpgsql stable set search_path = '' as $$
begin
  if p_product.plan_review = 'person' and upper(p_plan_review) = 'NONE' then
    perform private.require_session('In this product a person approves plans: only a person who is signed in can start a run without. Leave plan_review out.');
  end if;
  return coalesce(lower(private.require_choice('plan_review', p_plan_review, array['NONE', 'PERSON'])), p_product.plan_review::text);
end;
$$;

-- Gives a task, a story or several tasks to agents without a sprint, with the same jobs, budgets and proof. The
-- tasks are of one product; p_story_id means all tasks of a story that are neither done nor in review. Each story
-- has a branch that its next run continues. Failed tasks are retried. p_stop_at and p_ceiling work as for a sprint; the other
-- options are remedies for blockers (private.settle_scope). Refusals: 404, 403, 422, 429, 409 with `blockers` in the
-- detail. Definer: runs and jobs are written by functions only (docs/running.md).
create function operations.start_run(
  p_task_ids jsonb default null, p_story_id uuid default null, p_strategy text default null,
  p_plan_first boolean default null, p_use_description boolean default false, p_leave_out boolean default false,
  p_stop_at jsonb default null, p_plan_review text default null, p_ceiling jsonb default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_task_ids uuid[];
  v_product_id uuid;
  v_product public.products;
  v_scope record;
  v_run public.sprint_runs;
begin
  if p_story_id is not null then
    v_product_id := private.require_write('story', p_story_id);
  end if;
  if (p_story_id is null) = (p_task_ids is null) then
    perform private.refuse(422, 'Name task_ids or story_id, one of them.');
  end if;
  if p_story_id is null then
    if jsonb_typeof(p_task_ids) <> 'array' or jsonb_array_length(p_task_ids) not between 1 and 500 then
      perform private.refuse(422, 'task_ids takes 1 to 500 tasks.');
    end if;
    v_task_ids := array(select distinct x::uuid from jsonb_array_elements_text(p_task_ids) x);
    v_product_id := private.require_write('task', v_task_ids[1]);
    perform private.require_one_product(v_task_ids, v_product_id);
  else
    v_task_ids := private.tasks_to_start(array(select t.id from public.tasks t where t.story_id = p_story_id));
  end if;
  perform private.refuse_triage(array(
    select distinct t.story_id from public.tasks t where t.id = any (v_task_ids)
    union select p_story_id where p_story_id is not null));
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select p.* into v_product from public.products p where p.id = v_product_id;
  v_product.pr_strategy := coalesce(private.require_choice('strategy', p_strategy, array['SPRINT', 'STORY', 'SPRINT_BATCH']), 'STORY');
  v_product.plan_review := private.plan_review_of(v_product, p_plan_review);

  -- Stories and PBIs follow their tasks out of failed; what is refused below takes this back.
  update public.tasks t set status = 'TO_DO'
  where t.id = any (v_task_ids) and t.status = 'FAILED'
    and t.id not in (select h.task_id from private.held_by_runs(v_product_id, false) h);

  select * into v_scope from private.settle_scope(null, v_product, v_task_ids, p_plan_first, p_use_description, p_leave_out);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(null, v_product, null, v_scope.task_ids, v_scope.plan_first);
  perform private.stop_run_at(v_run, p_stop_at);
  perform private.set_ceilings(v_run, v_scope.task_ids, p_ceiling);
  return json_build_object('run', private.run_json(v_run, false), 'left_out', v_scope.left_out);
end;
$$;
grant execute on function operations.start_run to authenticated;

-- One product, so one lock, repository and set of rules. A task out of the caller's reach is refused first.
create function private.require_one_product(p_task_ids uuid[], p_product_id uuid)
returns void language plpgsql stable set search_path = '' as $$
declare
  v_task_id uuid;
begin
  foreach v_task_id in array p_task_ids loop
    if private.product_of('task', v_task_id) <> p_product_id then
      perform private.require_access('task', v_task_id);
      perform private.refuse(422, 'The tasks of a run are of one product.',
        '{"issues":[{"path":"task_ids","message":"Choose tasks of one product."}]}');
    end if;
  end loop;
end;
$$;

-- No agent works on suggested stories before a person has accepted them.
create function private.refuse_triage(p_story_ids uuid[])
returns void language plpgsql stable set search_path = '' as $$
declare
  v_story public.stories;
begin
  select s.* into v_story from public.stories s
  where s.id = any (p_story_ids) and private.decision_for('triage', s.id) is null order by s.sort_order limit 1;
  if v_story.is_template then
    perform private.refuse(409, format('%s is a template. Give the stories it makes to agents.', v_story.code));
  end if;
  if found then
    perform private.refuse(409, format('%s is in triage. Accept it before you give it to agents.', v_story.code));
  end if;
end;
$$;

-- Pre-flight and start in one transaction under the product lock, so that nothing comes between them; of fifty
-- concurrent starts one wins (specification: Starting a sprint run). p_stop_at gives the run a budget of that amount
-- and unit, p_ceiling each of its tasks one; the other options are remedies for blockers (private.settle_scope).
-- Refusals: 404, 403, 429, 409 with `blockers` in the detail. Definer: runs and jobs are written by functions only.
create function operations.start_sprint_run(
  p_sprint_id uuid, p_stop_at jsonb default null, p_plan_first boolean default null,
  p_use_description boolean default false, p_leave_out boolean default false, p_plan_review text default null,
  p_ceiling jsonb default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_scope record;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_product_id;
  v_product.plan_review := private.plan_review_of(v_product, p_plan_review);

  select * into v_scope from private.settle_scope(v_sprint, v_product, private.sprint_task_ids(p_sprint_id), p_plan_first, p_use_description,
    p_leave_out);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, null, v_scope.task_ids, v_scope.plan_first);
  perform private.stop_run_at(v_run, p_stop_at);
  perform private.set_ceilings(v_run, v_scope.task_ids, p_ceiling);
  return private.run_json(v_run, false) || case when p_leave_out then jsonb_build_object('left_out', v_scope.left_out) else '{}' end;
end;
$$;
grant execute on function operations.start_sprint_run to authenticated;

-- A batch has one job for all its tasks. Its task_id is the first unfinished task, so that every job has exactly
-- one of task_id and idea_id (specification: Agent job). The execution records must already exist.
create function private.create_batch_job(p_run public.sprint_runs)
returns void language plpgsql volatile set search_path = '' as $$
begin
  insert into public.agent_jobs (product_id, task_id, kind, sprint_run_id, lane_id, position, branch, created_by)
  select p_run.product_id, e.task_id, 'SPRINT_IMPLEMENTATION', p_run.id, p_run.id, 1, p_run.branch, auth.uid()
  from public.task_executions e
  where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING')
  order by e.position
  limit 1;
end;
$$;

-- A run and all its parts in a few set-based statements: one job per task, blockers first and otherwise in PBI,
-- story, task order, or one batch job with execution records that freeze plan and verify_required. Called under the
-- product lock, after the blockers were checked in the same transaction. A run that continues an earlier one keeps its
-- branch, unless a person has since started a story over (specification: Starting a sprint run 2).
create function private.create_run(
  p_sprint public.sprints, p_product public.products, p_previous public.sprint_runs, p_task_ids uuid[],
  p_plan_first boolean
) returns public.sprint_runs language plpgsql volatile set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_run public.sprint_runs;
begin
  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, plan_first, plan_review, started_by)
  values (p_sprint.id, p_product.id, p_product.pr_strategy, case
      when p_sprint.id is null then private.own_run_branch(p_product, p_task_ids)
      when exists (
      select from public.stories s join public.fresh_starts f on f.story_id = s.id
      where s.sprint_id = p_sprint.id and f.created_at >= p_previous.created_at) then private.run_branch(p_sprint, p_product)
      else coalesce(p_previous.branch, private.run_branch(p_sprint, p_product)) end,
    p_previous.id, p_plan_first, p_product.plan_review, auth.uid())
  returning * into v_run;

  if v_run.pr_strategy = 'SPRINT_BATCH' then
    insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
    select v_run.id, sc.task_id, sc.place, private.plan_in_force(t.id, v_run.id), t.verify_required
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

-- A name that people find: product, sprint, number of the run (specification: Sprint run, branch).
create function private.run_branch(p_sprint public.sprints, p_product public.products)
returns text language plpgsql stable set search_path = '' as $$
begin
  return format('%s/%s/%s-run-%s', p_product.branch_prefix, private.branch_part(p_product.code, p_product.id), p_sprint.code,
    (select count(*) + 1 from public.sprint_runs r where r.sprint_id = p_sprint.id));
end;
$$;

-- A run without a sprint works on the branch of its story. One over several stories has another branch, which its
-- jobs share unless each story gets its own (specification: Sprint run, branch).
create function private.own_run_branch(p_product public.products, p_task_ids uuid[])
returns text language plpgsql stable set search_path = '' as $$
declare
  v_story_ids uuid[] := private.stories_of_tasks(p_task_ids);
begin
  if cardinality(v_story_ids) = 1 then
    return private.story_branch(v_story_ids[1]);
  end if;
  return format('%s/%s/run-%s', p_product.branch_prefix, private.branch_part(p_product.code, p_product.id),
    (select count(*) + 1 from public.sprint_runs r where r.product_id = p_product.id and r.sprint_id is null));
end;
$$;
