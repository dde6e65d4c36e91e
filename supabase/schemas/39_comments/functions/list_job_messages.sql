-- The messages to a job's agent, with their state. Definer: access to the job is checked once.
create function operations.list_job_messages(p_job_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_job(p_job_id);
  return json_build_object('messages', (
    select coalesce(json_agg(json_build_object('id', m.id, 'comment_id', m.comment_id, 'about', m.code, 'author', m.author,
      'text', m.body, 'state', m.state, 'reason', m.reason, 'attempt', m.attempt,
      'sent_at', to_char(m.sent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'seen_at', to_char(m.seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by m.sent_at, m.id), '[]')
    from (
      select n.* from public.agent_messages n where n.job_id = p_job_id
      order by n.sent_at desc, n.id desc limit 200
    ) m));
end;
$$;

comment on function operations.list_job_messages is 'Messages to the agent of a job, with their states.';
grant execute on function operations.list_job_messages to authenticated;
