create trigger _150_assign_code before insert on public.sprints
  for each row execute function private.tg_any__assign_code('sprint');
