-- Why: a sprint review names the work behind a story and leads to it, without the job's whole row.
create function private.reviewed_job(p_job public.agent_jobs)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return json_build_object('id', p_job.id, 'status', lower(p_job.status::text), 'additions', p_job.additions,
    'deletions', p_job.deletions, 'pr_url', p_job.pr_url,
    'task_code', (select t.code from public.tasks t where t.id = p_job.task_id));
end;
$$;

comment on function private.reviewed_job is 'A job as the sprint review names it (docs/users.md).';
