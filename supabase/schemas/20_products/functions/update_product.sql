-- Called by the product settings. `p_changes` holds the fields to change. Owner only.
create function operations.update_product(p_product_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.require_version('product', p_product_id, p_changes);

  update public.products p
  set code = coalesce(p_changes ->> 'code', p.code),
      name = coalesce(p_changes ->> 'name', p.name),
      description = coalesce(p_changes ->> 'description', p.description),
      repo_url = coalesce(p_changes ->> 'repo_url', p.repo_url),
      definition_of_done = coalesce(p_changes ->> 'definition_of_done', p.definition_of_done),
      auto_pr = coalesce((p_changes ->> 'auto_pr')::boolean, p.auto_pr),
      pull_requests = coalesce((p_changes ->> 'pull_requests')::public.pull_requests, p.pull_requests),
      agent_items = coalesce((p_changes ->> 'agent_items')::public.agent_items, p.agent_items),
      landing = coalesce((p_changes ->> 'landing')::public.landing, p.landing),
      landing_since = case when p_changes ->> 'landing' = 'queue' and p.landing = 'manual' then private.now() else p.landing_since end,
      forge_issue_label = coalesce(p_changes ->> 'forge_issue_label', p.forge_issue_label),
      pr_strategy = coalesce((p_changes ->> 'pr_strategy')::public.pr_strategy, p.pr_strategy),
      done_requires = coalesce((p_changes ->> 'done_requires')::public.done_requires, p.done_requires),
      plan_first = coalesce((p_changes ->> 'plan_first')::public.plan_first, p.plan_first),
      requires_sandbox = coalesce((p_changes ->> 'requires_sandbox')::boolean, p.requires_sandbox),
      may_reach = coalesce(p_changes -> 'may_reach', p.may_reach)
  where p.id = p_product_id;
  perform private.set_dependency_release(p_product_id, (p_changes ->> 'dependency_release')::public.dependency_release);
  return operations.get_product(p_product_id);
end;
$$;

comment on function operations.update_product is 'Edits a product, owner only (specification: Product).';
grant execute on function operations.update_product to authenticated;
