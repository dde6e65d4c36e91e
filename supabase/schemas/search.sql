-- Definer: row level security would keep the text indexes from being used; every query, and every word in it, is
-- limited to the caller's products and ideas. PBIs, stories and tasks of the caller's products and the caller's
-- ideas; with `blocked:`, blocked tasks and stories. The cursor is the one the previous page returned. Refusals: 403,
-- 404, 422, 429.
create function operations.search(
  p_query text, p_product_id uuid default null, p_kind text default null, p_limit integer default 20,
  p_cursor text default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
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

  perform private.take_rate_limit('search', auth.uid()::text);
  if p_query ~* '(^|\s)blocked:' then
    return private.search_blocked(normalize(left(p_query, 200), nfc), p_product_id, p_kind, v_limit, v_offset);
  end if;
  return private.find_matches(normalize(left(p_query, 200), nfc), p_product_id, p_kind, v_limit, v_offset);
end;
$$;
grant execute on function operations.search to authenticated;
comment on function operations.search is 'reads';

-- Words match by prefix, codes too. Ranking parses a match's text again, so only the newest 200 are ranked, by their
-- prefixes; older ones follow by creation time. Planned once per session: to plan a search, Postgres compares its words
-- with the most common ones of all users each time, which takes longer than finding them. A merge join planned while a
-- table was small would read all of it forever.
create function private.find_matches(p_query text, p_product_id uuid, p_kind text, p_limit integer, p_offset integer)
returns json
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off as $$
declare
  v_user_id uuid := auth.uid();
  v_code text := replace(replace(replace(trim(p_query), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_products uuid[];
  v_words text[];
  v_query tsquery;
  v_in_products tsquery;
  v_in_ideas tsquery;
  v_ranked integer := 200;
  v_most integer := greatest(v_ranked, p_offset + p_limit + 1);
  v_found json[];
begin
  select array_agg(distinct l) into v_words
  from regexp_split_to_table(lower(p_query), '[^[:alnum:]]+') w, unnest(tsvector_to_array(to_tsvector('simple', w))) l;
  select coalesce(array_agg(m.product_id), '{}') into v_products
  from public.product_members m
  where m.user_id = v_user_id and private.is_open_to_token(m.product_id) and (p_product_id is null or m.product_id = p_product_id);
  v_query := private.words_in_scopes('{""}', v_words);
  v_in_products := private.words_in_scopes(array(select private.scope_of_words(i) from unnest(v_products) i), v_words);
  v_in_ideas := private.words_in_scopes(array[private.scope_of_words(v_user_id)], v_words);

  select array_agg(row_to_json(r))
  into v_found
  from (
    select h.kind, h.id, h.code, h.title, left(h.description, 200) as excerpt, h.status, h.product_id, p.code as product_code
    from (
      select m.*, row_number() over (order by m.by_code desc, m.created_at desc, m.id) as place
      from (
        (select 'pbi' as kind, b.id, b.product_id, b.code, b.title, b.description, lower(b.status::text) as status, b.created_at,
          b.code ilike v_code as by_code
        from public.pbis b
        where (p_kind is null or p_kind = 'pbi') and b.product_id = any (v_products)
          and b.id in (
            select x.id from public.pbis x where x.code ilike v_code and x.product_id = any (v_products)
            union
            select private.ids_with_words('pbi', v_in_products))
        order by by_code desc, b.created_at desc, b.id
        limit v_most)
        union all
        (select 'story', s.id, s.product_id, s.code, s.title, s.description, lower(s.status::text), s.created_at,
          s.code ilike v_code as by_code
        from public.stories s
        where (p_kind is null or p_kind = 'story') and s.product_id = any (v_products)
          and s.id in (
            select x.id from public.stories x where x.code ilike v_code and x.product_id = any (v_products)
            union
            select private.ids_with_words('story', v_in_products))
        order by by_code desc, s.created_at desc, s.id
        limit v_most)
        union all
        (select 'task', t.id, t.product_id, t.code, t.title, t.description, private.task_status_word(t.status), t.created_at,
          t.code ilike v_code as by_code
        from public.tasks t
        where (p_kind is null or p_kind = 'task') and t.product_id = any (v_products)
          and t.id in (
            select x.id from public.tasks x where x.code ilike v_code and x.product_id = any (v_products)
            union
            select private.ids_with_words('task', v_in_products))
        order by by_code desc, t.created_at desc, t.id
        limit v_most)
        union all
        (select 'idea', i.id, i.product_id, i.code, i.title, i.description, lower(i.status::text), i.created_at,
          i.code ilike v_code as by_code
        from public.ideas i
        where (p_kind is null or p_kind = 'idea') and (p_product_id is null or i.product_id = p_product_id)
          and i.user_id = v_user_id and private.is_open_to_token(i.product_id)
          and i.id in (
            select x.id from public.ideas x where x.code ilike v_code and x.user_id = v_user_id
            union
            select private.ids_with_words('idea', v_in_ideas))
        order by by_code desc, i.created_at desc, i.id
        limit v_most)
      ) m
    ) h
    join public.products p on p.id = h.product_id
    order by h.by_code desc,
      case when h.place <= v_ranked then ts_rank(to_tsvector('simple', h.code || ' ' || h.title || ' ' || left(h.description, 1000)), v_query) end
        desc nulls last,
      h.created_at desc, h.id
    limit p_limit + 1
    offset p_offset
  ) r;

  return json_build_object(
    'items', array_to_json(coalesce(v_found[1:p_limit], '{}')),
    'next_cursor', case when cardinality(v_found) > p_limit then (p_offset + p_limit)::text end
  );
end;
$$;

-- A separate statement for each kind, with no other condition and without a sequential scan: in any other plan, above
-- all in one made while the table was small, Postgres parses the texts of all rows instead of reading the index.
create function private.ids_with_words(p_kind text, p_words tsquery) returns setof uuid
language plpgsql stable rows 100 set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  case p_kind
    when 'pbi' then return query
      select x.id from public.pbis x where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ p_words;
    when 'story' then return query
      select x.id from public.stories x where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ p_words;
    when 'task' then return query
      select x.id from public.tasks x where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ p_words;
    when 'idea' then return query
      select x.id from public.ideas x where private.scoped_words(x.user_id, x.code, x.title, x.description) @@ p_words;
  end case;
end;
$$;

-- Every word must match as a prefix, within one of the scopes. An empty scope uses the words as they are.
create function private.words_in_scopes(p_scopes text[], p_words text[])
returns tsquery language sql immutable set search_path = '' as $$
  select coalesce(string_agg(q.words, ' | '), '')::tsquery
  from (
    select '(' || string_agg(quote_literal(s.scope || w.word) || ':*', ' & ') || ')' as words
    from unnest(p_scopes) s (scope)
    cross join unnest(p_words) w (word)
    group by s.scope) q;
$$;

-- `blocked:` in a search finds dependencies: `blocked:` and `blocked:yes` unfinished tasks and stories that are
-- blocked, `blocked:no` those that are not, `blocked:T-3` those blocked by that one. Other words filter by code and
-- title. The query is limited to the caller's products (docs/dependencies.md).
create function private.search_blocked(p_query text, p_product_id uuid, p_kind text, p_limit integer, p_offset integer)
returns json language plpgsql stable set search_path = '' as $$
declare
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
        and t.product_id in (select private.accessible_product_ids())
        and (p_product_id is null or t.product_id = p_product_id) and (t.code ilike v_pattern or t.title ilike v_pattern)
      union all
      select 'story', s.id, s.product_id, s.code, s.title, s.description, lower(s.status::text), s.created_at,
        array(select b.code from public.story_dependencies d join public.stories b on b.id = d.blocker_id
          where d.blocked_id = s.id and b.status <> 'DONE')
      from public.stories s
      where (p_kind is null or p_kind = 'story') and s.status <> 'DONE'
        and s.product_id in (select private.accessible_product_ids())
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

-- Prefix of a product's (for ideas, a user's) words in the indexes: 48 bits of the id, as hits are checked again.
create function private.scope_of_words(p_scope uuid) returns text language plpgsql immutable set search_path = '' as $$
begin
  return left(p_scope::text, 13) || ' ';
end;
$$;
grant execute on function private.scope_of_words to authenticated, service_role;

-- Each word in a search index starts with its scope, so that a search reads only the caller's words: others' texts
-- cost no time and reveal nothing. The cost keeps the planner from parsing all texts again instead of reading an index.
create function private.scoped_words(p_scope uuid, p_code text, p_title text, p_description text)
returns tsvector language plpgsql immutable cost 100000 set search_path = '' as $$
declare
  v_scope text := private.scope_of_words(p_scope);
begin
  return array_to_tsvector(array(
    select v_scope || left(w, 300)
    from unnest(tsvector_to_array(to_tsvector('simple', p_code || ' ' || p_title || ' ' || left(p_description, 20000)))) w));
end;
$$;
grant execute on function private.scoped_words to authenticated, service_role;
