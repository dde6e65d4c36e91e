-- Called by the triage page: stories to accept, oldest first, and where they can go: PBIs, and stories that are not
-- done.
create function operations.list_triage(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('product', p_product_id);
  return json_build_object(
    'stories', (
      select coalesce(json_agg(private.with_labels(row_to_json(x), k.label_ids)::jsonb
          || jsonb_build_object('origin', k.origin, 'external_url', k.external_url) order by k.created_at, k.id), '[]')
      from private.story_shape x
      join public.stories k on k.id = x.id
      where k.product_id = p_product_id and k.in_triage and not k.is_template),
    'pbis', (
      select coalesce(json_agg(json_build_object('id', b.id, 'code', b.code, 'title', b.title)
        order by b.priority, b.sort_order, b.created_at, b.id), '[]')
      from public.pbis b where b.product_id = p_product_id),
    'targets', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title)
        order by s.sort_order, s.created_at, s.id), '[]')
      from public.stories s where s.product_id = p_product_id and not s.in_triage and s.status <> 'DONE'));
end;
$$;

comment on function operations.list_triage is 'What waits in the triage of a product, and where it can go.';
grant execute on function operations.list_triage to authenticated;
