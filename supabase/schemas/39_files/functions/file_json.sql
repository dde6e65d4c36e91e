-- One shape of a file for all who read it.
create function private.file_json(p_file_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select json_build_object('id', f.id, 'url', '/api/files/' || f.id, 'name', f.name, 'type', f.type, 'size', f.size)
    from public.files f where f.id = p_file_id);
end;
$$;

comment on function private.file_json is 'A file without its content, as every answer shows it.';
grant execute on function private.file_json to authenticated, service_role;
