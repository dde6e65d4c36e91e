-- Why: full text search needs its indexes, which row level security would keep from being used. Definer; the products of the
-- caller, and of ideas the caller's own, are part of every query. Words match from their beginning, codes too.
create function private.search(p_query text, p_product_id uuid, p_kind text, p_limit integer, p_offset integer)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_user_id uuid := auth.uid();
  v_code text := replace(replace(replace(trim(p_query), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_words text;
  v_query tsquery;
  v_found json[];
begin
  select string_agg(quote_literal(w) || ':*', ' & ')
  into v_words
  from regexp_split_to_table(lower(p_query), '[^[:alnum:]]+') w
  where w <> '';
  v_query := to_tsquery('simple', coalesce(v_words, ''));

  select array_agg(row_to_json(r))
  into v_found
  from (
    select h.kind, h.id, h.code, h.title, left(h.description, 200) as excerpt, h.status, h.product_id, p.code as product_code
    from (
      select 'pbi' as kind, b.id, b.product_id, b.code, b.title, b.description, lower(b.status::text) as status, b.created_at,
        b.code ilike v_code as by_code,
        ts_rank(to_tsvector('simple', b.code || ' ' || b.title || ' ' || left(b.description, 20000)), v_query) as rank
      from public.pbis b
      where (p_kind is null or p_kind = 'pbi')
        and b.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
        and (b.code ilike v_code or to_tsvector('simple', b.code || ' ' || b.title || ' ' || left(b.description, 20000)) @@ v_query)
      union all
      select 'story', s.id, s.product_id, s.code, s.title, s.description, lower(s.status::text), s.created_at,
        s.code ilike v_code,
        ts_rank(to_tsvector('simple', s.code || ' ' || s.title || ' ' || left(s.description, 20000)), v_query)
      from public.stories s
      where (p_kind is null or p_kind = 'story')
        and s.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
        and (s.code ilike v_code or to_tsvector('simple', s.code || ' ' || s.title || ' ' || left(s.description, 20000)) @@ v_query)
      union all
      select 'task', t.id, t.product_id, t.code, t.title, t.description,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end, t.created_at,
        t.code ilike v_code,
        ts_rank(to_tsvector('simple', t.code || ' ' || t.title || ' ' || left(t.description, 20000)), v_query)
      from public.tasks t
      where (p_kind is null or p_kind = 'task')
        and t.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
        and (t.code ilike v_code or to_tsvector('simple', t.code || ' ' || t.title || ' ' || left(t.description, 20000)) @@ v_query)
      union all
      select 'idea', i.id, i.product_id, i.code, i.title, i.description, lower(i.status::text), i.created_at,
        i.code ilike v_code,
        ts_rank(to_tsvector('simple', i.code || ' ' || i.title || ' ' || left(i.description, 20000)), v_query)
      from public.ideas i
      where (p_kind is null or p_kind = 'idea') and i.user_id = v_user_id
        and (i.code ilike v_code or to_tsvector('simple', i.code || ' ' || i.title || ' ' || left(i.description, 20000)) @@ v_query)
    ) h
    join public.products p on p.id = h.product_id
    where p_product_id is null or h.product_id = p_product_id
    order by h.by_code desc, h.rank desc, h.created_at desc, h.id
    limit p_limit + 1
    offset p_offset
  ) r;

  return json_build_object(
    'items', array_to_json(coalesce(v_found[1:p_limit], '{}')),
    'next_cursor', case when cardinality(v_found) > p_limit then (p_offset + p_limit)::text end
  );
end;
$$;

comment on function private.search is 'Body of search (specification: What the service does 1, 9).';

grant execute on function private.search to authenticated, service_role;

-- Called by the search page, the command menu and the MCP tool search: PBIs, stories and tasks of the caller's products and
-- the caller's ideas; with `blocked:` what waits for what. The cursor is the one that the previous page gave.
create function public.search(
  p_query text,
  p_product_id uuid default null,
  p_kind text default null,
  p_limit integer default 20,
  p_cursor text default null
)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 20), 1), 50);
  v_offset integer := case when p_cursor ~ '^[0-9]{1,6}$' then p_cursor::integer else 0 end;
begin
  perform private.parse_choice('kind', p_kind, '{pbi,story,task,idea}');
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  if trim(coalesce(p_query, '')) = '' then
    return json_build_object('items', '[]'::json, 'next_cursor', null);
  end if;

  if p_query ~* '(^|\s)blocked:' then
    return private.search_blocked(left(p_query, 200), p_product_id, p_kind, v_limit, v_offset);
  end if;
  return private.search(left(p_query, 200), p_product_id, p_kind, v_limit, v_offset);
end;
$$;

comment on function public.search is
  'Full text and code search over what the caller reaches (specification: What the service does 1, 9).';
grant execute on function public.search to authenticated;
