-- Called by the story page: newest first, in pages. The cursor is the id of the last entry of the previous page.
create function operations.list_story_logs(p_story_id uuid, p_limit integer default 50, p_cursor uuid default null)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 100);
  v_items json;
  v_count integer;
  v_last uuid;
begin
  perform private.require_access('story', p_story_id);

  select coalesce(json_agg(row_to_json(l) order by x.created_at desc, x.id desc), '[]'), count(*),
    (array_agg(x.id order by x.created_at, x.id))[1]
  into v_items, v_count, v_last
  from (
    select k.id, k.created_at
    from public.story_logs k
    left join public.story_logs c on c.id = p_cursor
    where k.story_id = p_story_id and (p_cursor is null or (k.created_at, k.id) < (c.created_at, c.id))
    order by k.created_at desc, k.id desc
    limit v_limit
  ) x
  join private.story_log_shape l on l.id = x.id;

  return json_build_object('items', v_items, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;

comment on function operations.list_story_logs is 'Log of a story, newest first (specification: Story log entry).';
grant execute on function operations.list_story_logs to authenticated;
