-- Refusals: 404, 403, 429, 422, 409. Definer: labels are written by functions only.
create function operations.create_label(p_product_id uuid, p_name text, p_color text default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
  v_name text;
begin
  perform private.require_write('product', p_product_id);
  perform private.take_rate_limit('label', auth.uid()::text);
  v_name := private.require_label_name(p_product_id, p_name, null);
  if (select count(*) from public.labels l where l.product_id = p_product_id) >= 200 then
    perform private.refuse(409, 'A product has at most 200 labels. Delete one that is not used.');
  end if;
  insert into public.labels (id, product_id, name, color)
  values (v_id, p_product_id, v_name, coalesce(lower(p_color), private.next_label_color(p_product_id)));
  return (select json_build_object('id', l.id, 'name', l.name, 'color', l.color) from public.labels l where l.id = v_id);
end;
$$;

comment on function operations.create_label is 'Creates a label of a product.';
grant execute on function operations.create_label to authenticated;
