-- Why: if approvals and requests for changes race, repeat or come too late, one wins and the others are refused.
create function private.require_review(p_job public.agent_jobs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_job.status <> 'QUEUED' or p_job.phase <> 'review' then
    perform private.refuse(409, format('This job is not waiting for a review: it is %s%s.', lower(p_job.status::text),
      case when p_job.status = 'QUEUED' and p_job.phase = 'implement' then ' to be worked on again' else '' end),
      jsonb_build_object('status', lower(p_job.status::text), 'phase', p_job.phase));
  end if;
end;
$$;

comment on function private.require_review is 'PT409 for a job that is not in the phase review (docs/proof.md).';
