-- Why: deleting a label removes it from all items. That cannot be undone on the items, as the label would be missing.
-- Refusals: 404, 403, 429. Definer: labels are written by functions only.
create function operations.delete_label(p_product_id uuid, p_label_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_label(p_product_id, p_label_id);
  delete from public.labels l where l.id = p_label_id;
  perform set_config('backloom.undoing', 'yes', true);
  update public.stories s set label_ids = array_remove(s.label_ids, p_label_id)
  where s.product_id = p_product_id and p_label_id = any (s.label_ids);
  update public.tasks t set label_ids = array_remove(t.label_ids, p_label_id)
  where t.product_id = p_product_id and p_label_id = any (t.label_ids);
  perform set_config('backloom.undoing', '', true);
  return json_build_object('id', p_label_id, 'deleted', true);
end;
$$;

comment on function operations.delete_label is 'Deletes a label and takes it off its stories and tasks.';
grant execute on function operations.delete_label to authenticated;
