-- Why: "what can start now?": unblocked tasks to do, in PBIs that are not blocked, in story and task order, the active
-- sprint first. `dispatchable` says whether an agent could take it: in the active sprint and with a plan. Definer:
-- access is checked first; RLS would check it again for each row.
create function operations.list_ready(p_product_id uuid, p_limit integer default 50)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
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
      where t.product_id = p_product_id and t.status = 'TO_DO' and b.status <> 'BLOCKED' and not s.in_triage
        and not exists (select from private.task_blockers k where k.task_id = t.id and not k.resolved)
      order by (p.status is not distinct from 'ACTIVE') desc, s.sort_order, s.created_at, s.id, t.sort_order, t.created_at, t.id
      limit least(greatest(coalesce(p_limit, 50), 1), 200)
    ) x
  );
end;
$$;

comment on function operations.list_ready is 'Tasks of a product that wait for nothing.';
grant execute on function operations.list_ready to authenticated;
