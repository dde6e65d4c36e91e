-- Every field of a product, for its settings and for tools (specification: Product).
create view private.product_detail_shape with (security_invoker = true) as
select
  p.id, p.code, p.name, p.description, p.repo_url, p.definition_of_done, p.auto_pr, p.pr_strategy, p.done_requires, p.dependency_release, p.owner_id,
  to_char(p.archived_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as archived_at,
  to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  p.requires_sandbox, p.may_reach, p.plan_first, p.pull_requests, p.landing, p.agent_items,
  p.version, p.forge_issue_label
from public.products p;

comment on view private.product_detail_shape is 'A product with all fields (specification: Product).';

grant select on private.product_detail_shape to authenticated;
