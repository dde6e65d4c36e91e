-- Called by GET /api/products/:id/agent-context and the MCP tool get_context. The answer is passed through unparsed.
create function public.get_agent_context(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_agent_context(p_product_id);
end;
$$;

comment on function public.get_agent_context(uuid) is
  'Product, active sprint, next story and open ideas (specification: GET /api/products/:id/agent-context).';

revoke execute on function public.get_agent_context(uuid) from public, anon;
grant execute on function public.get_agent_context(uuid) to authenticated;
