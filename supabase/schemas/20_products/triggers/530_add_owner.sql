-- Why: the owner is in product_members like everybody, so that access is one look-up (specification: Authentication 4).
-- Definer: users may add members only, never owners.
create function private.tg_products__add_owner()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  insert into public.product_members (product_id, user_id, role, workers_allowed)
  values (new.id, new.owner_id, 'OWNER', true)
  on conflict (product_id, user_id) do update set role = 'OWNER', workers_allowed = true;
  return null;
end;
$$;

comment on function private.tg_products__add_owner is 'Membership row of the owner (specification: Authentication 4).';

create trigger _530_add_owner after insert on public.products
  for each row execute function private.tg_products__add_owner();
