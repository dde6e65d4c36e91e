-- Why: what can start now counts what it frees by itself again: it called a function that is gone.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.list_candidates(p_kind text, p_id uuid, p_query text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_access(v_kind, p_id);
  v_pattern text := '%' || replace(replace(replace(trim(coalesce(p_query, '')), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_near record;
  v_found jsonb := '[]';
  v_each record;
begin
  select t.story_id, s.sprint_id, s.pbi_id into v_near
  from public.stories s left join public.tasks t on t.id = p_id
  where s.id = coalesce(t.story_id, p_id);
  for v_each in
    select * from (
      select t.id, t.code, t.title, private.task_status_word(t.status) as status,
        t.story_id = v_near.story_id as is_near, s.sprint_id is not distinct from v_near.sprint_id as is_beside, t.created_at
      from public.tasks t join public.stories s on s.id = t.story_id
      where v_kind = 'task' and t.product_id = v_product_id and t.status <> 'DONE' and (t.code ilike v_pattern or t.title ilike v_pattern)
      union all
      select s.id, s.code, s.title, lower(s.status::text),
        s.sprint_id = v_near.sprint_id, s.pbi_id = v_near.pbi_id, s.created_at
      from public.stories s
      where v_kind = 'story' and s.product_id = v_product_id and s.status <> 'DONE' and (s.code ilike v_pattern or s.title ilike v_pattern)
    ) c
    where c.id <> p_id
      and not exists (select from public.task_dependencies d where d.blocked_id = p_id and d.blocker_id = c.id)
      and not exists (select from public.story_dependencies d where d.blocked_id = p_id and d.blocker_id = c.id)
    order by c.is_near desc nulls last, c.is_beside desc, c.created_at, c.id
    limit 40
  loop
    continue when private.find_path(case v_kind when 'task' then 'task' else 'start' end, p_id,
      case v_kind when 'task' then 'task' else 'end' end, v_each.id) is not null;
    v_found := v_found || jsonb_build_object('id', v_each.id, 'code', v_each.code, 'title', v_each.title, 'status', v_each.status);
    exit when jsonb_array_length(v_found) = 8;
  end loop;
  return v_found;
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_ready(p_product_id uuid, p_limit integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);
  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select t.id, t.code, t.title, private.task_status_word(t.status) as status, t.priority, s.id as story_id, s.code as story_code,
        '[]'::json as blocked_by,
        (
          select count(*) from public.tasks w
          where w.status <> 'DONE' and w.id in (
            select d.blocked_id from public.task_dependencies d where d.blocker_id = t.id
            union
            select i.id from public.story_dependencies d join public.tasks i on i.story_id = d.blocked_id where d.blocker_id = t.story_id)
        ) as frees,
        p.status is not distinct from 'ACTIVE' and coalesce(t.implementation_plan, '') ~ '\S' as dispatchable
      from public.tasks t
      join public.stories s on s.id = t.story_id
      join public.pbis b on b.id = s.pbi_id
      left join public.sprints p on p.id = s.sprint_id
      where t.product_id = p_product_id and t.status = 'TO_DO' and b.status <> 'BLOCKED'
        and not exists (select from private.task_blockers k where k.task_id = t.id and not k.resolved)
      order by (p.status is not distinct from 'ACTIVE') desc, s.sort_order, s.created_at, s.id, t.sort_order, t.created_at, t.id
      limit least(greatest(coalesce(p_limit, 50), 1), 200)
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_candidates(p_kind text, p_id uuid, p_query text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_candidates(p_kind, p_id, p_query);
end;
$function$;
