-- Why: a worker says how its attempt goes: RUNNING, DONE, FAILED or SKIPPED. Only the attempt that holds the job is heard;
-- the same final report twice is fine; a report while still CLAIMED counts as through RUNNING. DONE passes the gate first.
-- FAILED with rate_limited puts the job back until resets_at, no retry counted. Cascades happen in this transaction.
-- Refusals: 404, 403, 409 (lost, cancelled, other end), 422 (gate, fields). Definer: jobs are written by functions only.
create function private.report_agent_job(
  p_job_id uuid, p_attempt integer, p_status text, p_verify_result text, p_summary text,
  p_failure_class text, p_failure_reason text, p_resets_at timestamptz,
  p_base_sha text, p_head_sha text, p_branch text, p_pushed_at timestamptz, p_pr_url text,
  p_model_id text, p_input_tokens bigint, p_output_tokens bigint, p_cache_read_tokens bigint, p_cache_write_tokens bigint)
returns json
language plpgsql
volatile
security definer
set search_path = ''
-- For all that this calls, triggers too: planning the short statements anew each time costs more than running them.
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := private.now();
  v_status text := private.require_choice('status', p_status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED']);
  v_class public.failure_class;
  v_job public.agent_jobs := private.lock_job(p_job_id, v_status in ('RUNNING', 'DONE', 'SKIPPED'));
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next public.agent_job_status;
begin
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped.');
  end if;
  perform private.require_link('pr_url', p_pr_url);
  v_class := lower(private.require_choice('failure_class', p_failure_class,
    array['AGENT_ERROR', 'VERIFICATION_FAILED', 'RATE_LIMITED', 'INFRASTRUCTURE', 'CANCELLED']));
  v_result := coalesce(private.require_choice('verify_result', p_verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_job.verify_result);

  if v_state <> 'held' then
    if private.repeats_report(v_job, v_state, v_status, v_class, v_result) then
      -- The end of a task may have ended its batch before: what this report knows besides is not lost.
      if v_state = 'finished' then
        update public.agent_jobs j set failure_class = v_class
        where j.id = p_job_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.status = 'FAILED' and v_class is not null;
        select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
        v_job := private.record_usage(v_job, p_attempt, p_model_id, p_input_tokens, p_output_tokens, p_cache_read_tokens, p_cache_write_tokens);
      end if;
      return private.job_json(v_job);
    end if;
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;

  v_next := case v_status
    when 'RUNNING' then 'RUNNING'
    when 'FAILED' then case when v_class = 'rate_limited' then 'QUEUED' else 'FAILED' end
    else private.finish_outcome(v_job, v_status, v_result)::text
  end::public.agent_job_status;
  if v_job.kind = 'PLAN_CHAT' and v_next = 'DONE' then
    perform private.answer_chat(v_job, p_summary);
  end if;
  perform private.record_usage(v_job, p_attempt, p_model_id, p_input_tokens, p_output_tokens, p_cache_read_tokens, p_cache_write_tokens);

  update public.agent_jobs j
  set status = v_next,
      started_at = coalesce(j.started_at, v_now),
      lease_until = v_now + private.lease(),
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      summary = coalesce(left(p_summary, 20000), j.summary),
      failure_class = case when v_status = 'FAILED' then coalesce(v_class, 'agent_error') end,
      failure_reason = case when v_status = 'FAILED'
        then left(coalesce(p_failure_reason, p_summary, 'The worker gave no reason.'), 4000) end,
      not_before = case when v_next = 'QUEUED' then greatest(coalesce(p_resets_at, v_now + interval '5 minutes'), v_now) end,
      base_sha = coalesce(j.base_sha, left(p_base_sha, 64)),
      head_sha = coalesce(left(p_head_sha, 64), j.head_sha),
      branch = coalesce(j.branch, left(p_branch, 200)),
      pushed_at = coalesce(p_pushed_at, j.pushed_at),
      pr_url = coalesce(p_pr_url, j.pr_url)
  where j.id = p_job_id
  returning j.* into v_job;

  -- A worker that ends well asks for the next job at once, which writes its presence anyway.
  if v_next not in ('RUNNING', 'DONE') then
    perform private.release_worker(v_job.worker_id, v_job.id);
  end if;
  return private.job_json(v_job);
end;
$$;

grant execute on function private.report_agent_job to authenticated;

create function public.report_agent_job(
  p_job_id uuid, p_attempt integer, p_status text, p_verify_result text default null, p_summary text default null,
  p_failure_class text default null, p_failure_reason text default null, p_resets_at timestamptz default null,
  p_base_sha text default null, p_head_sha text default null, p_branch text default null,
  p_pushed_at timestamptz default null, p_pr_url text default null, p_model_id text default null,
  p_input_tokens bigint default null, p_output_tokens bigint default null,
  p_cache_read_tokens bigint default null, p_cache_write_tokens bigint default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.report_agent_job(p_job_id, p_attempt, p_status, p_verify_result, p_summary, p_failure_class,
    p_failure_reason, p_resets_at, p_base_sha, p_head_sha, p_branch, p_pushed_at, p_pr_url, p_model_id,
    p_input_tokens, p_output_tokens, p_cache_read_tokens, p_cache_write_tokens);
end;
$$;

comment on function public.report_agent_job is
  'CLAIMED and RUNNING to RUNNING, DONE, FAILED, SKIPPED or back to QUEUED (specification: Agent job).';

grant execute on function public.report_agent_job to authenticated;
