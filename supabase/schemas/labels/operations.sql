-- Refusals: 404, 403, 429, 422, 409. Definer: labels are written by functions only.
create function operations.create_label(p_product_id uuid, p_name text, p_color text default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_id uuid := gen_random_uuid();
  v_name text;
begin
  perform private.require_write('product', p_product_id);
  perform private.take_rate_limit('label', auth.uid()::text);
  v_name := private.require_label_name(p_product_id, p_name, null);
  insert into public.labels (id, product_id, name, color)
  values (v_id, p_product_id, v_name, coalesce(lower(p_color), private.next_label_color(p_product_id)));
  return (select json_build_object('id', l.id, 'name', l.name, 'color', l.color) from public.labels l where l.id = v_id);
end;
$$;
grant execute on function operations.create_label to authenticated;

-- Why: deleting a label removes it from all items. That cannot be undone on the items, as the label would be missing.
-- Refusals: 404, 403, 429. Definer: labels are written by functions only.
create function operations.delete_label(p_product_id uuid, p_label_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
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
grant execute on function operations.delete_label to authenticated;

-- `p_changes` holds name, color or both. Refusals: 404, 403, 429, 422, 409. Definer: labels are written by functions
-- only.
create function operations.update_label(p_product_id uuid, p_label_id uuid, p_changes jsonb)
returns json language plpgsql volatile security definer set search_path = '' as $$
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
grant execute on function operations.update_label to authenticated;

-- Why: the first line of every change of a label: 404, 403, the product's lock. Returns the label.
-- Definer: under RLS a label of a foreign product would look like a missing one.
create function private.require_label(p_product_id uuid, p_label_id uuid)
returns public.labels language plpgsql volatile security definer set search_path = '' as $$
declare
  v_label public.labels;
begin
  perform private.require_write('product', p_product_id);
  perform private.take_rate_limit('label', auth.uid()::text);
  select l.* into v_label from public.labels l where l.id = p_label_id and l.product_id = p_product_id;
  if v_label.id is null then
    perform private.refuse(404, 'No such label. List the labels of the product, or create it.');
  end if;
  return v_label;
end;
$$;

-- Why: a name, in any case, is unique in its product. Under the product lock, so that two concurrent calls cannot take
-- the same name.
create function private.require_label_name(p_product_id uuid, p_name text, p_except uuid)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_name text := btrim(p_name);
begin
  if coalesce(v_name, '') = '' or char_length(v_name) > 50 or v_name ~ '[[:cntrl:],]' then
    perform private.refuse(422, 'A label has a name of 1 to 50 characters in one line, without commas.');
  end if;
  if exists (
    select from public.labels l
    where l.product_id = p_product_id and lower(l.name) = lower(v_name) and l.id is distinct from p_except
  ) then
    perform private.refuse(409, format('There is a label "%s" already. Use that one, or choose another name.', private.one_line(v_name)));
  end if;
  return v_name;
end;
$$;
