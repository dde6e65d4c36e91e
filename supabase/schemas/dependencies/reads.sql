-- Everything that blocks a task in one list: its own dependencies and those of its story. Counters, reasons, cards and
-- lists all read this. Only DONE resolves a blocker, and in products that wait for the merge only with its code.
create view private.task_blockers with (security_invoker = true) as
select d.blocked_id as task_id, 'task' as kind, b.id as blocker_id, b.code, b.title,
  case b.status when 'TO_DO' then 'todo' else lower(b.status::text) end as status,
  b.status = 'DONE' and private.has_arrived(d.blocked_id, 'task', b.id, d.product_id) as resolved, b.sort_order
from public.task_dependencies d
join public.tasks b on b.id = d.blocker_id
union all
select t.id, 'story', b.id, b.code, b.title, lower(b.status::text),
  b.status = 'DONE' and private.has_arrived(t.id, 'story', b.id, d.product_id), b.sort_order
from public.story_dependencies d
join public.tasks t on t.story_id = d.blocked_id
join public.stories b on b.id = d.blocker_id;
grant select on private.task_blockers to authenticated;

-- Dependencies of tasks and of stories in one list, for what treats both alike.
create view private.dependencies with (security_invoker = true) as
select 'task' as kind, d.blocked_id, d.blocker_id from public.task_dependencies d
union all
select 'story', d.blocked_id, d.blocker_id from public.story_dependencies d;
grant select on private.dependencies to service_role;

-- Tasks and stories in one form, as what either end of a dependency shows.
create view private.dependency_ends with (security_invoker = true) as
select 'task' as kind, t.id, t.product_id, t.code, t.title, private.task_status_word(t.status) as status, t.sort_order, t.created_at
from public.tasks t
union all
select 'story', s.id, s.product_id, s.code, s.title, lower(s.status::text), s.sort_order, s.created_at from public.stories s;
grant select on private.dependency_ends to service_role;

-- Refusals: 404, 403. Definer: access is checked first.
create function operations.list_dependencies(p_kind text, p_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
begin
  perform private.require_access(v_kind, p_id);
  return private.dependencies_json(v_kind, p_id);
end;
$$;
grant execute on function operations.list_dependencies to authenticated;

-- One form of dependencies for tasks and stories: what blocks this, and what this blocks. A blocked story blocks
-- its tasks; it may have none yet. `awaited` exists only where code of finished work is awaited.
create function private.dependencies_json(p_kind text, p_id uuid)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_task_ids uuid[] := case p_kind when 'task' then array[p_id] else array(select t.id from public.tasks t where t.story_id = p_id) end;
  v_awaited jsonb := private.awaited_work(v_task_ids);
begin
  return jsonb_build_object('blocked_by', (
    select coalesce(json_agg(private.blocker_json(e.id, e.code, e.title, e.status, e.status = 'done' and not exists (
      select from unnest(v_task_ids) w where not private.has_arrived(w, p_kind, e.id, e.product_id))) order by e.sort_order, e.created_at, e.id), '[]')
    from private.dependencies d join private.dependency_ends e on e.kind = d.kind and e.id = d.blocker_id
    where d.kind = p_kind and d.blocked_id = p_id
  ), 'blocks', (
    select coalesce(json_agg(private.blocker_json(e.id, e.code, e.title, e.status, e.status = 'done') order by e.sort_order, e.created_at, e.id), '[]')
    from private.dependencies d join private.dependency_ends e on e.kind = d.kind and e.id = d.blocked_id
    where d.kind = p_kind and d.blocker_id = p_id
  )) || case when v_awaited = '[]' then '{}' else jsonb_build_object('awaited', v_awaited) end;
end;
$$;

-- One form for either end of a dependency.
create function private.blocker_json(p_id uuid, p_code text, p_title text, p_status text, p_resolved boolean)
returns json language sql immutable set search_path = '' as $$
  select json_build_object('id', p_id, 'code', p_code, 'title', p_title, 'status', p_status, 'resolved', p_resolved);
$$;

-- "what can start now?": unblocked tasks to do, in PBIs that are not blocked, in story and task order, the active
-- sprint first. `dispatchable`: in the active sprint, with a plan. Definer: access is checked once, first.
create function operations.list_ready(p_product_id uuid, p_limit integer default 50)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_product_access(p_product_id);
  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select t.id, t.code, t.title, private.task_status_word(t.status) as status, t.priority, s.id as story_id, s.code as story_code,
        '[]'::json as blocked_by,
        (
          select count(*) from unnest(private.tasks_blocked_by(array[t.id])) x (id) join public.tasks w on w.id = x.id and w.status <> 'DONE'
        ) as frees,
        p.status is not distinct from 'ACTIVE' and coalesce(t.implementation_plan, '') ~ '\S' as dispatchable
      from public.tasks t
      join public.stories s on s.id = t.story_id
      join public.pbis b on b.id = s.pbi_id
      left join public.sprints p on p.id = s.sprint_id
      where t.product_id = p_product_id and t.status = 'TO_DO' and b.status <> 'BLOCKED' and not s.in_triage
        and not exists (select from private.task_blockers k where k.task_id = t.id and not k.resolved)
      order by (p.status is not distinct from 'ACTIVE') desc, s.sort_order, s.created_at, s.id, t.sort_order, t.created_at, t.id
      limit least(greatest(coalesce(p_limit, 50), 1), 200)
    ) x
  );
