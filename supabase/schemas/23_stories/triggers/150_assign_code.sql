create trigger _150_assign_code before insert on public.stories
  for each row execute function private.tg_any__assign_code('story');

create trigger _151_assign_code before update on public.stories
  for each row when (new.code is distinct from old.code) execute function private.tg_any__assign_code('story');
