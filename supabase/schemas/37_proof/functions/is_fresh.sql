-- Why: evidence is about the commit it was observed at. It is stale once a later attempt has moved the story's work on.
create function private.is_fresh(p_evidence public.evidence, p_head public.story_heads)
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return p_head.story_id is null
    or coalesce(p_evidence.head_sha = p_head.head_sha, false)
    or coalesce(p_evidence.job_id = p_head.job_id and p_evidence.attempt = p_head.attempt, false);
end;
$$;

comment on function private.is_fresh is 'Whether evidence still speaks of the work as it is (docs/proof.md).';
