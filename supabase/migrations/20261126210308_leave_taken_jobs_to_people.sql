-- Why: a budget limits what agents use, so a person keeps the task that they have in a terminal.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.heartbeat_agent_job(p_job_id uuid, p_attempt integer, p_quota_pct integer DEFAULT NULL::integer, p_usage jsonb DEFAULT NULL::jsonb, p_seen_messages jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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

  select r.pause_context into v_pause from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status = 'PAUSED';
  -- A budget limits what agents use: it takes no job from a person's terminal.
  if not private.is_in_hand(v_job) then
    v_spent_up := private.enforce_budget(v_job, p_usage);
    if v_spent_up is not null then
      return json_build_object('action', 'stop', 'status', 'queued', 'lease_until', null,
        'reason', json_build_object('code', 'budget', 'message', v_spent_up));
    end if;
    perform private.touch_worker(v_job.worker_id, null, null, p_quota_pct);
  end if;
  v_messages := private.deliver_messages(v_job, p_seen_messages);
  return private.with_key(json_build_object(
    'action', case when v_pause is null then 'continue' else 'pause' end,
    'status', lower(v_job.status::text),
    'lease_until', v_job.lease_until,
    'reason', case when v_job.taken_until > v_now then private.take_over_reason(v_job) when v_pause is not null then json_build_object('code', 'paused',
      'message', format('The run is paused (%s).', replace(v_pause ->> 'reason', '_', ' '))) end), 'messages', v_messages);
end;
$function$;
