-- Why: whoever takes a task up again is told who tried it before, how each try ended, and where its work and its session are
-- kept, also across runs. Newest first.
create function private.earlier_attempts(p_job public.agent_jobs)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object('job_id', x.job_id, 'attempt', x.attempt, 'outcome', x.outcome,
      'worker_id', x.worker_id, 'worker_name', x.worker_name, 'session_id', x.session_id, 'kept_ref', x.kept_ref,
      'head_sha', x.head_sha, 'ended_at', x.ended_at) order by x.started_at desc), '[]')
    from (
      select a.*
      from public.agent_jobs j
      join public.job_attempts a on a.job_id = j.id
      where (j.id = p_job.id or (p_job.task_id is not null and j.task_id = p_job.task_id)) and a.ended_at is not null
      order by a.started_at desc
      limit 10
    ) x
  );
end;
$$;

comment on function private.earlier_attempts is 'The ten newest ended attempts at the same work (specification: Agent job; attempts).';
