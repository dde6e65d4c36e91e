-- A PBI in the backlog: the contract's fields plus title, description and created_at (specification: PBI).
create view private.pbi_shape with (security_invoker = true) as
select
  b.id, b.product_id, b.code, b.title, b.description, b.priority, b.sort_order,
  lower(b.status::text) as status,
  b.pr_url,
  to_char(b.pr_merged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as pr_merged_at,
  to_char(b.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  b.version
from public.pbis b;
grant select on private.pbi_shape to authenticated;

-- Its fields, the idea it came from (for the idea's author only) and its stories (specification: PBI).
create function operations.get_pbi(p_pbi_id uuid) returns json language plpgsql stable set search_path = '' as $$
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
grant execute on function operations.get_pbi to authenticated;

-- The result is passed through unparsed (specification: GET /api/pbis/:id/stories).
create function operations.list_pbi_stories(p_pbi_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_access('pbi', p_pbi_id);

  return (
    select coalesce(json_agg(private.with_labels(row_to_json(s), k.label_ids) order by s.sort_order, k.created_at, s.id), '[]')
    from private.story_shape s
    join public.stories k on k.id = s.id
    where s.pbi_id = p_pbi_id and not k.in_triage
  );
end;
$$;
grant execute on function operations.list_pbi_stories to authenticated;
