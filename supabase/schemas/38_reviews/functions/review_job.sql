-- Why: one round of a review: the verdict, the summary, and all of the author's collected comments. A job in review
-- ends or returns to work. For an ended job an approval is stored, and a request for changes reopens it: first in the
-- queue during its run, else through its task, which the next run takes up; the work's proof is void. One verdict per
-- attempt: the second is refused.
-- Refusals: 404, 403, 409, 422, 429. Definer: reviews are written by functions only.
create function operations.review_job(p_job_id uuid, p_verdict text, p_summary text default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_verdict text := lower(private.require_choice('verdict', p_verdict, array['APPROVE', 'REQUEST_CHANGES']));
  v_summary text := coalesce(btrim(p_summary), '');
  v_review public.job_reviews;
begin
  perform private.require_reviewer(v_job);
  perform private.take_rate_limit('job_review', auth.uid()::text);
  perform private.require_reviewable(v_job, v_verdict);
  if v_verdict = 'request_changes' and v_summary = '' and not exists (
    select from public.job_comments c where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null)
  then
    perform private.refuse(422, 'Say what should change: comment on a line, or write it in the summary.');
  end if;

  insert into public.job_reviews (job_id, product_id, attempt, verdict, summary, author_id, author, head_sha)
  values (p_job_id, v_job.product_id, v_job.attempt, v_verdict, v_summary, auth.uid(),
    coalesce(private.username(auth.uid()), 'somebody'), v_job.head_sha)
  returning * into v_review;
  update public.job_comments c set review_id = v_review.id
  where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null;

  if v_verdict = 'request_changes' then
    perform private.void_proof(v_job);
  end if;
  if v_job.status = 'QUEUED' and v_verdict = 'approve' then
    perform private.pass_review(p_job_id, v_summary);
  elsif v_job.status = 'QUEUED' then
    perform private.reject_review(p_job_id);
  elsif v_verdict = 'request_changes' then
    perform private.reopen_job(v_job);
  end if;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  perform private.emit('product:' || v_job.product_id, jsonb_build_object('op', 'U', 'entity', 'job', 'id', p_job_id,
    'product_id', v_job.product_id, 'changed_fields', jsonb_build_array('review'), 'task_id', v_job.task_id, 'idea_id', null,
    'kind', v_job.kind, 'status', v_job.status, 'sprint_run_id', v_job.sprint_run_id));
  return private.review_json(v_review) || jsonb_build_object('job', private.job_json(v_job));
end;
$$;

comment on function operations.review_job is 'Approves the work of a job, or requests changes (docs/review.md).';
grant execute on function operations.review_job to authenticated;

-- Why: only ended work can be reviewed, once per attempt: of two concurrent verdicts one wins.
create function private.require_reviewable(p_job public.agent_jobs, p_verdict text)
returns void
language plpgsql
stable
set search_path = ''
as $$
declare
  v_earlier public.job_reviews;
begin
  select r.* into v_earlier from public.job_reviews r
  where r.job_id = p_job.id and r.attempt = p_job.attempt
  order by r.created_at desc, r.id limit 1;
  if v_earlier.id is not null and not (v_earlier.verdict = 'approve' and p_verdict = 'approve') then
    perform private.refuse(409, format(case v_earlier.verdict
        when 'approve' then '%s has already approved attempt %s. Create a task for further changes.'
        else '%s has already requested changes to attempt %s. Review them when they arrive.' end,
      v_earlier.author, v_earlier.attempt), jsonb_build_object('verdict', v_earlier.verdict));
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    perform private.refuse(409, 'A worker is working on this job. Review it when the attempt has ended.');
  end if;
  if p_job.attempt = 0 or (p_job.status = 'QUEUED' and p_job.phase <> 'review') then
    perform private.refuse(409, 'This job is waiting for a worker. Review it when an attempt has ended.');
  end if;
  if p_verdict = 'approve' and p_job.status in ('FAILED', 'CANCELLED') then
    perform private.refuse(409, format('This job is %s: there is nothing to approve.', lower(p_job.status::text)));
  end if;
end;
$$;

comment on function private.require_reviewable is 'PT409 for a job that has nothing to judge, or is judged already (docs/review.md).';
