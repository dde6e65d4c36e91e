-- Why: whoever says "this waits for…" mostly means something near: of the same story or sprint, and not done. What it waits for
-- already and what waits for it (then it would go round) is left out. With words, whatever matches by code or title.
-- Definer: access is checked first.
create function private.list_candidates(p_kind text, p_id uuid, p_query text)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
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
$$;

grant execute on function private.list_candidates to authenticated;

create function public.list_candidates(p_kind text, p_id uuid, p_query text default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.list_candidates(p_kind, p_id, p_query);
end;
$$;

comment on function public.list_candidates is 'What a task or story could wait for: what is near first, at most 8.';

grant execute on function public.list_candidates to authenticated;
