-- Why: the cards of a board read what waits for them and what is proven once for all, and what is in the way of a run reads its tasks once.
set local check_function_bodies = off;

DROP FUNCTION "private"."frees"(uuid);

CREATE OR REPLACE FUNCTION private.board_tasks(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    -- Once a story and once for all cards: for each card alone they were half of the page's time in the database.
    with story as materialized (
      select s.id, s.created_at, s.code, s.title, s.sort_order, s.assignee_id, private.proof_count(s.id) as proof
      from public.stories s where s.sprint_id = p_sprint_id
    ), waiting as materialized (
      select x.blocker_id, count(*) as frees
      from (
        select d.blocker_id, d.blocked_id
        from story s join public.tasks t on t.story_id = s.id join public.task_dependencies d on d.blocker_id = t.id
        union
        select t.id, i.id
        from story s
        join public.story_dependencies d on d.blocker_id = s.id
        join public.tasks i on i.story_id = d.blocked_id
        join public.tasks t on t.story_id = s.id
      ) x
      join public.tasks i on i.id = x.blocked_id
      where i.status <> 'DONE'
      group by x.blocker_id
    )
    select coalesce(json_agg(row_to_json(t) order by t.story_sort_order, t.story_created_at, t.story_id, t.sort_order, t.created_at, t.id), '[]')
    from (
      select t.id, t.created_at, s.created_at as story_created_at, t.code, t.title, t.story_id, t.sort_order, t.priority,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
        t.implementation_plan is not null and t.implementation_plan <> '' as has_plan,
        s.code as story_code, s.title as story_title, s.sort_order as story_sort_order, s.assignee_id,
        j.id as job_id, lower(j.status::text) as job_status, j.phase as job_phase, j.started_at as job_started_at,
        j.updated_at as job_seen_at,
        case when j.status in ('CLAIMED', 'RUNNING') then private.doing_now(j.id, j.attempt) end as job_doing,
        a.name as worker_name,
        (
          select f.failure_reason from public.agent_jobs f
          where t.status = 'FAILED' and f.task_id = t.id and f.status = 'FAILED'
          order by f.finished_at desc limit 1
        ) as failure_reason,
        (
          select count(*) from public.agent_questions q
          where q.task_id = t.id and q.status = 'OPEN' and q.expires_at > private.now()
        ) as open_questions,
        (
          select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]') from private.task_blockers b
          where b.task_id = t.id and not b.resolved and t.status <> 'DONE'
        ) as waits_for,
        coalesce(w.frees, 0) as frees,
        (
          select json_build_array(c.additions, c.deletions) from public.agent_jobs c
          where c.task_id = t.id and c.kind = 'TASK_IMPLEMENTATION' and c.additions is not null
          order by c.created_at desc limit 1
        ) as changes,
        s.proof
      from story s
      join public.tasks t on t.story_id = s.id
      left join waiting w on w.blocker_id = t.id
      left join lateral (
        select j.id, j.status, j.phase, j.attempt, j.started_at, j.updated_at, j.worker_id
        from public.agent_jobs j
        where j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by j.created_at desc
        limit 1
      ) j on true
      left join public.agent_workers a on a.id = j.worker_id
    ) t
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
      join public.tasks t on t.id = sc.task_id
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
      join public.pbis b on b.id = s.pbi_id
      where s.sprint_id = p_sprint.id and s.status <> 'DONE' and b.status in ('BLOCKED', 'FAILED')
      union all
      select 8, sc.place, 'task_cross_repo',
        format('Task %s belongs to %s, and a batch run works in the product''s repository only.', sc.task_code, t.repo_url),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      join public.tasks t on t.id = sc.task_id
      where p_product.pr_strategy = 'SPRINT_BATCH'
        and btrim(coalesce(t.repo_url, '')) not in ('', btrim(p_product.repo_url))
    ) b
  ) || private.dependency_blockers(p_sprint.id);
end;
$function$;
