-- Why: the work of failed or cancelled jobs may still be kept: jobs of the same task, or for a batch of the same
-- sprint, or without a sprint of the same tasks. Nothing from before a person started the story over.
create function private.earlier_jobs(p_job public.agent_jobs, p_sprint_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(x.id order by x.created_at desc), '[]') from (
      select j.id, j.created_at from private.works j
      where j.task_id = p_job.task_id and p_job.kind = 'TASK_IMPLEMENTATION' and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED') and not exists (
          select from public.tasks t join public.fresh_starts f on f.story_id = t.story_id
          where t.id = j.task_id and f.created_at >= j.finished_at)
      union all
      select j.id, j.created_at from private.works j
      join public.sprint_runs r on r.id = j.sprint_run_id
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and r.sprint_id = p_sprint_id and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED') and not exists (
          select from public.stories s join public.fresh_starts f on f.story_id = s.id
          where s.sprint_id = p_sprint_id and f.created_at >= j.finished_at)
      union all
      select j.id, j.created_at from private.works j
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and p_sprint_id is null and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED')
        and j.sprint_run_id in (
          select o.sprint_run_id from public.task_executions e join public.task_executions o on o.task_id = e.task_id
          where e.sprint_run_id = p_job.sprint_run_id)
        and not exists (
          select from public.task_executions e
          join public.tasks t on t.id = e.task_id
          join public.fresh_starts f on f.story_id = t.story_id
          where e.sprint_run_id = p_job.sprint_run_id and f.created_at >= j.finished_at)
      order by created_at desc limit 3) x
  );
end;
$$;

comment on function private.earlier_jobs is 'The three newest jobs of the same work that came to nothing (specification: Agent job).';
