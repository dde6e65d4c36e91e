-- `p_changes` holds name, color or both. Refusals: 404, 403, 429, 422, 409. Definer: labels are written by functions
-- only.
create function operations.update_label(p_product_id uuid, p_label_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_label public.labels := private.require_label(p_product_id, p_label_id);
  v_name text := private.require_label_name(p_product_id, coalesce(p_changes ->> 'name', v_label.name), p_label_id);
begin
  update public.labels l
  set name = v_name, color = coalesce(lower(p_changes ->> 'color'), l.color)
  where l.id = p_label_id
  returning l.* into v_label;
  return json_build_object('id', v_label.id, 'name', v_label.name, 'color', v_label.color);
end;
$$;

comment on function operations.update_label is 'Renames or recolours a label.';
grant execute on function operations.update_label to authenticated;
