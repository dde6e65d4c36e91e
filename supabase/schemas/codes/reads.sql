-- Called by the MCP tools and commands, which take codes in place of ids. Returns { id, kind, code, product_id }
-- for an id or code that the caller can reach. A code of several products is refused with the candidates (PT422)
-- (specification: Entity codes).
create function operations.resolve_reference(p_kind text, p_reference text, p_product_id uuid default null)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_found json[];
begin
  perform private.parse_choice('kind', coalesce(p_kind, ''), '{product,pbi,story,task,sprint,idea}');
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;

  if p_reference ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    if p_kind = 'idea' then
      perform private.require_own_idea(p_reference::uuid);
    else
      perform private.require_access(p_kind, p_reference::uuid);
    end if;
    v_found := private.find_reference(p_kind, null, p_reference::uuid, null);
  else
    v_found := private.find_reference(p_kind, p_reference, null, p_product_id);
    if v_found is null then
      v_found := private.find_reference(p_kind, upper(p_reference), null, p_product_id);
    end if;
  end if;

  if v_found is null then
    perform private.refuse_unknown(p_kind);
  end if;

  if cardinality(v_found) > 1 then
    raise exception using errcode = 'PT422',
      message = format('%s names more than one %s. Give the id, or name the product.', p_reference, case p_kind when 'pbi' then 'PBI' else p_kind end),
      detail = json_build_object('candidates', array_to_json(v_found))::text;
  end if;

  return v_found[1];
end;
$$;
grant execute on function operations.resolve_reference to authenticated;

-- Why: one look-up for all kinds. Runs as the caller under row level security, so it finds only what the caller can
-- reach (specification: Entity codes).
create function private.find_reference(p_kind text, p_code text, p_id uuid, p_product_id uuid)
returns json[] language plpgsql stable set search_path = '' as $$
begin
  return (
    select array_agg(json_build_object('id', x.id, 'kind', p_kind, 'code', x.code, 'product_id', x.product_id) order by x.id)
    from (
      select p.id, p.code, p.id as product_id from public.products p where p_kind = 'product' and (p.code = p_code or p.id = p_id)
      union all
      select b.id, b.code, b.product_id from public.pbis b where p_kind = 'pbi' and (b.code = p_code or b.id = p_id)
      union all
      select s.id, s.code, s.product_id from public.stories s where p_kind = 'story' and (s.code = p_code or s.id = p_id)
      union all
      select t.id, t.code, t.product_id from public.tasks t where p_kind = 'task' and (t.code = p_code or t.id = p_id)
      union all
      select s.id, s.code, s.product_id from public.sprints s where p_kind = 'sprint' and (s.code = p_code or s.id = p_id)
      union all
      select i.id, i.code, i.product_id from public.ideas i where p_kind = 'idea' and (i.code = p_code or i.id = p_id)
    ) x
    where p_product_id is null or x.product_id = p_product_id
  );
end;
$$;
grant execute on function private.find_reference to authenticated;

-- Why: stories and tasks are sorted by the trailing number of their code. Codes without one, or with one past the
-- largest safe integer, sort last (specification: Ordering rules 1).
create function private.sort_order_from_code(p_code text)
returns bigint language plpgsql immutable set search_path = '' as $$
begin
  return coalesce(
    least(substring(p_code from '[0-9]+$')::numeric, 9007199254740991)::bigint,
    9007199254740991
  );
end;
$$;
grant execute on function private.sort_order_from_code to authenticated, service_role;
