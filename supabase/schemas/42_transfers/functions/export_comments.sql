-- Why: the comments of a PBI, story or task, as nested in the export file (docs/export-format.md). Service only.
create function private.export_comments(p_item_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'body', c.body, 'author', c.author, 'created_at', private.export_time(c.created_at), 'edited_at', private.export_time(c.edited_at)
    ) order by c.created_at, c.author, c.body), '[]')
    from public.comments c
    where c.pbi_id = p_item_id or c.story_id = p_item_id or c.task_id = p_item_id
  );
end;
$$;

comment on function private.export_comments is 'Comments on an item for the export file.';

grant execute on function private.export_comments to service_role;
