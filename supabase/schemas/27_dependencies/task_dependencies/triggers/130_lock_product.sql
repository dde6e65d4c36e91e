create trigger _130_lock_product before insert or update or delete on public.task_dependencies
  for each row execute function private.tg_any__lock_product();
