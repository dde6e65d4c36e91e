-- Why: pages that show a story learn of a waiver at once, as of evidence. One event per story.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_waivers__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.emit('product:' || n.product_id, jsonb_build_object('op', 'I', 'entity', 'waiver', 'id', n.id,
    'product_id', n.product_id, 'story_id', n.story_id))
  from (select distinct on (w.story_id) w.* from new_waivers w) n;
  return null;
end;
$$;

comment on function private.tg_waivers__emit is 'Announces new waivers on product:<id> (docs/proof.md).';

create trigger _900_emit
after insert on public.waivers
  referencing new table as new_waivers
  for each statement execute function private.tg_waivers__emit();
