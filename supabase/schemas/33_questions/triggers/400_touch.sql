create trigger _400_touch before update on public.agent_questions for each row execute function private.tg_any__touch();
