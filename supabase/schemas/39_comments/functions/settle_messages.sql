-- Why: no message waits for an agent that will not come. What the delivering attempt had seen counts as acted on; it
-- has also seen what came with its claim. An attempt that failed may not have read anything.
create function private.settle_messages(p_old public.agent_jobs, p_new public.agent_jobs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_new.status in ('DONE', 'SKIPPED', 'QUEUED') then
    update public.agent_messages m
    set state = 'acted_on', attempt = coalesce(m.attempt, p_new.attempt), seen_at = coalesce(m.seen_at, private.now())
    where m.job_id = p_new.id and (m.state = 'seen' or (m.state = 'sent' and p_old.phase = 'implement' and m.sent_at <= (
      select a.started_at from public.job_attempts a where a.job_id = p_new.id and a.attempt = p_new.attempt)));
  end if;
  if p_new.status in ('DONE', 'SKIPPED', 'FAILED', 'CANCELLED') then
    update public.agent_messages m
    set state = 'undelivered', reason = format('The job %s before its agent saw this.',
      case p_new.status when 'FAILED' then 'failed' when 'CANCELLED' then 'was cancelled' else 'was done' end)
    where m.job_id = p_new.id and m.state = 'sent';
  end if;
end;
$$;

comment on function private.settle_messages is 'What becomes of messages to an agent when its work ends.';
