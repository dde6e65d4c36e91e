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

comment on view private.pbi_shape is 'A PBI in REST form (specification: PBI).';

grant select on private.pbi_shape to authenticated;
