create trigger _150_assign_code before insert on public.tasks
  for each row execute function private.tg_any__assign_code('task');

create trigger _151_assign_code before update of code on public.tasks
  for each row when (new.code is distinct from old.code) execute function private.tg_any__assign_code('task');