end;
$$;
grant execute on function operations.list_ready to authenticated;

-- The blockers of a task, or of a batch's tasks, as reasons of why_not_moving. A failed blocker needs a person,
-- and one that is done but not on the main branch needs a merge, so each has its own code (specification: Agent job).
create function private.dependency_reasons(p_task_ids uuid[], p_sprint_run_id uuid default null)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('code', r.code, 'message', r.message, 'blocked_by', r.blocked_by)
      || case when r.code = 'dependency_unmerged' then jsonb_build_object('awaited', private.awaited_work(p_task_ids)) else '{}' end
      order by r.code desc), '[]')
    from (
      select b.reason as code,
        case b.reason
          when 'dependency_failed'
            then format('It is blocked by %s, which failed. Retry that, finish it by hand, or remove the dependency.', string_agg(b.code, ', ' order by b.sort_order, b.code))
          when 'dependency_unmerged'
            then format('It is blocked by %s, which is done but not on the main branch yet. Merge it (a worker notices within a minute), or the owner marks it as merged.',
              string_agg(b.code, ', ' order by b.sort_order, b.code))
          else format('It is blocked by %s.', string_agg(format('%s (%s)', b.code, case b.status when 'todo' then 'to do' else replace(b.status, '_', ' ') end), ', ' order by b.sort_order, b.code)) end as message,
        jsonb_agg(private.blocker_json(b.blocker_id, b.code, b.title, b.status, false)::jsonb || jsonb_build_object('kind', b.kind) order by b.sort_order, b.code) as blocked_by
      from (
        select distinct k.kind, k.blocker_id, k.code, k.title, k.status, k.sort_order,
          case k.status when 'failed' then 'dependency_failed' when 'done' then 'dependency_unmerged' else 'dependency' end as reason
        from private.task_blockers k
        where k.task_id = any (p_task_ids) and not k.resolved
          and (p_sprint_run_id is null or not private.comes_with_batch(p_sprint_run_id, k.task_id, k.kind, k.blocker_id, false))
        order by k.sort_order, k.code
        limit 20
      ) b
      group by b.reason
    ) r
  );
end;
$$;

-- The blockers of a task or story as codes, as in the export file (docs/export-format.md).
create function private.export_blocked_by(p_kind text, p_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  return (select coalesce(json_agg(e.code order by e.sort_order, e.code), '[]')
    from private.dependencies d join private.dependency_ends e on e.kind = d.kind and e.id = d.blocker_id
    where d.kind = p_kind and d.blocked_id = p_id);
end;
$$;
grant execute on function private.export_blocked_by to service_role;

-- The same of work whose job was deleted.
create function private.tasks_of_work(p_kind public.agent_job_kind, p_task_id uuid, p_sprint_run_id uuid)
returns uuid[] language plpgsql stable set search_path = '' as $$
begin
  if p_kind = 'SPRINT_IMPLEMENTATION' then
    return array(select e.task_id from public.task_executions e where e.sprint_run_id = p_sprint_run_id);
  end if;
  return array_remove(array[p_task_id], null);
end;
$$;
