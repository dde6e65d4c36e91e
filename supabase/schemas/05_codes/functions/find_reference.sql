-- Why: one look-up for all kinds. Runs as the caller under row level security: only what the caller reaches is found.
create function private.find_reference(p_kind text, p_code text, p_id uuid, p_product_id uuid)
returns json[]
language plpgsql
stable
set search_path = ''
as $$
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

comment on function private.find_reference is
  'Candidates for an id or a code among what the caller reaches (specification: Entity codes).';

grant execute on function private.find_reference to authenticated, service_role;
