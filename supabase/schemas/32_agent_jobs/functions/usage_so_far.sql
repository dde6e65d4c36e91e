-- Why: the tokens of an attempt that ends without an end of the job are not lost: the next attempt counts on top of them.
create function private.usage_so_far(p_job public.agent_jobs)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  if num_nonnulls(p_job.input_tokens, p_job.output_tokens, p_job.cache_read_tokens, p_job.cache_write_tokens) = 0 then
    return null;
  end if;
  return jsonb_build_object('input', p_job.input_tokens, 'output', p_job.output_tokens,
    'cache_read', p_job.cache_read_tokens, 'cache_write', p_job.cache_write_tokens);
end;
$$;

comment on function private.usage_so_far is
  'Tokens of a job as the base of its next attempt (specification: Agent job, tokens).';
