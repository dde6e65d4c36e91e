-- Why: open pages of the product get new comments live, with the item they belong to.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_comments__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_row public.comments := coalesce(new, old);
begin
  perform private.emit('product:' || v_row.product_id, jsonb_build_object(
    'op', left(tg_op, 1), 'entity', 'comment', 'id', v_row.id, 'product_id', v_row.product_id,
    'pbi_id', v_row.pbi_id, 'story_id', v_row.story_id, 'task_id', v_row.task_id));
  return null;
end;
$$;

comment on function private.tg_comments__emit is 'Announces comments on product:<id>.';

create trigger _900_emit after insert or update or delete on public.comments
  for each row execute function private.tg_comments__emit();
