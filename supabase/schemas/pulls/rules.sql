create trigger _400_touch before update on public.pulls for each row execute function private.tg_any__touch();

create trigger _900_emit after insert or update or delete on public.pulls for each row
  execute function private.tg_any__emit('pull', '{product:product_id}', '{"number": "number", "state": "state"}');
