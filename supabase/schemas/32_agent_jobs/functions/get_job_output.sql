-- Why: entries of one attempt after a seq, live and afterwards; by default of the newest attempt. `complete` means that
-- no more entries will follow. Refusals: 404, 403, 422. Definer: access is checked first.
create function operations.get_job_output(
  p_job_id uuid, p_attempt integer default null, p_after bigint default null, p_limit integer default null)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
  v_attempt public.job_attempts;
begin
  select a.* into v_attempt
  from public.job_attempts a
  where a.job_id = p_job_id and (p_attempt is null or a.attempt = p_attempt)
  order by a.attempt desc
  limit 1;
  if p_attempt is not null and v_attempt.job_id is null then
    perform private.refuse(404, format('This job has no attempt %s.', p_attempt));
  end if;
  return json_build_object(
    'job_id', p_job_id,
    'attempt', v_attempt.attempt,
    'last_seq', coalesce(v_attempt.last_seq, 0),
    'complete', v_attempt.ended_at is not null
      or v_job.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED'),
    'dropped', case when v_attempt.dropped_from is not null then
      json_build_object('from', v_attempt.dropped_from, 'to', v_attempt.dropped_to) end,
    'entries', (
      select coalesce(json_agg(json_build_object('seq', o.seq, 'at', o.at, 'kind', o.kind, 'text', o.text,
        'title', o.title, 'path', o.path, 'status', o.status) order by o.seq), '[]')
      from (
        select x.* from public.job_outputs x
        where x.job_id = p_job_id and x.attempt = v_attempt.attempt and x.seq > coalesce(p_after, 0)
        order by x.seq
        limit least(coalesce(p_limit, 500), 5000)
      ) o));
end;
$$;

comment on function operations.get_job_output is 'Entries of the output of an attempt (docs/agents.md).';
grant execute on function operations.get_job_output to authenticated;
