-- Why: totals of the attempt and single events may come in any mixture, any number of times, and the numbers of the job follow.
-- What was told of the turn so far gives way to them.
create function private.record_usage(p_job public.agent_jobs, p_attempt integer, p_report private.job_report)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_has_totals boolean := num_nonnulls(p_report.input_tokens, p_report.output_tokens, p_report.cache_read_tokens,
    p_report.cache_write_tokens) > 0;
begin
  if not v_has_totals and num_nonnulls(p_report.model_id, p_report.events) = 0 then
    return p_job;
  end if;
  if p_report.events is not null then
    perform private.record_usage_event(p_job, p_attempt, e.value) from jsonb_array_elements(p_report.events) e;
  end if;
  perform private.record_usage_total(p_job, p_attempt, p_report);
  delete from public.usage_so_far s
  where s.job_id = p_job.id and s.attempt = p_attempt and (v_has_totals or s.after_seq < (
    select max((e.value ->> 'seq')::bigint) from jsonb_array_elements(p_report.events) e));
  return private.sum_usage(p_job.id, p_report.model_id);
end;
$$;

comment on function private.record_usage is 'Writes down what a worker tells of its tokens (specification: Agent job, token usage).';
