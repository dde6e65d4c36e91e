create trigger _400_touch before update on public.ideas
  for each row execute function private.tg_any__touch();
