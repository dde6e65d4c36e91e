-- One's stories of the active sprint and unassigned ones, with cards. Definer, as below (specification: Solo stream).
create function operations.get_solo_board(p_product_id uuid)
returns json
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_sprint uuid;
begin
  perform private.require_product_access(p_product_id);
  select s.id into v_sprint from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE';

  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = v_sprint),
    'stories', private.board_stories(v_sprint, p_solo => true),
    'tasks', private.board_tasks(v_sprint),
    'labels', private.labels_of(p_product_id),
    'workers_online', private.workers_online(array[p_product_id])
  );
end;
$$;
grant execute on function operations.get_solo_board to authenticated;

-- The sprint page in one read: the sprint, its stories and cards, its newest run, the members who can take a
-- story, the open stories that could join, and the burn-down. Blockers and forecast of a run are read when someone asks
-- to start it (p_with_start), not at each look. Definer and with generic plans, as the backlog's tree: row level security
-- of a dozen tables, planned and checked for each card, took half of the time. Access is checked first.
create function operations.get_sprint_board(p_sprint_id uuid, p_with_start boolean default true)
returns json
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
  v_preflight json;
  v_forecast json;
begin
  if p_with_start and exists (select from public.sprints s where s.id = p_sprint_id and s.status = 'ACTIVE')
    and not exists (
      select from public.sprint_runs r where r.sprint_id = p_sprint_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED'))
  then
    v_preflight := operations.preflight_sprint_run(p_sprint_id);
    if (v_preflight ->> 'ready')::boolean then
      v_forecast := operations.get_forecast(v_product, p_sprint_id);
    end if;
  end if;
  return json_build_object(
    'labels', private.labels_of(v_product),
    'views', private.saved_views_of(v_product, 'board'),
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'pr_strategy', (select p.pr_strategy from public.products p where p.id = v_product),
    'stories', private.board_stories(p_sprint_id, p_solo => false),
    'tasks', private.board_tasks(p_sprint_id),
    'run', (
      select row_to_json(r)
      from (
        select r.id, lower(r.status::text) as status, r.started_at, r.created_at, r.finished_at, r.pause_context,
          r.failure, private.run_waits(r) as waits_for, private.job_states(r.id) as job_statuses
        from public.sprint_runs r
        where r.sprint_id = p_sprint_id
        order by r.created_at desc
        limit 1
      ) r),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_product and m.role <> 'VIEWER'),
    'candidates', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at,
          (select count(*) from public.tasks t where t.story_id = s.id) as task_count
        from public.stories s
        where s.product_id = v_product and s.sprint_id is null
          -- As text: as a status it would allow the index of all stories that are not done, which is then read from end to
          -- end instead of the one product's part of the index by sprint.
          and s.status::text in ('OPEN', 'FAILED')
        order by s.sort_order, s.created_at, s.id
        limit 200
      ) x),
    'preflight', v_preflight,
    'forecast', v_forecast,
    'burndown', private.get_sprint_burndown(p_sprint_id),
    'review_times', private.sprint_review_times(p_sprint_id)
  );
end;
$$;
grant execute on function operations.get_sprint_board to authenticated;

-- One form of the stories on the sprint board and the solo board.
create function private.board_stories(p_sprint_id uuid, p_solo boolean) returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
    from (
      select s.id, s.code, s.title, lower(s.status::text) as status, s.sort_order, s.created_at, s.pbi_id, s.assignee_id,
        private.username(s.assignee_id) as assignee_name,
        (
          select count(*) from public.agent_questions q
          where q.story_id = s.id and q.status = 'OPEN' and q.expires_at > private.now()
          and (q.reader_id is null or q.reader_id = auth.uid())
        ) as open_questions
      from public.stories s
      where s.sprint_id = p_sprint_id and (not p_solo or s.assignee_id is null or s.assignee_id = auth.uid())
    ) x);
end;
$$;

-- One form of the cards on the sprint board and the solo board: the task, its story, its unfinished job, the
-- number of its open questions, the lines changed by its newest job, how much of its story it proves, its pull request,
-- the preview of its work in review, its blockers and how many it blocks.
create function private.board_tasks(p_sprint_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    -- Computed once per story and once for all cards. Per card, they were half of the page's time in the database.
    with story as materialized (
      select s.id, s.created_at, s.code, s.title, s.sort_order, s.assignee_id, private.proven_by(s.id) as proven_by
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
        s.code as story_code, s.title as story_title, s.sort_order as story_sort_order, s.assignee_id, t.label_ids,
        j.id as job_id, lower(j.status::text) as job_status, j.phase as job_phase, j.pending_verdict, j.started_at as job_started_at,
        j.updated_at as job_seen_at,
        case when j.status in ('CLAIMED', 'RUNNING') then private.doing_now(j.id, j.attempt) end as job_doing,
        a.name as worker_name, j.holder_name, j.fallback_agent, j.agent_before, j.preview,
        (
          select f.failure_reason from public.agent_jobs f
          where t.status = 'FAILED' and f.task_id = t.id and f.status = 'FAILED'
          order by f.finished_at desc limit 1
        ) as failure_reason,
        (
          select count(*) from public.agent_questions q
          where q.task_id = t.id and q.status = 'OPEN' and q.expires_at > private.now()
          and (q.reader_id is null or q.reader_id = auth.uid())
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
        (
          select json_build_object('number', p.number, 'url', p.url, 'state', p.state, 'draft', p.draft, 'ci', p.ci, 'review', p.review)
          from public.agent_jobs c
          join public.pulls p on p.product_id = c.product_id and p.branch = c.branch
          where c.task_id = t.id
          order by c.created_at desc, p.number desc limit 1
        ) as pull,
        case when t.status <> 'TO_DO' and s.proven_by is not null then json_build_array(
          cardinality(array_positions(s.proven_by, t.id)) + cardinality(array_positions(s.proven_by, s.id)),
          cardinality(s.proven_by)) end as proof
      from story s
      join public.tasks t on t.story_id = s.id
      left join waiting w on w.blocker_id = t.id
      left join lateral (
        select j.id, j.status, j.phase, j.attempt, j.started_at, j.updated_at, j.worker_id,
          case when j.phase = 'review' then private.pending_verdict(j.id) end as pending_verdict,
          j.fallback_agent, case when j.fallback_agent is not null then (
            select b.agent from public.job_attempts b where b.job_id = j.id and b.agent <> j.fallback_agent
            order by b.attempt desc limit 1) end as agent_before,
          case when j.taken_by is not null and private.is_in_hand(j) then private.username(j.taken_by) end as holder_name,
          case when j.phase = 'review' and private.preview_refusal(j) is null then coalesce(
            (select private.preview_json(p)::jsonb - 'log' from public.previews p
              where p.job_id = j.id and private.preview_state(p) in ('starting', 'ready')),
            case when private.preview_worker(j) is not null
              then jsonb_build_object('head_sha', j.head_sha, 'is_old', false, 'url', null) end) end as preview
        from public.agent_jobs j
        where j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by j.created_at desc
        limit 1
      ) j on true
      left join public.agent_workers a on a.id = j.worker_id
    ) t
  );
end;
$$;
