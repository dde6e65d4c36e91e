-- Why: a blocker is usually near: unfinished and in the same story or sprint. Existing blockers, and items that this
-- one blocks (a cycle), are left out. With a query, anything whose code or title matches. One walk finds what this
-- blocks, however many candidates there are. Definer: access is checked first.
create function operations.list_candidates(p_kind text, p_id uuid, p_query text default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_access(v_kind, p_id);
  v_pattern text := '%' || replace(replace(replace(trim(coalesce(p_query, '')), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_near record;
  v_found jsonb;
begin
  perform private.take_rate_limit('candidates', auth.uid()::text);
  select t.story_id, s.sprint_id, s.pbi_id into v_near
  from public.stories s left join public.tasks t on t.id = p_id
  where s.id = coalesce(t.story_id, p_id);
  with recursive reach (kind, id) as (
    select n.kind, n.id from private.followers(case v_kind when 'task' then 'task' else 'start' end, p_id) n
    union
    select n.kind, n.id from reach r cross join lateral private.followers(r.kind, r.id) n
  ),
  later (id) as (
    select r.id from reach r where r.kind = case v_kind when 'task' then 'task' else 'end' end
  ),
  candidates as (
    select t.id, t.code, t.title, private.task_status_word(t.status) as status,
      t.story_id = v_near.story_id as is_near, s.sprint_id is not distinct from v_near.sprint_id as is_beside, t.created_at
    from public.tasks t join public.stories s on s.id = t.story_id
    where v_kind = 'task' and t.product_id = v_product_id and t.status <> 'DONE' and (t.code ilike v_pattern or t.title ilike v_pattern)
    union all
    select s.id, s.code, s.title, lower(s.status::text),
      s.sprint_id = v_near.sprint_id, s.pbi_id = v_near.pbi_id, s.created_at
    from public.stories s
    where v_kind = 'story' and s.product_id = v_product_id and s.status <> 'DONE' and (s.code ilike v_pattern or s.title ilike v_pattern)
  ),
  nearest as (
    select * from candidates c
    where c.id <> p_id
      and c.id not in (select l.id from later l)
      and not exists (select from public.task_dependencies d where d.blocked_id = p_id and d.blocker_id = c.id)
      and not exists (select from public.story_dependencies d where d.blocked_id = p_id and d.blocker_id = c.id)
    order by c.is_near desc nulls last, c.is_beside desc, c.created_at, c.id
    limit 8
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', n.id, 'code', n.code, 'title', n.title, 'status', n.status)
    order by n.is_near desc nulls last, n.is_beside desc, n.created_at, n.id), '[]')
  into v_found from nearest n;
  return v_found;
end;
$$;

comment on function operations.list_candidates is 'What a task or story could wait for: what is near first, at most 8.';
grant execute on function operations.list_candidates to authenticated;
