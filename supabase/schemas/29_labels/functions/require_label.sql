-- Why: the first line of every change of a label: 404, 403, the product's lock. Returns the label.
-- Definer: under RLS a label of a foreign product would look like a missing one.
create function private.require_label(p_product_id uuid, p_label_id uuid)
returns public.labels
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_label public.labels;
begin
  perform private.require_write('product', p_product_id);
  perform private.take_rate_limit('label', auth.uid()::text);
  select l.* into v_label from public.labels l where l.id = p_label_id and l.product_id = p_product_id;
  if v_label.id is null then
    perform private.refuse(404, 'No such label.');
  end if;
  return v_label;
end;
$$;

comment on function private.require_label is 'A label that the caller may change, or PT404, PT403, PT429.';
