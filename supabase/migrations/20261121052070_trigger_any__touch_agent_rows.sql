-- Why: runs, questions, prices and webhooks that are changed know when.
create trigger _400_touch before update on public.sprint_runs for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.agent_questions for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.model_prices for each row execute function private.tg_any__touch();
create trigger _400_touch before update on public.webhooks for each row execute function private.tg_any__touch();
