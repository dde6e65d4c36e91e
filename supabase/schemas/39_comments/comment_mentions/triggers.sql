-- Why: the inbox counts a mention at once. Only the mentioned member gets the event.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_comment_mentions__tell_inbox()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_row public.comment_mentions := coalesce(new, old);
begin
  perform private.emit('user:' || v_row.user_id,
    jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', v_row.comment_id, 'product_id', null));
  return null;
end;
$$;

comment on function private.tg_comment_mentions__tell_inbox is 'Tells whoever is mentioned that their inbox has changed.';

create trigger _900_tell_inbox after insert or delete on public.comment_mentions
  for each row execute function private.tg_comment_mentions__tell_inbox();
