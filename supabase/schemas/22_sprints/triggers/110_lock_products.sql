create trigger _110_lock_products before insert or update or delete on public.sprints
  for each statement execute function private.tg_any__lock_products();
