-- Why: a gate on jobs is worth nothing when a token may set the task to done beside it. People may: their move is their word.
-- Definer: asked before a write that runs as the caller, and nothing of the answer is shown but what is missing.
create function private.require_proof(p_task_id uuid, p_status public.task_status)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_missing jsonb;
begin
  if p_status is distinct from 'DONE' or not private.is_token() then
    return;
  end if;
  select private.missing_proof(array[t.story_id], p.done_requires::text::public.evidence_grade) into v_missing
  from public.tasks t
  join public.products p on p.id = t.product_id
  where t.id = p_task_id and p.done_requires <> 'none' and private.finishes_story(t.id);
  if v_missing is not null then
    perform private.refuse_unproven(v_missing);
  end if;
end;
$$;

comment on function private.require_proof is 'PT422 for a token that would finish a story that is not proven (docs/proof.md).';

grant execute on function private.require_proof to authenticated;
