-- Why: tokens times price per million; null while the model has no price or nothing was reported.
create function private.job_cost(p_job public.agent_jobs)
returns numeric
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select round((
        coalesce(p_job.input_tokens, 0) * m.input_per_million
        + coalesce(p_job.output_tokens, 0) * m.output_per_million
        + coalesce(p_job.cache_read_tokens, 0) * m.cache_read_per_million
        + coalesce(p_job.cache_write_tokens, 0) * m.cache_write_per_million
      ) / 1000000, 6)
    from public.model_prices m
    where m.model_id = p_job.model_id
  );
end;
$$;

comment on function private.job_cost is 'What a job cost by the price of its model (specification: Model price).';

grant execute on function private.job_cost to authenticated;
