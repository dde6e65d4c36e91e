create trigger _110_lock_products before delete on public.product_members
  for each statement execute function private.tg_any__lock_products();
