create trigger _150_assign_code before insert on public.ideas
  for each row execute function private.tg_any__assign_code('idea');
