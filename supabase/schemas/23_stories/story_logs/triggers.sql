-- Why: a log entry always has the product_id of its story, which decides access and events. Definer: the story may be
-- hidden from the caller, whose write RLS then refuses.
create function private.tg_story_logs__copy_product()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.product_id := private.product_of('story', new.story_id);
  return new;
end;
$$;

comment on function private.tg_story_logs__copy_product is
  'product_id of a log entry from its story (specification: Story log entry).';

create trigger _120_copy_product before insert on public.story_logs
  for each row execute function private.tg_story_logs__copy_product();

create trigger _140_take_rate_limit before insert on public.story_logs
  for each row execute function private.tg_any__take_rate_limit('story_log');

-- Why: the event of a log entry carries its product and idea.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_story_logs__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_idea_id uuid;
begin
  select p.idea_id
  into v_idea_id
  from public.stories as s
  join public.pbis as p on p.id = s.pbi_id
  where s.id = new.story_id;

  perform private.emit('product:' || new.product_id, jsonb_build_object(
    'op', 'I', 'entity', 'story_log', 'id', new.id, 'product_id', new.product_id,
    'story_id', new.story_id, 'idea_id', v_idea_id
  ));
  return null;
end;
$$;

comment on function private.tg_story_logs__emit is
  'Announces story log entries on product:<id> (specification: Events emitted by operations).';

create trigger _900_emit
after insert on public.story_logs
for each row execute function private.tg_story_logs__emit();
