-- Why: product_id of a task always is its story's (specification: Task). A task may move to another story of its product,
-- never to another product. Definer: the story may be hidden from the caller, whose write RLS then refuses.
create function private.tg_tasks__copy_product()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.product_id := private.product_of('story', new.story_id);

  if tg_op = 'UPDATE' and new.product_id <> old.product_id then
    raise exception using errcode = 'PT422', message = 'A task cannot move to a story of another product.',
      detail = '{"issues":[{"path":"story_id","message":"Choose a story of the same product."}]}';
  end if;

  return new;
end;
$$;

comment on function private.tg_tasks__copy_product is 'product_id of a task from its story (specification: Task).';

create trigger _120_copy_product before insert on public.tasks
  for each row execute function private.tg_tasks__copy_product();
create trigger _121_copy_product before update of story_id, product_id on public.tasks
  for each row when (new.story_id <> old.story_id or new.product_id <> old.product_id)
  execute function private.tg_tasks__copy_product();
