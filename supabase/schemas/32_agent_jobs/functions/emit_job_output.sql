-- Why: only how far an output goes travels as an event, and a line of what is done for boards; each process reads the entries
-- once for all its viewers. What an idea talk says goes to its owner's topic alone.
create function private.emit_job_output(p_job public.agent_jobs, p_attempt public.job_attempts)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.emit(
    case when p_job.kind = 'PLAN_CHAT' then 'user:' || p_job.created_by else 'product:' || p_job.product_id end,
    jsonb_build_object('op', 'U', 'entity', 'job_output', 'id', p_job.id, 'product_id', p_job.product_id,
      'job_id', p_job.id, 'task_id', p_job.task_id, 'attempt', p_attempt.attempt, 'last_seq', p_attempt.last_seq,
      'doing', private.doing_now(p_job.id, p_attempt.attempt)));
end;
$$;

comment on function private.emit_job_output is 'Says how far the output of a job goes (docs/agents.md, live output).';
