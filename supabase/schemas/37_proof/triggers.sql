-- Why: pages that show a story follow its proof. One event per story, not per line.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_evidence__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.emit('product:' || n.product_id, jsonb_build_object('op', left(tg_op, 1), 'entity', 'evidence', 'id', n.id,
    'product_id', n.product_id, 'story_id', n.story_id))
  from (select distinct on (e.story_id) e.* from new_evidence e) n;
  return null;
end;
$$;

comment on function private.tg_evidence__emit is 'Announces new and voided evidence on product:<id> (docs/proof.md).';

create trigger _900_emit
after insert on public.evidence
  referencing new table as new_evidence
  for each statement execute function private.tg_evidence__emit();

create trigger _900_emit_voided
after update on public.evidence
  referencing new table as new_evidence
  for each statement execute function private.tg_evidence__emit();
