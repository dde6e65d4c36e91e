-- Why: on paper a criterion needs the one thing that decides about it, or the newest where nothing does, in short.
create function private.review_evidence(p_story_id uuid, p_criterion text, p_evidence_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_evidence public.evidence;
begin
  select e.* into v_evidence
  from public.evidence e
  where e.story_id = p_story_id and e.criterion = p_criterion and (p_evidence_id is null or e.id = p_evidence_id)
  order by e.seq desc limit 1;
  if v_evidence.id is null then
    return '[]';
  end if;
  v_evidence.excerpt := left(v_evidence.excerpt, 600);
  return json_build_array(private.evidence_json(v_evidence,
    not private.is_fresh(v_evidence, (select h from public.story_heads h where h.story_id = p_story_id))));
end;
$$;

comment on function private.review_evidence is 'What decides about a criterion, in short (docs/proof.md).';
