-- Called by GET /api/products/:id/landings and the pages: the branch landing now, those in the queue, and the newest
-- that ended.
-- Definer: the queue is computed from jobs of the whole product, after access was checked.
create function operations.list_landings(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);
  return json_build_object(
    'landing', (select p.landing from public.products p where p.id = p_product_id),
    'queue', (
      select coalesce(json_agg(json_build_object('place', q.place, 'job_id', q.job_id, 'branch', q.branch,
        'state', coalesce((select l.state from public.landings l where l.job_id = q.job_id and l.finished_at is null), 'queued')) order by q.place), '[]')
      from private.landing_queue(p_product_id) q),
    'ended', (
      select coalesce(json_agg(private.landing_json(l) order by l.finished_at desc, l.id), '[]')
      from (
        select x.* from public.landings x where x.product_id = p_product_id and x.finished_at is not null
        order by x.finished_at desc, x.id limit 50) l));
end;
$$;

comment on function operations.list_landings is 'The landing queue of a product (docs/forges.md).';
grant execute on function operations.list_landings to authenticated;
