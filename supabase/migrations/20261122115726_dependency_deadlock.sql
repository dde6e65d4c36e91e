-- Why: branches that wait for each other to be merged are told before a run starts.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.deadlock_blockers(p_sprint_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not exists (
    select from public.sprints s join public.products p on p.id = s.product_id
    where s.id = p_sprint_id and p.dependency_release = 'merged' and p.pr_strategy = 'STORY'
  ) then
    return '[]';
  end if;
  return (
    with recursive edges as materialized (
      select k.kind, k.blocker_id, k.code as blocker_code, t.id as task_id, t.code as task_code, s.id as story_id, s.code as story_code,
        s.sort_order, bs.id as blocker_story_id, bs.code as blocker_story_code
      from public.stories s
      join public.tasks t on t.story_id = s.id and t.status <> 'DONE'
      join private.task_blockers k on k.task_id = t.id and not k.resolved
      left join public.tasks b on b.id = k.blocker_id
      join public.stories bs on bs.id = coalesce(b.story_id, k.blocker_id) and bs.sprint_id = s.sprint_id and bs.id <> s.id
      where s.sprint_id = p_sprint_id
    ), reach (from_id, to_id) as (
      select e.story_id, e.blocker_story_id from edges e
      union
      select r.from_id, e.blocker_story_id from reach r join edges e on e.story_id = r.to_id
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'type', 'dependency_deadlock',
      'message', format('%s waits for the code of %s, and the branches of %s and %s wait for each other: none is merged whole before the other.',
        c.code, c.blocker_code, c.story_code, c.blocker_story_code),
      'task_id', c.task_id, 'task_code', c.task_code, 'story_id', c.story_id, 'story_code', c.story_code,
      'pbi_id', null, 'pbi_code', null, 'question_id', null, 'sprint_run_id', null,
      'dependency', jsonb_build_object('kind', c.kind, 'id', c.id, 'code', c.code, 'blocker_id', c.blocker_id, 'blocker_code', c.blocker_code,
        'joining_story_id', null, 'joining_story_code', null)
    ) order by c.sort_order, c.code, c.blocker_code), '[]')
    from (
      select distinct e.kind, case e.kind when 'task' then e.task_id else e.story_id end as id,
        case e.kind when 'task' then e.task_code else e.story_code end as code, e.blocker_id, e.blocker_code,
        case e.kind when 'task' then e.task_id end as task_id, case e.kind when 'task' then e.task_code end as task_code,
        e.story_id, e.story_code, e.sort_order, e.blocker_story_code
      from edges e
      where exists (select from reach r where r.from_id = e.blocker_story_id and r.to_id = e.story_id)
    ) c
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_blockers(p_sprint public.sprints, p_product public.products)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  return (
    with scope as materialized (select * from private.sprint_scope(p_sprint.id))
    select coalesce(jsonb_agg(jsonb_build_object('type', b.type, 'message', b.message,
      'task_id', b.task_id, 'task_code', b.task_code, 'story_id', b.story_id, 'story_code', b.story_code,
      'pbi_id', b.pbi_id, 'pbi_code', b.pbi_code, 'question_id', b.question_id, 'sprint_run_id', b.run_id)
      order by b.rank, b.place), '[]')
    from (
      select 1 as rank, 0 as place, 'sprint_not_active' as type,
        format('Sprint %s is %s. Start the sprint first.', p_sprint.code, lower(p_sprint.status::text)) as message,
        null::uuid as task_id, null as task_code, null::uuid as story_id, null as story_code,
        null::uuid as pbi_id, null as pbi_code, null::uuid as question_id, null::uuid as run_id
      where p_sprint.status <> 'ACTIVE'
      union all
      select 2, 0, 'no_tasks', format('Sprint %s has no task that is not done.', p_sprint.code),
        null, null, null, null, null, null, null, null
      where not exists (select from scope)
      union all
      select 3, 0, 'run_unfinished',
        format('A run of sprint %s is %s. Wait for it, resume it or cancel it.', p_sprint.code, lower(r.status::text)),
        null, null, null, null, null, null, null, r.id
      from public.sprint_runs r
      where r.sprint_id = p_sprint.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      union all
      select 4, sc.place, 'task_no_plan', format('Task %s has no implementation plan.', sc.task_code),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      -- Each by its key: how long the list is cannot be foreseen, and a plan for many would read all tasks of all products.
      cross join lateral (select k.implementation_plan from public.tasks k where k.id = sc.task_id offset 0) t
      where coalesce(t.implementation_plan, '') !~ '\S'
      union all
      select 5, row_number() over (order by q.created_at, q.id)::integer, 'open_question',
        format('Story %s has an open question: %s', s.code, left(q.question, 200)),
        q.task_id, t.code, s.id, s.code, s.pbi_id, null, q.id, null
      from public.stories s
      join public.agent_questions q on q.story_id = s.id
      left join public.tasks t on t.id = q.task_id
      where s.sprint_id = p_sprint.id and s.status <> 'DONE' and q.status = 'OPEN' and q.expires_at > v_now
      union all
      select distinct on (b.id) case b.status when 'BLOCKED' then 6 else 7 end, 0,
        case b.status when 'BLOCKED' then 'pbi_blocked' else 'pbi_failed' end,
        format('PBI %s is %s.', b.code, lower(b.status::text)),
        null::uuid, null, s.id, s.code, b.id, b.code, null::uuid, null::uuid
      from public.stories s
      cross join lateral (select k.id, k.code, k.status from public.pbis k where k.id = s.pbi_id offset 0) b
      where s.sprint_id = p_sprint.id and s.status <> 'DONE' and b.status in ('BLOCKED', 'FAILED')
      union all
      select 8, sc.place, 'task_cross_repo',
        format('Task %s belongs to %s, and a batch run works in the product''s repository only.', sc.task_code, t.repo_url),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      cross join lateral (select k.repo_url from public.tasks k where k.id = sc.task_id offset 0) t
      where p_product.pr_strategy = 'SPRINT_BATCH'
        and btrim(coalesce(t.repo_url, '')) not in ('', btrim(p_product.repo_url))
    ) b
  ) || private.dependency_blockers(p_sprint.id) || private.deadlock_blockers(p_sprint.id);
end;
$function$;

COMMENT ON FUNCTION "private"."deadlock_blockers"(uuid) IS 'dependency_deadlock before a start (docs/dependencies.md).';

REVOKE ALL ON FUNCTION "private"."deadlock_blockers"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."deadlock_blockers"(uuid) TO "postgres";
