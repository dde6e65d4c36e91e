-- Why: a search is planned once a session instead of anew each time, so that it takes as long at ten million tasks as at few.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.find_matches(p_query text, p_product_id uuid, p_kind text, p_limit integer, p_offset integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
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
            select x.id from public.pbis x
            where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ v_in_products)
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
            select x.id from public.stories x
            where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ v_in_products)
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
            select x.id from public.tasks x
            where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ v_in_products)
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
            select x.id from public.ideas x
            where private.scoped_words(x.user_id, x.code, x.title, x.description) @@ v_in_ideas)
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
$function$;
