create trigger _200_sort_order before insert on public.tasks
  for each row execute function private.tg_any__sort_order();

create trigger _201_sort_order before update of code, sort_order on public.tasks
  for each row when (new.code <> old.code or new.sort_order <> old.sort_order)
  execute function private.tg_any__sort_order();
