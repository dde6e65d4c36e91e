-- The backlog's fields and more; the acceptance criteria are its story's (specification: GET /api/tasks/:id).
create view private.task_detail_shape with (security_invoker = true) as
select
  t.*, true as _detail,
  k.implementation_plan, s.acceptance_criteria, k.requires_opus, k.estimated_minutes,
  k.agent, k.model, k.effort
from private.task_shape t
join public.tasks k on k.id = t.id
join public.stories s on s.id = t.story_id;
grant select on private.task_detail_shape to authenticated;

-- A task in the backlog, without those of the detail (specification: Task, GET /api/tasks/:id).
create view private.task_shape with (security_invoker = true) as
select
  t.id, t.story_id, t.product_id, t.code, t.title, t.description, t.priority, t.sort_order,
  case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
  t.repo_url, t.verify_only, t.verify_required,
  to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  t.version
from public.tasks t;
grant select on private.task_shape to authenticated;

-- The result is passed through unparsed (specification: GET /api/tasks/:id).
create function operations.get_task_detail(p_task_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_access('task', p_task_id);
  return private.task_json(p_task_id);
end;
$$;
grant execute on function operations.get_task_detail to authenticated;

-- One task in detail, as in every answer about it (specification: GET /api/tasks/:id).
create function private.task_json(p_task_id uuid) returns json language sql stable set search_path = '' as $$
  select private.with_labels(row_to_json(t), k.label_ids)
  from private.task_detail_shape t
  join public.tasks k on k.id = t.id
  where t.id = p_task_id;
$$;
grant execute on function private.task_json to authenticated;

-- The tasks of a story as agents read them, shared by the agent context, the next story and the sprint context.
-- Definer: only called by functions that have checked access (specification: GET /api/products/:id/agent-context).
create function private.agent_tasks(p_story_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        t.id, t.code, t.title, t.description, t.implementation_plan, t.priority, t.sort_order,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status
      from public.tasks t
      where t.story_id = p_story_id
      order by t.sort_order, t.created_at, t.id
    ) x
  );
end;
$$;
grant execute on function private.agent_tasks to authenticated;

-- Outside the database TO_DO is `todo`, every other status its lower-case form (specification: Conventions).
create function private.task_status_word(p_status public.task_status)
returns text language plpgsql immutable set search_path = '' as $$
begin
  return case p_status when 'TO_DO' then 'todo' else lower(p_status::text) end;
end;
$$;
