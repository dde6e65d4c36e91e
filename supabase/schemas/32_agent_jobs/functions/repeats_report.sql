-- Why: an answer may get lost on the way, so a worker repeats its report; the same end told twice is fine and changes nothing.
create function private.repeats_report(
  p_job public.agent_jobs, p_state text, p_status text, p_class public.failure_class, p_result public.verify_result)
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case p_state
    when 'finished' then p_job.status::text = p_status or (p_job.status = 'SKIPPED' and p_status = 'DONE' and p_result = 'EMPTY')
    when 'handed_over' then p_status = 'DONE'
    when 'requeued' then p_status = 'FAILED' and p_class = 'rate_limited'
    else false
  end;
end;
$$;

comment on function private.repeats_report is
  'Whether a report repeats the end that is already written (specification: Agent job).';
