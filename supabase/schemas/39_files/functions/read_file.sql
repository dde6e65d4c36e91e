-- Called by GET /api/files/:id. Without access to the product a file looks missing. A browser that has the content asks for the
-- rest only, and so whether it may still show it. Definer: users may not select contents.
create function operations.read_file(p_file_id uuid, p_with_content boolean default true)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_file public.files;
begin
  select f.* into v_file from public.files f
  where f.id = p_file_id and f.product_id in (select private.accessible_product_ids());
  if v_file.id is null then
    perform private.refuse(404, 'No such file.');
  end if;
  return json_build_object('name', v_file.name, 'type', v_file.type,
    'content', (select encode(c.content, 'base64') from public.file_contents c where c.file_id = p_file_id and p_with_content));
end;
$$;

comment on function operations.read_file is 'A file with its content in base64, null where that was not asked for.';
grant execute on function operations.read_file to authenticated;
