-- Why: a claim carries messages to the job's agent that no attempt has acted on, even seen ones: the attempt that saw
-- them may have died for another reason. A verifier gets none. Null without messages, which is nearly always.
create function private.open_messages(p_job public.agent_jobs)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_job.phase = 'verify' or not exists (
    select from public.agent_messages m where m.job_id = p_job.id and m.state in ('sent', 'seen'))
  then
    return null;
  end if;
  return private.messages_json(array(
    select m.id from public.agent_messages m where m.job_id = p_job.id and m.state in ('sent', 'seen')));
end;
$$;

comment on function private.open_messages is 'What people wrote to the agent of a job, for its next attempt; null for nothing.';
