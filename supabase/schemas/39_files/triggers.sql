-- Why: a file that comes or goes is told live to whoever looks at the product, with what it belongs to.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
create function private.tg_files__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_row public.files := coalesce(new, old);
begin
  perform private.emit('product:' || v_row.product_id, jsonb_build_object(
    'op', left(tg_op, 1), 'entity', 'file', 'id', v_row.id, 'product_id', v_row.product_id,
    'story_id', v_row.story_id, 'task_id', v_row.task_id));
  return null;
end;
$$;

comment on function private.tg_files__emit is 'Announces files on product:<id>.';

create trigger _900_emit after insert or delete on public.files
  for each row execute function private.tg_files__emit();
