-- Why: the scheduled cleanup: hard-deletes failed and cancelled jobs that finished more than 7 days ago, and no others
-- (specification: Scheduled endpoints). Each call deletes one portion, under the locks of its products, and says
-- whether there is more, so that a large backlog never times out. Parallel calls wait for each other product by
-- product; the one that deletes a job counts it. What a later answer still reads stays (private.keep_past).
-- Service only. Definer: jobs are written by functions only.
create function operations.cleanup_agent_artifacts()
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_portion constant integer := 1000;
  v_found integer;
  v_ids uuid[];
  v_product_id uuid;
  v_deleted integer;
begin
  v_ids := array(
    select d.id from public.agent_jobs d
    where d.status in ('FAILED', 'CANCELLED') and d.finished_at < v_now - interval '7 days'
    order by d.product_id, d.id
    limit v_portion);
  v_found := cardinality(v_ids);
  for v_product_id in
    select distinct j.product_id from public.agent_jobs j where j.id = any (v_ids) order by 1
  loop
    perform private.lock_product(v_product_id);
  end loop;
  v_ids := array(select j.id from public.agent_jobs j where j.id = any (v_ids) and j.status in ('FAILED', 'CANCELLED'));
  perform private.keep_past(v_ids);
  delete from public.agent_jobs j where j.id = any (v_ids);
  get diagnostics v_deleted = row_count;
  return json_build_object('deleted', v_deleted, 'more', v_found = v_portion, 'ran_at', to_char(v_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$$;

comment on function operations.cleanup_agent_artifacts is
  'Deletes FAILED and CANCELLED jobs after 7 days (specification: Scheduled endpoints). Service only.';
grant execute on function operations.cleanup_agent_artifacts to service_role;

-- Why: with a job go its output, attempts and drafts. What it pushed, what people decided about it, and what proves a
-- criterion is read for as long as the task, so it no longer hangs on the job. A batch's reviews are about no one task.
create function private.keep_past(p_job_ids uuid[])
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  insert into public.past_jobs (id, product_id, task_id, kind, status, sprint_run_id, branch, base_sha, head_sha, commits, pushed_at,
    merged_at, finished_at, created_at)
  select w.id, w.product_id, w.task_id, w.kind, w.status, w.sprint_run_id, w.branch, w.base_sha, w.head_sha, w.commits, w.pushed_at,
    w.merged_at, w.finished_at, w.created_at
  from private.works w where w.id = any (p_job_ids);
  update public.job_comments c set job_id = null
  from public.agent_jobs j
  where c.job_id = any (p_job_ids) and c.review_id is not null and j.id = c.job_id and j.kind = 'TASK_IMPLEMENTATION';
  update public.job_reviews r set task_id = j.task_id, job_id = null
  from public.agent_jobs j
  where r.job_id = any (p_job_ids) and j.id = r.job_id and j.kind = 'TASK_IMPLEMENTATION';
  update public.files f set job_id = null, story_id = coalesce(f.story_id, e.story_id)
  from public.evidence e
  where f.job_id = any (p_job_ids) and f.id in (e.file_id, e.base_file_id);
  -- What ended a run is still told; the job that it names is gone.
  update public.sprint_runs r set failure = r.failure || '{"job_id": null}'
  from public.agent_jobs j
  where j.id = any (p_job_ids) and r.id = j.sprint_run_id and r.failure ->> 'job_id' = j.id::text;
end;
$$;

comment on function private.keep_past is 'Keeps what is still read of jobs that are about to be deleted.';
