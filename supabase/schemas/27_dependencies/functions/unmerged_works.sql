-- Why: the unmerged work of a blocker, task or story alike; a story has arrived with all of its tasks.
create function private.unmerged_works(p_kind text, p_blocker_id uuid)
returns table (job_id uuid, task_code text, branch text, head_sha text)
language plpgsql
stable
set search_path = ''
as $$
declare
  v_task public.tasks;
  v_job private.works;
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

-- Why: in products that wait for the merge, a finished task releases others only when its code is on the main branch.
-- Its newest job counts: one that left no commit or is known to be merged blocks nothing, nor does work by hand. A
-- batch has one head for all its tasks, at its end. Returns the job whose work is not there yet, or null. Written as
-- look-ups by key, because Postgres plans one statement for both kinds from the wrong end.
create function private.unmerged_work(p_task_id uuid)
returns private.works
language plpgsql
stable
set search_path = ''
as $$
declare
  v_job private.works;
  v_batch private.works;
begin
  select j.* into v_job from private.works j
  where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  select j.* into v_batch
  from public.task_executions e
  join private.works j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION'
  where e.task_id = p_task_id and e.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  if v_job.id is null or v_batch.created_at > v_job.created_at then
    v_job := v_batch;
  end if;
  if v_job.merged_at is not null
    or (v_job.status in ('DONE', 'SKIPPED') and (v_job.head_sha is null or v_job.head_sha = v_job.base_sha)) then
    return null;
  end if;
  return v_job;
end;
$$;

comment on function private.unmerged_work is 'The job of a done task whose work is not known to be on the main branch, or null.';

grant execute on function private.unmerged_work to authenticated;
