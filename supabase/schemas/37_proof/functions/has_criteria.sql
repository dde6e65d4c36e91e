-- Why: a story without a single criterion has nothing to prove, and still a person wants to see it.
create function private.has_criteria(p_story_ids uuid[])
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (select from unnest(p_story_ids) s (id) cross join lateral private.story_proof(s.id) c);
end;
$$;

comment on function private.has_criteria is 'Whether stories have any criterion (docs/proof.md).';
