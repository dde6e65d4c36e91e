-- Why: the stories that a job's end would finish, for the gate. For a task its story, once all other tasks are done;
-- for a batch every story with a task that is done for the batch and waits for proof (in review).
create function private.stories_to_finish(p_job public.agent_jobs)
returns uuid[]
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    return array(select distinct t.story_id from private.held_tasks(p_job.sprint_run_id) t);
  end if;
  return array(select t.story_id from public.tasks t where t.id = p_job.task_id and private.finishes_story(t.id));
end;
$$;

comment on function private.stories_to_finish is 'The stories that the end of a job would finish (docs/proof.md).';
