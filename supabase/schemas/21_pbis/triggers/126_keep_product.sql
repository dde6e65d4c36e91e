create trigger _126_keep_product before update on public.pbis
  for each row when (new.product_id <> old.product_id) execute function private.tg_any__keep_product();
