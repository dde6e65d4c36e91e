-- Called by GET /api/stories/:id/evidence, the worker and the pages. Definer: access is checked first.
create function operations.get_proof(p_story_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_access('story', p_story_id);
  return private.proof_json(p_story_id);
end;
$$;

comment on function operations.get_proof is 'What proves the criteria of a story (docs/proof.md).';
grant execute on function operations.get_proof to authenticated;
