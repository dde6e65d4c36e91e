create trigger _110_lock_products before insert or update or delete on public.sprints
  for each statement execute function private.tg_any__lock_products();
create trigger _126_keep_product before update on public.sprints
  for each row when (new.product_id <> old.product_id) execute function private.tg_any__keep_product();
create trigger _130_lock_product before insert or update or delete on public.sprints
  for each row execute function private.tg_any__lock_product();
create trigger _140_take_rate_limit before insert on public.sprints
  for each row execute function private.tg_any__take_rate_limit('sprint');
create trigger _150_assign_code before insert on public.sprints
  for each row execute function private.tg_any__assign_code('sprint');
create trigger _400_touch before update on public.sprints
  for each row execute function private.tg_any__touch();

-- Solo streams follow the active sprint, and pages that list sprints follow each change. Definer: no client may call
-- private.emit (specification: Solo stream, server filter).
create function private.tg_sprints__emit() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_event jsonb := private.change_event(tg_op, 'sprint', to_jsonb(old), to_jsonb(new));
  v_row public.sprints := coalesce(new, old);
begin
  perform private.emit('product:' || v_row.product_id, v_event || jsonb_build_object(
    'sprint_id', v_row.id,
    'sprint_status', v_row.status,
    'active_changed', (tg_op <> 'INSERT' and old.status = 'ACTIVE') is distinct from (tg_op <> 'DELETE' and new.status = 'ACTIVE')
  ));
  return null;
end;
$$;
create trigger _900_emit
after insert or update or delete on public.sprints
for each row execute function private.tg_sprints__emit();
create trigger _940_limit_rows after insert on public.sprints
  referencing new table as added
  for each statement execute function private.tg_any__limit_rows('product_id', '10000', 'sprints in this product, which is the limit. Go on in another product.');
