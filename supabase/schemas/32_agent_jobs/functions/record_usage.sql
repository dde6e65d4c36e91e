-- Why: the numbers of a job are the sum of its lines in the ledger, over all attempts. Totals of the attempt and single events
-- may come in any mixture, any number of times.
create function private.record_usage(p_job public.agent_jobs, p_attempt integer, p_report private.job_report)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job public.agent_jobs := p_job;
begin
  if num_nonnulls(p_report.model_id, p_report.input_tokens, p_report.output_tokens, p_report.cache_read_tokens,
    p_report.cache_write_tokens, p_report.events) = 0 then
    return p_job;
  end if;
  if p_report.events is not null then
    perform private.record_usage_event(p_job, p_attempt, e.value) from jsonb_array_elements(p_report.events) e;
  end if;
  perform private.record_usage_total(p_job, p_attempt, p_report);
  update public.agent_jobs j
  set model_id = coalesce(left(p_report.model_id, 200), used.model_id, j.model_id),
      input_tokens = used.input, output_tokens = used.output,
      cache_read_tokens = used.cache_read, cache_write_tokens = used.cache_write
  from (
    select sum(e.input_tokens) as input, sum(e.output_tokens) as output, sum(e.cache_read_tokens) as cache_read,
      sum(e.cache_write_tokens) as cache_write, (array_agg(e.model_id order by e.id desc) filter (where e.model_id is not null))[1] as model_id
    from public.usage_events e where e.job_id = p_job.id
  ) used
  where j.id = p_job.id
  returning j.* into v_job;
  return v_job;
end;
$$;

comment on function private.record_usage is 'Tokens and model of a job as the sum of its ledger (specification: Agent job).';
