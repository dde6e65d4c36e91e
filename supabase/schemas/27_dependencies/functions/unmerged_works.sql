-- Why: a story has arrived with all of its tasks; both kinds of what is waited for are asked in one way.
create function private.unmerged_works(p_kind text, p_blocker_id uuid)
returns table (job_id uuid, task_code text, branch text, head_sha text)
language plpgsql
stable
set search_path = ''
as $$
declare
  v_task public.tasks;
  v_job public.agent_jobs;
begin
  for v_task in
    select t.* from public.tasks t where p_kind = 'task' and t.id = p_blocker_id
    union all
    select t.* from public.tasks t where p_kind = 'story' and t.story_id = p_blocker_id
  loop
    v_job := private.unmerged_work(v_task.id);
    continue when v_job.id is null;
    return query select v_job.id, v_task.code, v_job.branch, v_job.head_sha;
  end loop;
end;
$$;

comment on function private.unmerged_works is 'Work of a task, or of the tasks of a story, that is not known to be on the main branch.';

grant execute on function private.unmerged_works to authenticated;
