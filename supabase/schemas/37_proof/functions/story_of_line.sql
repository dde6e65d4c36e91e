-- Why: the job of a batch speaks for many stories; a line of evidence may name one, else it is the one at work.
create function private.story_of_line(p_job public.agent_jobs, p_line jsonb, p_place integer)
returns uuid
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_story_id uuid := (p_line ->> 'story_id')::uuid;
  v_own uuid;
begin
  select t.story_id into v_own from public.tasks t where t.id = p_job.task_id;
  if v_story_id is null or v_story_id = v_own then
    return v_own;
  end if;
  if p_job.kind = 'SPRINT_IMPLEMENTATION' and exists (
    select from public.task_executions e join public.tasks t on t.id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and t.story_id = v_story_id
  ) then
    return v_story_id;
  end if;
  perform private.refuse_evidence(p_place, 'story_id', 'This story does not belong to the job.');
  return null;
end;
$$;

comment on function private.story_of_line is 'The story that a line of evidence speaks of (docs/proof.md).';
