-- Why: a job's four token counts are the sums of its lines in the ledger, over all attempts.
create function private.sum_usage(p_job_id uuid, p_model_id text)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job public.agent_jobs;
begin
  update public.agent_jobs j
  set model_id = coalesce(left(p_model_id, 200), used.model_id, j.model_id),
      input_tokens = used.input, output_tokens = used.output,
      cache_read_tokens = used.cache_read, cache_write_tokens = used.cache_write
  from (
    select sum(e.input_tokens) as input, sum(e.output_tokens) as output, sum(e.cache_read_tokens) as cache_read,
      sum(e.cache_write_tokens) as cache_write, (array_agg(e.model_id order by e.id desc) filter (where e.model_id is not null))[1] as model_id
    from public.usage_events e where e.job_id = p_job_id
  ) used
  where j.id = p_job_id
  returning j.* into v_job;
  return v_job;
end;
$$;

comment on function private.sum_usage is 'Tokens and model of a job as the sum of its ledger (specification: Agent job).';
