-- Why: `blocked:` in a search asks what waits for what: `blocked:` and `blocked:yes` find unfinished tasks and stories that wait,
-- `blocked:no` those that wait for nothing, `blocked:T-3` those that wait for that one. Other words narrow by code and title.
-- Definer, as private.search: the products of the caller are part of the query.
create function private.search_blocked(p_query text, p_product_id uuid, p_kind text, p_limit integer, p_offset integer)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_user_id uuid := auth.uid();
  v_asked text := lower(substring(p_query from '(?i)(?:^|\s)blocked:(\S*)'));
  v_words text := trim(regexp_replace(p_query, '(?i)(^|\s)blocked:\S*', ' ', 'g'));
  v_pattern text := '%' || replace(replace(replace(v_words, '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_found json[];
begin
  select array_agg(row_to_json(r))
  into v_found
  from (
    select h.kind, h.id, h.code, h.title, left(h.description, 200) as excerpt, h.status, h.product_id, p.code as product_code
    from (
      select 'task' as kind, t.id, t.product_id, t.code, t.title, t.description, private.task_status_word(t.status) as status, t.created_at,
        array(select b.code from private.task_blockers b where b.task_id = t.id and not b.resolved) as waits_for
      from public.tasks t
      where (p_kind is null or p_kind = 'task') and t.status <> 'DONE'
        and t.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
        and (p_product_id is null or t.product_id = p_product_id) and (t.code ilike v_pattern or t.title ilike v_pattern)
      union all
      select 'story', s.id, s.product_id, s.code, s.title, s.description, lower(s.status::text), s.created_at,
        array(select b.code from public.story_dependencies d join public.stories b on b.id = d.blocker_id
          where d.blocked_id = s.id and b.status <> 'DONE')
      from public.stories s
      where (p_kind is null or p_kind = 'story') and s.status <> 'DONE'
        and s.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
        and (p_product_id is null or s.product_id = p_product_id) and (s.code ilike v_pattern or s.title ilike v_pattern)
    ) h
    join public.products p on p.id = h.product_id
    where case when v_asked in ('', 'yes', 'true') then h.waits_for <> '{}'
      when v_asked in ('no', 'false', 'none') then h.waits_for = '{}'
      else upper(v_asked) in (select upper(c) from unnest(h.waits_for) c) end
    order by h.created_at desc, h.id
    limit p_limit + 1
    offset p_offset
  ) r;

  return json_build_object(
    'items', array_to_json(coalesce(v_found[1:p_limit], '{}')),
    'next_cursor', case when cardinality(v_found) > p_limit then (p_offset + p_limit)::text end
  );
end;
$$;

comment on function private.search_blocked is 'What waits for what, of the caller''s products (docs/dependencies.md).';

grant execute on function private.search_blocked to authenticated, service_role;
