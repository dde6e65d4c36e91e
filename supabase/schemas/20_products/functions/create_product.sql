-- Called by the new product page, the admin command and the MCP tool. The caller becomes the owner.
create function operations.create_product(
  p_code text,
  p_name text,
  p_description text default '',
  p_repo_url text default '',
  p_definition_of_done text default '',
  p_auto_pr boolean default false,
  p_pr_strategy text default 'SPRINT',
  p_done_requires text default 'none',
  p_dependency_release text default 'done',
  p_requires_sandbox boolean default false,
  p_may_reach jsonb default '[]',
  p_plan_first text default 'ask',
  p_pull_requests text default 'none',
  p_agent_items text default 'backlog',
  p_landing text default 'manual'
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  perform private.require_unlimited_token();
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires,
    dependency_release, requires_sandbox, may_reach, plan_first, pull_requests, agent_items, landing)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release,
    coalesce(p_requires_sandbox, false), coalesce(p_may_reach, '[]'), coalesce(p_plan_first, 'ask')::public.plan_first,
    coalesce(p_pull_requests, 'none')::public.pull_requests,
    coalesce(p_agent_items, 'backlog')::public.agent_items, coalesce(p_landing, 'manual')::public.landing);
  return operations.get_product(v_id);
end;
$$;

comment on function operations.create_product is 'Creates a product of the caller (specification: Product). 5 per minute.';
grant execute on function operations.create_product to authenticated;
