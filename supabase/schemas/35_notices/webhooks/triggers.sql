create trigger _400_touch before update on public.webhooks for each row execute function private.tg_any__touch();
