-- Why: the owner of an idea sees an answer about it at once.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_user_questions__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb := private.change_event(tg_op, 'user_question', to_jsonb(old), to_jsonb(new));
  v_row public.user_questions := coalesce(new, old);
  v_product_id uuid;
begin
  if v_event is null then
    return null;
  end if;

  select i.product_id into v_product_id from public.ideas as i where i.id = v_row.idea_id;
  perform private.emit('user:' || v_row.user_id, v_event || jsonb_build_object(
    'product_id', v_product_id, 'idea_id', v_row.idea_id, 'status', lower(v_row.status::text)
  ));
  return null;
end;
$$;

comment on function private.tg_user_questions__emit is
  'Announces user questions on user:<id> of whoever asked (specification: Other records, User question).';

create trigger _900_emit
after insert or update or delete on public.user_questions
for each row execute function private.tg_user_questions__emit();
