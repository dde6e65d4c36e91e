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

comment on view private.idea_shape is 'An idea in REST form (specification: Idea).';

grant select on private.idea_shape to authenticated;
