-- Why: stores the head of a story's work, and which attempt produced it. Called under the lock of the product or the
-- story.
create function private.note_head(p_story_id uuid, p_job public.agent_jobs, p_head_sha text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_head_sha is null or p_story_id is null or p_job.phase <> 'implement' then
    return;
  end if;
  insert into public.story_heads as h (story_id, head_sha, job_id, attempt)
  values (p_story_id, left(p_head_sha, 64), p_job.id, p_job.attempt)
  on conflict (story_id) do update
  set head_sha = excluded.head_sha, job_id = excluded.job_id, attempt = excluded.attempt, moved_at = excluded.moved_at
  where h.head_sha <> excluded.head_sha;
end;
$$;

comment on function private.note_head is 'Remembers the commit of a story''s work (docs/proof.md).';
