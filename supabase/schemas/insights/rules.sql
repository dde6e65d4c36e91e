create trigger _400_touch before update on public.model_prices for each row execute function private.tg_any__touch();
