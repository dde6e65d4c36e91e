-- The labels of a product, by name.
create function operations.list_labels(p_product_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_access('product', p_product_id);
  return json_build_object('labels', private.labels_of(p_product_id));
end;
$$;
grant execute on function operations.list_labels to authenticated;

-- The labels of a product, as in answers.
create function private.labels_of(p_product_id uuid) returns json language sql stable set search_path = '' as $$
  select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name, 'color', l.color) order by lower(l.name)), '[]')
  from public.labels l
  where l.product_id = p_product_id;
$$;
grant execute on function private.labels_of to authenticated, service_role;

-- The product's labels with the given names; unknown names are skipped.
create function private.label_ids_named(p_product_id uuid, p_names jsonb)
returns uuid[] language sql stable set search_path = '' as $$
  select coalesce(array_agg(l.id), '{}') from public.labels l
  where l.product_id = p_product_id
    and lower(l.name) in (select lower(btrim(n)) from jsonb_array_elements_text(coalesce(p_names, '[]')) n);
$$;
grant execute on function private.label_ids_named to service_role;

-- Labels by name, as in the export file (docs/export-format.md).
create function private.label_names(p_label_ids uuid[]) returns json language sql stable set search_path = '' as $$
  select coalesce(json_agg(l.name order by lower(l.name)), '[]') from public.labels l where l.id = any (p_label_ids);
$$;
grant execute on function private.label_names to service_role;

-- The color of a label created without one: twelve in turn, all legible as a dot on light and dark.
create function private.next_label_color(p_product_id uuid) returns text language sql stable set search_path = '' as $$
  select (array['#e5484d', '#0090ff', '#30a46c', '#f76b15', '#8e4ec6', '#12a594', '#e93d82', '#978365', '#3e63dd', '#ad7f58', '#46a758', '#6e56cf'])
    [1 + (select count(*) from public.labels l where l.product_id = p_product_id) % 12];
$$;
grant execute on function private.next_label_color to service_role;

-- Why: labels are given by name (in any case) or id. An unknown name is refused, so that a typo does not become a
-- label. Null stays null: the labels do not change.
create function private.require_labels(p_product_id uuid, p_labels jsonb)
returns uuid[] language plpgsql stable set search_path = '' as $$
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
grant execute on function private.require_labels to authenticated;

-- Why: a row without labels is returned as before labels existed; with labels it has one more key.
create function private.with_labels(p_row json, p_label_ids uuid[])
returns json language plpgsql stable set search_path = '' as $$
begin
  if coalesce(cardinality(p_label_ids), 0) = 0 then
    return p_row;
  end if;
  return left(p_row::text, -1) || ',"labels":' || (
    select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name, 'color', l.color) order by lower(l.name)), '[]')
    from public.labels l where l.id = any (p_label_ids)) || '}';
end;
$$;
grant execute on function private.with_labels to authenticated;
