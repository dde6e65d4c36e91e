-- Why: a task or story can be created together with its blockers, in one transaction, all or nothing.
-- Definer: dependencies are written by functions only. Called under the product's lock, after write access was checked.
create function private.add_dependencies(p_kind text, p_id uuid, p_blocked_by jsonb)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid;
  v_reference text;
begin
  if coalesce(p_blocked_by, '[]') = '[]' then
    return;
  end if;
  v_product_id := private.require_write(p_kind, p_id);
  for v_reference in select r from jsonb_array_elements_text(p_blocked_by) r loop
    perform private.insert_dependency(p_kind, v_product_id, p_id, private.require_blocker(p_kind, v_product_id, v_reference));
  end loop;
end;
$$;

comment on function private.add_dependencies is 'The dependencies of something new, or PT422.';

grant execute on function private.add_dependencies to authenticated;
