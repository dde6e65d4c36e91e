-- Called by GET /api/products/:id/next-story. The answer is passed through unparsed.
create function public.get_next_story(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_next_story(p_product_id);
end;
$$;

comment on function public.get_next_story(uuid) is
  'First open story of the active sprint, or PT404 (specification: GET /api/products/:id/next-story).';

revoke execute on function public.get_next_story(uuid) from public, anon;
grant execute on function public.get_next_story(uuid) to authenticated;
