create trigger _400_touch before update on public.saved_views for each row execute function private.tg_any__touch();
