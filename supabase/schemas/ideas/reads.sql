-- An idea as its owner sees it (specification: Idea).
create view private.idea_shape with (security_invoker = true) as
select
  i.id, i.code, i.product_id, i.title, i.description,
  lower(i.status::text) as status,
  i.pbi_id,
  (
    select coalesce(json_agg(l.product_id order by l.created_at, l.product_id), '[]')
    from public.idea_products l
    where l.idea_id = i.id
  ) as secondary_product_ids,
  to_char(i.archived_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as archived_at,
  to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  i.version
from public.ideas i;
grant select on private.idea_shape to authenticated;

-- The idea, its PBI if promoted, its log, oldest first, and the conversation about it (specification: Idea).
create function operations.get_idea(p_idea_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_own_idea(p_idea_id);

  return (
    select row_to_json(x)
    from (
      select
        i.*,
        (select json_build_object('id', b.id, 'code', b.code, 'product_id', b.product_id) from public.pbis b where b.id = i.pbi_id) as pbi,
        (
          select coalesce(json_agg(row_to_json(y)), '[]')
          from (
            select
              l.id, l.kind, l.content,
              to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
            from public.idea_logs l
            where l.idea_id = i.id
            order by l.created_at, l.id
          ) y
        ) as logs,
        private.idea_conversation(i.id) as talk
      from private.idea_shape i
      where i.id = p_idea_id
    ) x
  );
end;
$$;
grant execute on function operations.get_idea to authenticated;

-- An idea is one user's, not its members'. Definer: RLS hides others'. Returns its product (specification: Idea).
create function private.require_own_idea(p_idea_id uuid)
returns uuid language plpgsql stable security definer set search_path = '' as $$
declare
  v_idea public.ideas;
begin
  select i.* into v_idea from public.ideas i where i.id = p_idea_id;

  if v_idea.id is null then
    perform private.refuse_unknown('idea');
  end if;

  if v_idea.user_id is distinct from auth.uid() then
    perform private.refuse(403, 'This idea belongs to someone else. Ask them, or add your own.');
  end if;

  if not private.is_open_to_token(v_idea.product_id) then
    perform private.refuse(403, 'This token is limited to other products. Use a token that includes the product of this idea.');
  end if;

  return v_idea.product_id;
end;
$$;
grant execute on function private.require_own_idea to authenticated, service_role;

-- The caller's ideas, oldest first, in pages (specification: Idea).
create function operations.list_ideas(
  p_product_id uuid default null, p_archived boolean default false, p_limit integer default 100,
  p_cursor text default null
) returns json language plpgsql stable set search_path = '' as $$
declare
  v_after record := private.read_cursor(p_cursor, 1);
  v_limit integer := least(greatest(coalesce(p_limit, 100), 1), 200);
  v_items json;
  v_count integer;
  v_last text;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;

  select coalesce(json_agg(row_to_json(i) order by x.created_at, x.id), '[]'), count(*),
    (array_agg(private.cursor_of(x.id, private.microseconds(x.created_at)) order by x.created_at desc, x.id desc))[1]
  into v_items, v_count, v_last
  from (
    select k.id, k.created_at
    from public.ideas k
    where k.user_id = (select auth.uid()) and (k.archived_at is not null) = p_archived
      and (
        p_product_id is null or k.product_id = p_product_id
        or exists (select from public.idea_products l where l.idea_id = k.id and l.product_id = p_product_id)
      )
      and (p_cursor is null or (k.created_at, k.id) > (private.time_at(v_after.place[1]), v_after.id))
    order by k.created_at, k.id
    limit v_limit
  ) x
  join private.idea_shape i on i.id = x.id;

  return json_build_object('items', v_items, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;
grant execute on function operations.list_ideas to authenticated;
