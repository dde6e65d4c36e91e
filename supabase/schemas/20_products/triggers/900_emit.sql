-- Why: open streams end when their product is archived or deleted, and pages follow its fields.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_products__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'product', to_jsonb(old), to_jsonb(new));
  v_row public.products := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;

  v_event := v_event || jsonb_build_object('product_id', v_row.id, 'archived', v_row.archived_at is not null);
  perform private.emit('product:' || v_row.id, v_event);
  if v_event -> 'changed_fields' ? 'archived_at' then
    perform private.emit_to_members(v_row.id, v_event);
  end if;
  return null;
end;
$$;

comment on function private.tg_products__emit is
  'Announces changes of products on product:<id>, archiving also to each member (specification: Authentication 4).';

create trigger _900_emit
after insert or update or delete on public.products
for each row execute function private.tg_products__emit();
