-- A file in a list: also when and by whom it was added, where it belongs, and whether it proves something.
create function private.listed_file_json(p_file public.files)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return json_build_object('id', p_file.id, 'url', '/api/files/' || p_file.id, 'name', p_file.name, 'type', p_file.type, 'size', p_file.size,
    'created_at', p_file.created_at, 'created_by', p_file.created_by, 'author', private.username(p_file.created_by),
    'story_id', p_file.story_id, 'task_id', p_file.task_id, 'comment_id', p_file.comment_id, 'job_id', p_file.job_id,
    'evidence', private.is_evidence(p_file.id));
end;
$$;

comment on function private.listed_file_json is 'A file as lists show it.';
grant execute on function private.listed_file_json to authenticated;
