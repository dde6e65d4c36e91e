-- Why: requesting changes means that the work is not right, whatever its evidence says: none of it proves a criterion
-- any more, and a later commit must prove it again. Failed evidence stays, and a token cannot void a person's.
create function private.void_proof(p_job public.agent_jobs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_stories uuid[] := case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.stories_to_finish(p_job)
    else array(select t.story_id from public.tasks t where t.id = p_job.task_id) end;
begin
  update public.evidence e
  set voided_by = coalesce(private.username(auth.uid()), 'somebody')
  where e.story_id = any (v_stories) and e.verdict = 'pass' and e.voided_by is null
    and (e.grade <> 'person' or not private.is_token());
end;
$$;

comment on function private.void_proof is 'A request for changes voids what was seen in the work (docs/proof.md).';
