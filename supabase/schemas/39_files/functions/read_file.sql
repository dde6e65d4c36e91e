-- Called by GET /api/files/:id, part by part: what a request costs follows from what is sent, not from the file. Without access to the
-- product a file looks missing. Without a length nothing is read: a browser that has the content asks only whether it may still show it.
-- Definer: users may not select contents.
create function operations.read_file(p_file_id uuid, p_from integer default 0, p_length integer default 0)
returns json
language plpgsql
volatile
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
  if p_length > 0 then
    perform private.take_rate_limit('file_read', auth.uid()::text);
  end if;
  return json_build_object('name', v_file.name, 'type', v_file.type, 'size', v_file.size, 'content', (
    select encode(substring(c.content from p_from + 1 for least(p_length, 1048576)), 'base64')
    from public.file_contents c where c.file_id = p_file_id and p_length > 0));
end;
$$;

comment on function operations.read_file is 'A file with a part of its content in base64 (at most 1 MB), null where none was asked for.';
grant execute on function operations.read_file to authenticated;
