-- Why: an archived product is nobody's active product (specification: Other records, User). Definer: it writes the profiles
-- of all its members.
create function private.tg_products__clear_active()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.users u set active_product_id = null where u.active_product_id = new.id;
  return null;
end;
$$;

comment on function private.tg_products__clear_active is
  'Clears active_product_id when a product is archived (specification: Other records).';

create trigger _520_clear_active after update on public.products
  for each row when (new.archived_at is not null and old.archived_at is null)
  execute function private.tg_products__clear_active();
