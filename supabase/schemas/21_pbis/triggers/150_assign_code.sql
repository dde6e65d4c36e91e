create trigger _150_assign_code before insert on public.pbis
  for each row execute function private.tg_any__assign_code('pbi');

create trigger _151_assign_code before update on public.pbis
  for each row when (new.code is distinct from old.code) execute function private.tg_any__assign_code('pbi');
