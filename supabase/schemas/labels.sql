-- People sort work by their own labels. Stories and tasks hold the ids of theirs (label_ids), so that changing
-- them changes the row: streams get the event, and it can be undone like any other change.
create table public.labels (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  name text not null
    constraint labels_name_form check (name <> '' and char_length(name) <= 50 and name = btrim(name) and name !~ '[[:cntrl:],]'),
  color text not null constraint labels_color_form check (color ~ '^#[0-9a-f]{6}$'),
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now()
);

comment on table public.labels is 'Labels of a product, for its stories and tasks.';
create unique index labels_one_name on public.labels (product_id, lower(name));

alter table public.labels enable row level security;

create policy labels_select on public.labels for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.labels to authenticated;

create trigger _400_touch before update on public.labels for each row execute function private.tg_any__touch();
create trigger _940_limit_rows after insert on public.labels
  referencing new table as added
  for each statement execute function private.tg_any__limit_rows('product_id', '200', 'labels of this product, which is the limit. Delete some that are not needed.');

-- A row holds only labels of its product, each once and ordered by name, for every write. A label deleted
-- since is dropped, so that an undo does not fail because of it. Definer: the caller of an import is the service.
create function private.tg_any__keep_labels()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  new.label_ids := array(
    select l.id from public.labels l
    where l.product_id = new.product_id and l.id = any (new.label_ids)
    order by lower(l.name));
  if cardinality(new.label_ids) > 20 then
    perform private.refuse(422, 'At most 20 labels on one story or task.', '{"issues":[{"path":"labels","message":"At most 20 labels."}]}');
  end if;
  return new;
end;
$$;
create trigger _210_keep_labels before insert on public.stories
  for each row when (new.label_ids is distinct from '{}')
  execute function private.tg_any__keep_labels();
create trigger _211_keep_labels before update of label_ids on public.stories
  for each row when (new.label_ids is distinct from old.label_ids)
  execute function private.tg_any__keep_labels();
create trigger _210_keep_labels before insert on public.tasks
  for each row when (new.label_ids is distinct from '{}')
  execute function private.tg_any__keep_labels();
create trigger _211_keep_labels before update of label_ids on public.tasks
  for each row when (new.label_ids is distinct from old.label_ids)
  execute function private.tg_any__keep_labels();

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

-- Deleting a label removes it from all items. Refusals: 404, 403, 429. Definer: labels are written by functions only.
create function operations.delete_label(p_product_id uuid, p_label_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_label(p_product_id, p_label_id);
  delete from public.labels l where l.id = p_label_id;
  update public.stories s set label_ids = array_remove(s.label_ids, p_label_id)
  where s.product_id = p_product_id and p_label_id = any (s.label_ids);
  update public.tasks t set label_ids = array_remove(t.label_ids, p_label_id)
  where t.product_id = p_product_id and p_label_id = any (t.label_ids);
  return json_build_object('id', p_label_id, 'deleted', true);
end;
$$;
grant execute on function operations.delete_label to authenticated;

-- `p_changes`: name, color or both. Refusals: 404, 403, 429, 422, 409. Definer: labels are written by functions only.
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

-- The first line of every change of a label: 404, 403, the product's lock. Returns the label.
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

-- Unique in its product, in any case; under the product lock, so that two calls cannot take the same name.
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

-- By name (in any case) or id. An unknown name is refused, so that no typo becomes a label. Null changes nothing.
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

-- A row without labels is returned as before labels existed; with labels it has one more key.
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
