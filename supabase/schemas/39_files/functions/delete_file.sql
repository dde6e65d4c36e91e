-- Why: whoever added a file deletes it, and the owner of the product any, to have room again. What proves a criterion is the owner's alone to
-- delete: evidence is not taken back by whom it speaks for. Refusals: 404, 403, 429. Definer: files are written by functions only.
create function operations.delete_file(p_file_id uuid)
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
  perform private.take_rate_limit('file', auth.uid()::text);
  perform private.share_product(v_file.product_id);
  perform private.require_product_write(v_file.product_id, true);
  if not exists (select from public.products p where p.id = v_file.product_id and p.owner_id = auth.uid()) then
    if v_file.created_by is distinct from auth.uid() then
      perform private.refuse(403, 'Only who added it or the owner of the product can delete a file. Ask one of them.');
    end if;
    if private.is_evidence(p_file_id) then
      perform private.refuse(403, 'This file is evidence. Only the owner of the product can delete it.');
    end if;
  end if;
  delete from public.files f where f.id = p_file_id;
  perform private.audit(coalesce(v_file.created_by, auth.uid()), auth.uid(), 'file.deleted',
    jsonb_build_object('product_id', v_file.product_id, 'file_id', p_file_id, 'name', v_file.name));
  return json_build_object('id', p_file_id, 'deleted', true);
end;
$$;

comment on function operations.delete_file is 'Deletes a file: who added it, or the owner of the product.';
grant execute on function operations.delete_file to authenticated;
