-- Why: work that did not pass is in progress again: the job's task, or the tasks of a batch that waited for the proof
-- of these stories.
create function private.reopen_tasks(p_job public.agent_jobs, p_story_ids uuid[])
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_held uuid[];
begin
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    update public.tasks t set status = 'IN_PROGRESS' where t.id = p_job.task_id and t.status = 'REVIEW';
    return;
  end if;
  v_held := array(select t.id from private.held_tasks(p_job.sprint_run_id) t where t.story_id = any (p_story_ids));
  update public.tasks t set status = 'IN_PROGRESS' where t.id = any (v_held);
  update public.task_executions e set status = 'PENDING', started_at = null
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = any (v_held);
end;
$$;

comment on function private.reopen_tasks is 'Review to in progress after a verification or review (docs/proof.md).';
