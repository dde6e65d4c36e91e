-- Called by the pages and tools that show one PBI: its fields, the idea it came from (for the idea's author only) and
-- its stories.
create function operations.get_pbi(p_pbi_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('pbi', p_pbi_id);

  return (
    select row_to_json(x)
    from (
      select
        b.*,
        (
          select json_build_object('id', i.id, 'code', i.code, 'title', i.title)
          from public.pbis k
          join public.ideas i on i.id = k.idea_id
          where k.id = b.id
        ) as idea,
        operations.list_pbi_stories(b.id) as stories
      from private.pbi_shape b
      where b.id = p_pbi_id
    ) x
  );
end;
$$;

comment on function operations.get_pbi is 'One PBI with its stories (specification: PBI).';
grant execute on function operations.get_pbi to authenticated;
