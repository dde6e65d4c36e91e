-- Why: renews the lease and tells the worker whether to go on: continue, pause (its run is paused; it still holds the
-- job) or stop (it no longer holds the job, or the product is archived), with the reason as code and message. For a
-- lost attempt, or in an archived product, nothing changes, because its work could not be reported.
-- Returns messages that people wrote to the job's agent, and stores which earlier ones the worker has seen.
-- Takes no product lock: one row, one statement, nothing else depends on it.
-- Definer: jobs are written by functions only.
create function operations.heartbeat_agent_job(
  p_job_id uuid, p_attempt integer, p_quota_pct integer default null, p_usage jsonb default null,
  p_seen_messages jsonb default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
  v_state text;
  v_pause jsonb;
  v_spent_up text;
  v_messages json;
begin
  perform private.require_no_viewer(private.require_job(p_job_id));
  perform private.require_writer();
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;

  perform private.lock_for_budget(p_job_id, p_attempt, p_usage);
  update public.agent_jobs j
  set lease_until = v_now + private.lease()
  from public.agent_workers w, public.products p
  where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING')
    and w.id = j.worker_id and w.user_id = auth.uid() and p.id = j.product_id and p.archived_at is null
  returning j.* into v_job;

  if v_job.id is null then
    select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
    v_state := private.attempt_state(v_job, p_attempt);
    if v_job.status in ('CLAIMED', 'RUNNING') and exists (
      select from public.products p where p.id = v_job.product_id and p.archived_at is not null
    ) then
      v_state := 'archived';
    end if;
    return json_build_object('action', 'stop', 'status', lower(v_job.status::text), 'lease_until', null,
      'reason', json_build_object('code', v_state, 'message', private.attempt_words(v_job, p_attempt, v_state)));
  end if;

  v_spent_up := private.heed_budget(v_job, p_usage);
  if v_spent_up is not null then
    return json_build_object('action', 'stop', 'status', 'queued', 'lease_until', null,
      'reason', json_build_object('code', 'budget', 'message', v_spent_up));
  end if;
  select r.pause_context into v_pause from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status = 'PAUSED';
  perform private.touch_worker(v_job.worker_id, null, null, p_quota_pct);
  v_messages := private.hand_over_messages(v_job, p_seen_messages);
  return private.with_key(json_build_object(
    'action', case when v_pause is null then 'continue' else 'pause' end,
    'status', lower(v_job.status::text),
    'lease_until', v_job.lease_until,
    'reason', case when v_pause is not null then json_build_object('code', 'paused',
      'message', format('The run is paused (%s).', replace(v_pause ->> 'reason', '_', ' '))) end), 'messages', v_messages);
end;
$$;

comment on function operations.heartbeat_agent_job is
  'Renews a lease; continue, pause or stop (specification: Agent job, lease_until).';
grant execute on function operations.heartbeat_agent_job to authenticated;
