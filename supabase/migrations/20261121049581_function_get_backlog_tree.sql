-- Called by the backlog page: codes, titles and states of everything in a product, and the sprints a story can join.
create function public.get_backlog_tree(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_backlog_tree(p_product_id);
end;
$$;

comment on function public.get_backlog_tree(uuid) is 'The tree of the backlog page (design: pages, backlog).';

revoke execute on function public.get_backlog_tree(uuid) from public, anon;
grant execute on function public.get_backlog_tree(uuid) to authenticated;
