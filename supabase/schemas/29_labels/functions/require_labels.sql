-- Why: labels are given by name (in any case) or id. An unknown name is refused, so that a typo does not become a
-- label. Null stays null: the labels do not change.
create function private.require_labels(p_product_id uuid, p_labels jsonb)
returns uuid[]
language plpgsql
stable
set search_path = ''
as $$
declare
  v_missing text;
begin
  if p_labels is null or p_labels = 'null' then
    return null;
  end if;
  if jsonb_typeof(p_labels) <> 'array' or jsonb_array_length(p_labels) > 20 then
    perform private.refuse(422, 'labels is a list of at most 20 names.');
  end if;
  select w.label into v_missing
  from jsonb_array_elements_text(p_labels) w (label)
  where not exists (
    select from public.labels l
    where l.product_id = p_product_id and (lower(l.name) = lower(btrim(w.label)) or l.id::text = lower(w.label)))
  limit 1;
  if found then
    perform private.refuse(422, format('This product has no label "%s". Create it first, or use one of its labels.',
      regexp_replace(left(v_missing, 60), '[[:cntrl:]]+', ' ', 'g')));
  end if;
  return array(
    select distinct l.id
    from jsonb_array_elements_text(p_labels) w (label)
    join public.labels l
      on l.product_id = p_product_id and (lower(l.name) = lower(btrim(w.label)) or l.id::text = lower(w.label)));
end;
$$;

comment on function private.require_labels is 'Labels of a product by name or id, or PT422.';
grant execute on function private.require_labels to authenticated;
