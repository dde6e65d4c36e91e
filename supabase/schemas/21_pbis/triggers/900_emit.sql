-- Why: every change of a PBI reaches the backlog streams of its product.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_pbis__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'pbi', to_jsonb(old), to_jsonb(new));
  v_row public.pbis := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'pbi_status', v_row.status, 'pbi_title', v_row.title, 'pbi_code', v_row.code
  );
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$$;

comment on function private.tg_pbis__emit is 'Announces changes of PBIs on product:<id> (specification: Backlog stream).';

create trigger _900_emit
after insert or update or delete on public.pbis
for each row execute function private.tg_pbis__emit();
