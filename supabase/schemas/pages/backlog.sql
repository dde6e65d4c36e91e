-- The backlog page shows thousands of rows and needs little of each. Definer, so that row level security is not
-- checked three times; access is checked first. Generic plans, because they are the same for every product: without
-- statistics on a product Postgres takes it for a small one, and in a large installation plans again on each call.
-- Codes, titles and states of everything in a product, and the sprints a story can join.
create function operations.get_backlog_tree(p_product_id uuid)
returns json
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
begin
  perform private.require_product_access(p_product_id);

  return json_build_object(
    'views', private.saved_views_of(p_product_id, 'backlog'),
    'labels', private.labels_of(p_product_id),
    'sprints', (
      select coalesce(json_agg(json_build_object(
        'id', s.id, 'code', s.code, 'status', lower(s.status::text), 'sprint_goal', s.sprint_goal)
        order by s.status desc, s.created_at), '[]')
      from public.sprints s
      where s.product_id = p_product_id and s.status in ('PLANNED', 'ACTIVE', 'FAILED')),
    'pbis', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select b.id, b.code, b.title, b.priority, lower(b.status::text) as status, b.pr_url
        from public.pbis b
        where b.product_id = p_product_id
        order by b.priority, b.sort_order, b.created_at, b.id
      ) x),
    'stories', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select s.id, s.pbi_id, s.code, s.title, s.priority, lower(s.status::text) as status, s.sprint_id, s.assignee_id, s.label_ids
        from public.stories s
        where s.product_id = p_product_id and (not s.in_triage or s.is_template)
        order by s.sort_order, s.created_at, s.id
      ) x),
    'tasks', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select t.id, t.story_id, t.code, t.title, t.label_ids,
          case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status
        from public.tasks t
        where t.product_id = p_product_id
        order by t.sort_order, t.created_at, t.id
      ) x),
    'states', private.task_states(p_product_id)
  );
end;
$$;
grant execute on function operations.get_backlog_tree to authenticated;

-- Few rows have a job, a question, a failure or a blocker, so these are queried, in the form of cards, not each row.
create function private.task_states(p_product_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    with job as (
      select distinct on (j.task_id) j.task_id, lower(j.status::text) as status, j.phase, j.fallback_agent,
        case when j.phase = 'review' then private.pending_verdict(j.id) end as pending_verdict
      from public.sprint_runs r
      join public.agent_jobs j on j.sprint_run_id = r.id
      where r.product_id = p_product_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
        and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
      order by j.task_id, j.created_at desc
    ), question as (
      select q.task_id, count(*) as open
      from public.agent_questions q
      where q.product_id = p_product_id and q.status = 'OPEN' and q.task_id is not null and q.expires_at > private.now()
        and (q.reader_id is null or q.reader_id = auth.uid())
      group by q.task_id
    ), failure as (
      select t.id as task_id, (
        select f.failure_reason from public.agent_jobs f
        where f.task_id = t.id and f.status = 'FAILED'
        order by f.finished_at desc limit 1) as reason
      from public.tasks t
      where t.product_id = p_product_id and t.status = 'FAILED'
    ), blocker as (
      select b.task_id, json_agg(b.code order by b.sort_order, b.code) as codes
      from public.tasks t
      join private.task_blockers b on b.task_id = t.id
      where t.product_id = p_product_id and t.status <> 'DONE' and not b.resolved
      group by b.task_id
    )
    select coalesce(json_agg(json_build_object(
      'task_id', k.task_id, 'job_status', j.status, 'job_phase', j.phase, 'fallback_agent', j.fallback_agent,
      'pending_verdict', j.pending_verdict,
      'open_questions', coalesce(q.open, 0), 'failure_reason', f.reason, 'waits_for', coalesce(b.codes, '[]'))), '[]')
    from (
      select task_id from job union select task_id from question union select task_id from failure union select task_id from blocker
    ) k
    left join job j on j.task_id = k.task_id
    left join question q on q.task_id = k.task_id
    left join failure f on f.task_id = k.task_id
    left join blocker b on b.task_id = k.task_id
  );
end;
$$;

-- Shows where the work of an item is in git: the branch of the newest job that has one, otherwise the branch of the
-- story's next run. Definer: its name depends on other products of the owner; access is checked first (specification:
-- Sprint run, branch).
create function operations.get_branch(p_kind text, p_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_story_id uuid;
begin
  perform private.require_access(v_kind, p_id);
  if v_kind = 'task' then
    select t.story_id into v_story_id from public.tasks t where t.id = p_id;
  else
    v_story_id := p_id;
  end if;
  return json_build_object('branch', coalesce(
    (
      select j.branch
      from public.agent_jobs j
      join public.tasks t on t.id = j.task_id
      where t.story_id = v_story_id and (v_kind = 'story' or t.id = p_id)
        and j.kind = 'TASK_IMPLEMENTATION' and j.branch is not null
      order by j.created_at desc, j.id desc
      limit 1),
    private.story_branch(v_story_id)));
end;
$$;
grant execute on function operations.get_branch to authenticated;
