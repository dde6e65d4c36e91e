create trigger _400_touch before update on public.saved_views for each row execute function private.tg_any__touch();
create trigger _940_limit_rows after insert on public.saved_views
  referencing new table as added
  for each statement execute function private.tg_any__limit_rows('product_id', '1000', 'views of this product, which is the limit. Delete some that are not needed.');
