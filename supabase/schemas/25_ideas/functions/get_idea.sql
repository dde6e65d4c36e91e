-- Called by the idea page and tools: the idea, its PBI if promoted, and its log, oldest first.
create function operations.get_idea(p_idea_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
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
        ) as logs
      from private.idea_shape i
      where i.id = p_idea_id
    ) x
  );
end;
$$;

comment on function operations.get_idea is 'One idea with its PBI and log (specification: Idea).';
grant execute on function operations.get_idea to authenticated;
