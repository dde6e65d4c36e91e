-- Called by GET /api/products/:id/backlog and the backlog page. The answer is passed through unparsed.
create function public.get_backlog(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_backlog(p_product_id);
end;
$$;

comment on function public.get_backlog(uuid) is
  'Snapshot of a whole backlog (specification: GET /api/products/:id/backlog).';

revoke execute on function public.get_backlog(uuid) from public, anon;
grant execute on function public.get_backlog(uuid) to authenticated;
