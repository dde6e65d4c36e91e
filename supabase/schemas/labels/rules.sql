create trigger _400_touch before update on public.labels for each row execute function private.tg_any__touch();
create trigger _940_limit_rows after insert on public.labels
  referencing new table as added
  for each statement execute function private.tg_any__limit_rows('product_id', '200', 'labels of this product, which is the limit. Delete some that are not needed.');

-- Why: a row holds only labels of its product, each once and ordered by name, for every write. A label deleted
-- since is dropped, so that an undo does not fail because of it. Definer: the caller of an import is the service.
create function private.tg_any__keep_labels()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  new.label_ids := array(
    select l.id from public.labels l
    where l.product_id = new.product_id and l.id = any (new.label_ids)
    order by lower(l.name));
  if cardinality(new.label_ids) > 20 then
    raise exception using errcode = 'PT422', message = 'At most 20 labels on one story or task.',
      detail = '{"issues":[{"path":"labels","message":"At most 20 labels."}]}';
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
