create trigger _400_touch before update on public.pulls for each row execute function private.tg_any__touch();

-- Why: pages and streams follow observed pull requests. Definer: no client may call private.emit.
create function private.tg_pulls__emit() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_event jsonb := private.change_event(tg_op, 'pull', to_jsonb(old) - 'observed_at', to_jsonb(new) - 'observed_at');
  v_row public.pulls := coalesce(new, old);
begin
  if v_event is not null then
    perform private.emit('product:' || v_row.product_id, v_event || jsonb_build_object('product_id', v_row.product_id,
      'number', v_row.number, 'state', v_row.state));
  end if;
  return null;
end;
$$;
create trigger _900_emit
after insert or update or delete on public.pulls
for each row execute function private.tg_pulls__emit();
