-- Why: a file of an import, in a transaction of its own, before the texts and the evidence that name it (docs/export-format.md). Service only.
create function operations.import_file(p_product_id uuid, p_file jsonb, p_content text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_content bytea := decode(p_content, 'base64');
begin
  insert into public.files (id, product_id, name, type, size, created_by, created_at)
  values ((p_file ->> 'id')::uuid, p_product_id, p_file ->> 'name', p_file ->> 'type', octet_length(v_content), null,
    coalesce((p_file ->> 'created_at')::timestamptz, private.now()));
  insert into public.file_contents (file_id, content) values ((p_file ->> 'id')::uuid, v_content);
  return json_build_object('id', p_file ->> 'id');
end;
$$;

comment on function operations.import_file is 'A file of an import, which belongs to nothing yet. Service only.';
grant execute on function operations.import_file to service_role;
