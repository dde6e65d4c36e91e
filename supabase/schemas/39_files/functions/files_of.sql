-- Why: what people and agents added to a story or task itself, as its page lists it. Files of comments stand in the comments, and evidence in
-- the proof.
create function private.files_of(p_item_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(private.listed_file_json(f) order by f.created_at, f.id), '[]')
    from (
      select x.* from public.files x
      where (x.story_id = p_item_id or x.task_id = p_item_id) and x.comment_id is null
        and not private.is_evidence(x.id)
      order by x.created_at desc, x.id
      limit 200
    ) f);
end;
$$;

comment on function private.files_of is 'The files of a story or task, oldest first.';
grant execute on function private.files_of to authenticated;
