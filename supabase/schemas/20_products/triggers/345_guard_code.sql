-- Why: a product's code is unique per owner; the refusal says so in words, the constraint is the second wall.
-- Definer: looks at all products of the owner.
create function private.tg_products__guard_code()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if exists (
    select from public.products p where p.owner_id = new.owner_id and p.code = new.code and p.id <> new.id
  ) then
    raise exception using errcode = 'PT422',
      message = format('You already have a product with the code %s. Choose another code.', new.code),
      detail = '{"issues":[{"path":"code","message":"This code is already in use."}]}';
  end if;
  return new;
end;
$$;

comment on function private.tg_products__guard_code is 'Product codes are unique per owner (specification: Product).';

create trigger _345_guard_code before insert on public.products
  for each row execute function private.tg_products__guard_code();
create trigger _346_guard_code before update on public.products
  for each row when (new.code <> old.code) execute function private.tg_products__guard_code();
