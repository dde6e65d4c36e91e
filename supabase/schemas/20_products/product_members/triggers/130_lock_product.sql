create trigger _130_lock_product before delete on public.product_members
  for each row execute function private.tg_any__lock_product();
