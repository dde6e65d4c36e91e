-- Why: `admin export --files` writes the content of each file into a folder (docs/export-format.md). Service only.
create function operations.export_file(p_file_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select json_build_object('content', encode(c.content, 'base64'))
    from public.file_contents c where c.file_id = p_file_id);
end;
$$;

comment on function operations.export_file is 'The content of a file in base64, null where it is gone. Service only.';
grant execute on function operations.export_file to service_role;
