-- Why: the first state of a job's stream and its reader, in one statement. Definer: access is checked first.
create function operations.read_job_stream(p_job_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
begin
  perform private.require_stream_product(v_job.product_id);
  return json_build_object('viewer', private.stream_viewer(),
    'job', private.job_json(v_job) || jsonb_build_object('attempts', private.attempts_json(p_job_id)));
end;
$$;

comment on function operations.read_job_stream is 'First state of the stream of a job (docs/agents.md).';
grant execute on function operations.read_job_stream to authenticated;
