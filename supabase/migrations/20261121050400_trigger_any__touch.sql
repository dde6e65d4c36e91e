-- Why: updated_at says when a row last changed, by whatever path.
create function private.tg_any__touch()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := private.now();
  return new;
end;
$$;

comment on function private.tg_any__touch() is 'Keeps updated_at.';

create trigger _400_touch before update on public.products
  for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.pbis
  for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.stories
  for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.tasks
  for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.sprints
  for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.ideas
  for each row execute function private.tg_any__touch();
