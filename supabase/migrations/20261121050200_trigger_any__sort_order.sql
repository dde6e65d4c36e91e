-- Why: sort_order of stories and tasks is set when they are created and whenever their code is edited, and by nothing else
-- (specification: Ordering rules 2). A value from outside is put back.
create function private.tg_any__sort_order()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.sort_order := private.sort_order_from_code(new.code);
  return new;
end;
$$;

comment on function private.tg_any__sort_order() is
  'sort_order of stories and tasks from their code (specification: Ordering rules 1, 2).';

create trigger _200_sort_order before insert on public.stories
  for each row execute function private.tg_any__sort_order();
create trigger _200_sort_order before insert on public.tasks
  for each row execute function private.tg_any__sort_order();
create trigger _201_sort_order before update on public.stories
  for each row when (new.code <> old.code or new.sort_order <> old.sort_order)
  execute function private.tg_any__sort_order();
create trigger _201_sort_order before update on public.tasks
  for each row when (new.code <> old.code or new.sort_order <> old.sort_order)
  execute function private.tg_any__sort_order();
