-- A sprint as in the REST API (specification: Sprint).
create view private.sprint_shape with (security_invoker = true) as
select
  s.id, s.product_id, s.code, s.sprint_goal,
  lower(s.status::text) as status,
  s.start_date, s.end_date,
  to_char(s.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as started_at,
  to_char(s.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as completed_at,
  to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  s.version
from public.sprints s;
grant select on private.sprint_shape to authenticated;

-- The sprint, its stories and their tasks, in order (specification: Sprint).
create function operations.get_sprint(p_sprint_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_access('sprint', p_sprint_id);

  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'stories', (
      select coalesce(json_agg(private.with_labels(row_to_json(x), (select k.label_ids from public.stories k where k.id = x.id))), '[]')
      from (
        select s.*, b.code as pbi_code, private.username(s.assignee_id) as assignee_username
        from private.story_shape s
        join public.stories k on k.id = s.id
        join public.pbis b on b.id = s.pbi_id
        where s.sprint_id = p_sprint_id
        order by s.sort_order, k.created_at, s.id
      ) x
    ),
    'tasks', (
      select coalesce(json_agg(private.with_labels(row_to_json(x), (select k.label_ids from public.tasks k where k.id = x.id))), '[]')
      from (
        select t.*, s.code as story_code, k.implementation_plan is not null as has_plan
        from private.task_shape t
        join public.tasks k on k.id = t.id
        join public.stories s on s.id = t.story_id
        where s.sprint_id = p_sprint_id
        order by s.sort_order, t.sort_order, k.created_at, t.id
      ) x
    )
  );
end;
$$;
grant execute on function operations.get_sprint to authenticated;

-- The sprint with its stories and their tasks as agents read them, at most `p_limit` stories (specification: Sprint).
create function operations.get_sprint_context(p_sprint_id uuid, p_limit integer default 10, p_cursor text default null)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_product_id uuid := private.require_access('sprint', p_sprint_id);
  v_limit integer := least(greatest(coalesce(p_limit, 10), 1), 50);
  v_after record := private.read_cursor(p_cursor, 2);
  v_stories json;
  v_count integer;
  v_last uuid;
begin
  select coalesce(json_agg(row_to_json(x)), '[]'), count(*), (array_agg(x.id))[count(*)]
  into v_stories, v_count, v_last
  from (
    select
      s.id, s.code, s.title, s.description, s.acceptance_criteria, s.priority, s.sort_order,
      lower(s.status::text) as status, s.assignee_id, private.agent_tasks(s.id) as tasks
    from public.stories s
    where s.sprint_id = p_sprint_id and s.product_id = v_product_id
      and (p_cursor is null or (s.sort_order, s.created_at, s.id) > (v_after.place[1], private.time_at(v_after.place[2]), v_after.id))
    order by s.sort_order, s.created_at, s.id
    limit v_limit
  ) x;

  return json_build_object(
    'product', (select row_to_json(p) from private.product_shape p where p.id = v_product_id),
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'stories', v_stories,
    'next_cursor', case when v_count = v_limit then (
      select private.cursor_of(s.id, s.sort_order, private.microseconds(s.created_at)) from public.stories s where s.id = v_last) end
  );
end;
$$;
grant execute on function operations.get_sprint_context to authenticated;

-- Hot read of agents. Definer: access is checked once, first. Ordered by the story's sort_order, then the task's, then
-- age, then id; priority is ignored. The result is passed through unparsed (specification: GET /api/sprints/:id/tasks).
create function operations.list_sprint_tasks(p_sprint_id uuid, p_limit integer default 10)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_access('sprint', p_sprint_id);
begin
  if p_limit is null or p_limit not between 1 and 50 then
    perform private.refuse(422, 'limit is an integer from 1 to 50.', '{"issues":[{"path":"limit","message":"Must be an integer from 1 to 50."}]}');
  end if;

  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        t.id, t.code, t.title, t.description, t.implementation_plan, t.story_id, s.code as story_code, t.priority,
        t.sort_order, case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status
      from public.stories s
      join public.tasks t on t.story_id = s.id
      where s.sprint_id = p_sprint_id and s.product_id = v_product_id
      order by s.sort_order, t.sort_order, t.created_at, t.id
      limit p_limit
    ) x
  );
end;
$$;
grant execute on function operations.list_sprint_tasks to authenticated;

-- Newest first, with the progress of each (specification: Sprint).
create function operations.list_sprints(p_product_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_product_access(p_product_id);

  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        s.*, coalesce(c.story_count, 0) as story_count, coalesce(c.done_story_count, 0) as done_story_count,
        coalesce(c.task_count, 0) as task_count, coalesce(c.done_task_count, 0) as done_task_count
      from private.sprint_shape s
      join public.sprints k on k.id = s.id
      left join (
        select
          st.sprint_id, count(distinct st.id) as story_count,
          count(distinct st.id) filter (where st.status = 'DONE') as done_story_count,
          count(t.id) as task_count, count(t.id) filter (where t.status = 'DONE') as done_task_count
        from public.stories st
        left join public.tasks t on t.story_id = st.id
        where st.product_id = p_product_id and st.sprint_id is not null
        group by st.sprint_id
      ) c on c.sprint_id = s.id
      where s.product_id = p_product_id
      order by k.created_at desc, k.id desc
    ) x
  );
end;
$$;
grant execute on function operations.list_sprints to authenticated;
