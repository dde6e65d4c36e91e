-- Called by GET /api/pbis/:id/stories. The answer is passed through unparsed.
create function operations.list_pbi_stories(p_pbi_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_access('pbi', p_pbi_id);

  return (
    select coalesce(json_agg(private.with_labels(row_to_json(s), k.label_ids) order by s.sort_order, k.created_at, s.id), '[]')
    from private.story_shape s
    join public.stories k on k.id = s.id
    where s.pbi_id = p_pbi_id and not k.in_triage
  );
end;
$$;

comment on function operations.list_pbi_stories is
  'Stories of a PBI in their order (specification: GET /api/pbis/:id/stories).';
grant execute on function operations.list_pbi_stories to authenticated;
