-- Called by GET /api/products/:id/files and the page Files: the newest first, and how much room they take. A cursor leads to older ones.
create function operations.list_files(p_product_id uuid, p_limit integer default 100, p_cursor uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 100), 1), 200);
  v_found public.files[];
begin
  perform private.require_product_access(p_product_id);
  v_found := array(
    select f
    from public.files f
    left join public.files b on b.id = p_cursor
    where f.product_id = p_product_id and (p_cursor is null or (f.created_at, f.id) < (b.created_at, b.id))
    order by f.created_at desc, f.id desc
    limit v_limit + 1);
  return json_build_object(
    'files', (
      select coalesce(json_agg(private.listed_file_json(f) order by f.created_at desc, f.id desc), '[]')
      from unnest(v_found[1:v_limit]) f),
    'used', (select coalesce(sum(f.size), 0) from public.files f where f.product_id = p_product_id),
    'next_cursor', case when cardinality(v_found) > v_limit then (v_found[v_limit]).id end);
end;
$$;

comment on function operations.list_files is 'The files of a product, newest first, and the bytes they take.';
grant execute on function operations.list_files to authenticated;
