-- Called by GET /api/products/:id/pulls and the pages: a product's pull requests as last seen, newest first.
create function operations.list_pulls(p_product_id uuid, p_state text default 'open')
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);
  return json_build_object('pulls', (
    select coalesce(json_agg(private.pull_json(p) order by p.number desc), '[]')
    from (
      select x.* from public.pulls x
      where x.product_id = p_product_id and (p_state = 'all' or x.state = 'open')
      order by x.number desc limit 1000
    ) p));
end;
$$;

comment on function operations.list_pulls is 'Pull requests of a product (docs/forges.md).';
grant execute on function operations.list_pulls to authenticated;
