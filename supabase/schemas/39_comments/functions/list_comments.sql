-- The newest comments of an item, oldest first; with a cursor those before them.
create function operations.list_comments(p_kind text, p_id uuid, p_limit integer default 100, p_cursor uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_kind text := private.require_comment_place(p_kind);
  v_limit integer := least(greatest(coalesce(p_limit, 100), 1), 200);
  v_found public.comments[];
begin
  perform private.require_access(v_kind, p_id);
  v_found := array(
    select c
    from public.comments c
    left join public.comments b on b.id = p_cursor
    where (c.pbi_id = p_id or c.story_id = p_id or c.task_id = p_id)
      and (p_cursor is null or (c.created_at, c.id) < (b.created_at, b.id))
    order by c.created_at desc, c.id desc
    limit v_limit + 1);
  return json_build_object(
    'comments', (
      select coalesce(json_agg(private.item_comment_json(c) order by c.created_at, c.id), '[]')
      from unnest(v_found[1:v_limit]) c),
    'next_cursor', case when cardinality(v_found) > v_limit then (v_found[v_limit]).id end);
end;
$$;

comment on function operations.list_comments is 'Comments on a PBI, story or task, oldest of the newest first.';
grant execute on function operations.list_comments to authenticated;
