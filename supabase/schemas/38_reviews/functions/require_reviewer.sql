-- Why: nobody reviews their own work. A token of the user whose worker worked on the job may be in that worker's hands,
-- so it can neither comment nor review; the person can, signed in. Conversations about ideas have no changes to review.
create function private.require_reviewer(p_job public.agent_jobs)
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_job.kind = 'PLAN_CHAT' then
    perform private.refuse(422, 'A conversation about an idea has no changes to review. Continue it on the page of the idea.');
  end if;
  if private.is_token() and exists (
    select from public.job_attempts a join public.agent_workers w on w.id = a.worker_id
    where a.job_id = p_job.id and w.user_id = auth.uid())
  then
    perform private.refuse(403, 'A worker does not review its own work. Sign in and review it on its page.');
  end if;
end;
$$;

comment on function private.require_reviewer is 'PT403 for the tokens of whoever did the work (docs/review.md).';
