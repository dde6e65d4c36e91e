-- Completes users once products exist: a deleted product is nobody's active product.
alter table public.users
  add constraint users_active_product_id_fkey
  foreign key (active_product_id) references public.products (id) on delete set null;
