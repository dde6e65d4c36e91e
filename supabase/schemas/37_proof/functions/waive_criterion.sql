-- Why: a person may waive a criterion, with a reason; agents and tokens never. It is audited and shown forever.
-- Refusals: 404, 403 (also for tokens), 409 when it was waived before, 422. Definer: waivers are written by functions
-- only.
create function operations.waive_criterion(p_story_id uuid, p_criterion text, p_reason text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_write('story', p_story_id);
  v_text text;
begin
  if private.is_token() then
    perform private.refuse(403, 'Only a person who is signed in can waive a criterion, not an API token.');
  end if;
  if btrim(coalesce(p_reason, '')) = '' or char_length(p_reason) > 2000 then
    perform private.refuse_evidence(null, 'reason', 'Say why this criterion does not need to be proven (at most 2000 characters).');
  end if;
  v_text := private.require_criterion(p_story_id, p_criterion, null);

  insert into public.waivers (product_id, story_id, criterion, criterion_text, reason, user_id, waived_by)
  values (v_product_id, p_story_id, p_criterion, v_text, btrim(p_reason), auth.uid(), coalesce(private.username(auth.uid()), 'somebody'))
  on conflict (story_id, criterion) do nothing;
  if not found then
    perform private.refuse(409, 'This criterion was already waived.');
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'criterion.waived', jsonb_build_object('product_id', v_product_id,
    'story_id', p_story_id, 'criterion', p_criterion, 'text', left(v_text, 500), 'reason', btrim(p_reason)));
  return private.proof_json(p_story_id);
end;
$$;

comment on function operations.waive_criterion is 'A person lets a criterion go (docs/proof.md).';
grant execute on function operations.waive_criterion to authenticated;
