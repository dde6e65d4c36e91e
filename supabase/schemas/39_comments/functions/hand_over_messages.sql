-- Why: the answer to a heartbeat carries messages for the agent. A worker that confirms (p_seen, even an empty list)
-- gets each message until it reports that its agent has seen it. For a worker that confirms nothing, a message counts
-- as seen when sent; the next answer repeats it in case this one is lost. A verifier forms its own view, so it gets
-- none. Null without messages.
create function private.hand_over_messages(p_job public.agent_jobs, p_seen jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_told uuid[];
begin
  if p_job.phase = 'verify' or not exists (
    select from public.agent_messages m where m.job_id = p_job.id and m.state in ('sent', 'seen'))
  then
    return null;
  end if;
  if p_seen is not null then
    update public.agent_messages m
    set state = 'seen', attempt = p_job.attempt, seen_at = coalesce(m.seen_at, private.now())
    where m.job_id = p_job.id and p_seen ? m.id::text
      and (m.state = 'sent' or (m.state = 'seen' and m.attempt is distinct from p_job.attempt));
    return private.messages_json(array(
      select m.id from public.agent_messages m where m.job_id = p_job.id and m.state = 'sent'));
  end if;
  with told as (
    update public.agent_messages m
    set state = 'seen', attempt = p_job.attempt, seen_at = coalesce(m.seen_at, private.now()),
        told = case when m.attempt is distinct from p_job.attempt then 1 else m.told + 1 end
    where m.job_id = p_job.id
      and (m.state = 'sent' or (m.state = 'seen' and (m.attempt is distinct from p_job.attempt or m.told < 2)))
    returning m.id)
  select array_agg(t.id) into v_told from told t;
  return private.messages_json(v_told);
end;
$$;

comment on function private.hand_over_messages is 'What people wrote to the agent of a job, for the answer to its heartbeat.';
