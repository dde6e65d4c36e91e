create trigger _140_take_rate_limit before insert on public.sprints
  for each row execute function private.tg_any__take_rate_limit('sprint');
