-- Why: what can be judged is work that has come to its end, and each end once: of two verdicts at the same moment one wins.
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
        when 'approve' then '%s has approved attempt %s already. What should change now is a task of its own.'
        else '%s has requested changes of attempt %s already. Look again when they have come.' end,
      v_earlier.author, v_earlier.attempt), jsonb_build_object('verdict', v_earlier.verdict));
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    perform private.refuse(409, 'A worker is at it. Review the job when its attempt has ended.');
  end if;
  if p_job.attempt = 0 or (p_job.status = 'QUEUED' and p_job.phase <> 'review') then
    perform private.refuse(409, 'This job waits to be worked on. Review it when an attempt has ended.');
  end if;
  if p_verdict = 'approve' and p_job.status in ('FAILED', 'CANCELLED') then
    perform private.refuse(409, format('This job is %s: there is nothing to approve.', lower(p_job.status::text)));
  end if;
end;
$$;

comment on function private.require_reviewable is 'PT409 for a job that has nothing to judge, or is judged already (docs/review.md).';
