-- Why: the numbers of an attempt are totals of that attempt, so that sending them twice counts once; the job shows them on
-- top of its earlier attempts. Null leaves a number as it is.
create function private.record_usage(
  p_job public.agent_jobs, p_model_id text, p_input bigint, p_output bigint, p_cache_read bigint, p_cache_write bigint)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job public.agent_jobs := p_job;
begin
  if least(p_input, p_output, p_cache_read, p_cache_write) < 0 then
    perform private.refuse(422, 'Token counts must not be negative.');
  end if;
  if num_nonnulls(p_model_id, p_input, p_output, p_cache_read, p_cache_write) = 0 then
    return p_job;
  end if;
  update public.agent_jobs j
  set model_id = coalesce(left(p_model_id, 200), j.model_id),
      input_tokens = coalesce(p_input + coalesce((j.earlier_usage ->> 'input')::bigint, 0), j.input_tokens),
      output_tokens = coalesce(p_output + coalesce((j.earlier_usage ->> 'output')::bigint, 0), j.output_tokens),
      cache_read_tokens = coalesce(p_cache_read + coalesce((j.earlier_usage ->> 'cache_read')::bigint, 0), j.cache_read_tokens),
      cache_write_tokens = coalesce(p_cache_write + coalesce((j.earlier_usage ->> 'cache_write')::bigint, 0), j.cache_write_tokens)
  where j.id = p_job.id
  returning j.* into v_job;
  return v_job;
end;
$$;

comment on function private.record_usage is 'Tokens and model of a job (specification: Agent job).';
