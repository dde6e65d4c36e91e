-- Why: who leaves a product or is removed from it loses it as active product (specification: Other records, User).
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
