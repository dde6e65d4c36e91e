-- Why: product_id of a story always is its PBI's (specification: What the service does 1). A story may move to another PBI
-- of its product, never to another product. Definer: the PBI may be hidden from the caller, whose write RLS then refuses.
create function private.tg_stories__copy_product()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.product_id := private.product_of('pbi', new.pbi_id);

  if tg_op = 'UPDATE' and new.product_id <> old.product_id then
    raise exception using errcode = 'PT422', message = 'A story cannot move to a PBI of another product.',
      detail = '{"issues":[{"path":"pbi_id","message":"Choose a PBI of the same product."}]}';
  end if;

  return new;
end;
$$;

comment on function private.tg_stories__copy_product is 'product_id of a story from its PBI (specification: Story).';

create trigger _120_copy_product before insert on public.stories
  for each row execute function private.tg_stories__copy_product();
create trigger _121_copy_product before update on public.stories
  for each row when (new.pbi_id <> old.pbi_id or new.product_id <> old.product_id)
  execute function private.tg_stories__copy_product();
