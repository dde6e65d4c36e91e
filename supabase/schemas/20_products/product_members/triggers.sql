create trigger _110_lock_products before delete on public.product_members
  for each statement execute function private.tg_any__lock_products();

create trigger _130_lock_product before delete on public.product_members
  for each row execute function private.tg_any__lock_product();

-- Why: a user who leaves or is removed loses the product as active product (specification: Other records, User).
-- Definer: it writes the profile of another user.
create function private.tg_product_members__clear_active()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.users u
  set active_product_id = null
  where u.id = old.user_id and u.active_product_id = old.product_id;
  return null;
end;
$$;

comment on function private.tg_product_members__clear_active is
  'Clears active_product_id of a member who is gone (specification: Other records).';

create trigger _525_clear_active after delete on public.product_members
  for each row execute function private.tg_product_members__clear_active();

-- Why: open streams gain or lose access with the commit: the event goes to the product and to the user.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_product_members__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb;
  v_row public.product_members := coalesce(new, old);
begin
  if tg_op = 'UPDATE' and new.role = old.role then
    return null;
  end if;

  v_event := jsonb_build_object(
    'op', left(tg_op, 1), 'entity', 'member', 'id', v_row.user_id,
    'product_id', v_row.product_id, 'user_id', v_row.user_id
  );
  perform private.emit('product:' || v_row.product_id, v_event);
  perform private.emit('user:' || v_row.user_id, v_event);
  return null;
end;
$$;

comment on function private.tg_product_members__emit is
  'Announces membership on product:<id> and user:<id> (specification: Authentication 4).';

create trigger _900_emit
after insert or update or delete on public.product_members
for each row execute function private.tg_product_members__emit();
