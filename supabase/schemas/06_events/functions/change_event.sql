-- Why: every change event starts the same way. Null when the update changed nothing. Called by the emit triggers, which
-- add fields of their entity. A caller that knows the changed fields passes them instead of both rows as JSON; p_new
-- then needs only id and product.
create function private.change_event(p_operation text, p_entity text, p_old jsonb, p_new jsonb, p_changed_fields jsonb default null)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
declare
  v_row jsonb := coalesce(p_new, p_old);
  v_event jsonb := jsonb_build_object(
    'op', left(p_operation, 1), 'entity', p_entity, 'id', v_row -> 'id', 'product_id', v_row -> 'product_id'
  );
  v_changed jsonb;
begin
  if p_operation <> 'UPDATE' then
    return v_event;
  end if;

  v_changed := coalesce(p_changed_fields, private.changed_fields(p_old, p_new));
  if v_changed = '[]' then
    return null;
  end if;
  return v_event || jsonb_build_object('changed_fields', v_changed);
end;
$$;

comment on function private.change_event is
  'Operation, entity, id, product and changed fields of a change (specification: Events); null when nothing changed.';
