-- Why: the work of a job has reached the main branch. A worker reports it with the commit it found there. Every member
-- can read that commit, so the report counts only where the user's workers are allowed. The owner may mark it by hand
-- when no worker can see it, and can undo that for a moment (private.restore_unmerged). Blockers are counted again, and
-- tasks released, in this transaction. Idempotent. Refusals: 404, 403, 409 for work that is not done or is at another
-- commit, 422, 429. Definer: jobs are written by functions only.
create function operations.report_merged(p_job_id uuid, p_head_sha text default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_job private.works := private.lock_work(p_job_id);
begin
  if not private.is_token() then
    perform private.require_product_owner(v_job.product_id);
  end if;
  perform private.hear_worker(v_job.product_id);
  if private.is_token() and p_head_sha is null then
    perform private.refuse(422, 'head_sha names the commit that you found on the main branch.');
  end if;
  perform private.take_rate_limit('job_merged', p_job_id::text);
  if v_job.finished_at is null or (v_job.kind = 'TASK_IMPLEMENTATION' and v_job.status <> 'DONE') then
    perform private.refuse(409, 'The work of this job is not done, so it cannot have been merged.');
  end if;
  if p_head_sha is not null and p_head_sha is distinct from v_job.head_sha then
    perform private.refuse(409, format('The work of this job is at %s now. Report that commit once it is on the main branch.',
      coalesce(left(v_job.head_sha, 8), 'no commit')));
  end if;
  if v_job.merged_at is null then
    v_job.merged_at := private.now();
    perform private.set_merged(array[p_job_id], v_job.merged_at);
    perform private.audit(auth.uid(), auth.uid(), 'job.merged', jsonb_build_object('product_id', v_job.product_id, 'job_id', v_job.id,
      'code', (select t.code from public.tasks t where t.id = v_job.task_id), 'head_sha', v_job.head_sha, 'by_token', private.is_token()));
    if not private.is_token() then
      perform private.remember_change('job', v_job.id, v_job.product_id, private.code_of('job', v_job.id),
        '{"merged_at": null}', jsonb_build_object('merged_at', v_job.merged_at));
    end if;
  end if;
  return jsonb_build_object('job_id', v_job.id, 'merged_at', v_job.merged_at) || private.released();
end;
$$;

comment on function operations.report_merged is 'The work of a job is on the main branch (docs/dependencies.md).';
grant execute on function operations.report_merged to authenticated;
