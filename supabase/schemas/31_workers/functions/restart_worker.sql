-- Why: a worker that restarts says so, and all jobs it still held are closed in one call instead of waiting for leases:
-- requeued with a retry, or failed after three. A worker that announces its stop returns its jobs without a retry.
-- Products are locked in one order, the worker's row last. Returns the closed jobs. Definer: jobs are written by
-- functions only.
create function operations.restart_worker(p_worker text, p_stopped boolean default false)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers := private.ensure_worker(v_user_id, p_worker);
  v_products uuid[];
  v_product_id uuid;
  v_job public.agent_jobs;
  v_closed jsonb := '[]';
  v_status public.agent_job_status;
begin
  v_products := array(
    select distinct j.product_id from public.agent_jobs j
    where j.worker_id = v_worker.id and j.status in ('CLAIMED', 'RUNNING') order by 1);
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;

  -- What the worker claimed since, in a product that is not locked, belongs to its new life.
  for v_job in
    select j.* from public.agent_jobs j
    where j.worker_id = v_worker.id and j.status in ('CLAIMED', 'RUNNING') and j.product_id = any (v_products) order by j.claimed_at, j.id for update
  loop
    v_status := case
      when p_stopped then private.give_back_job(v_job)
      else private.requeue_lost_job(v_job, format('Worker %s restarted during attempt %s.', v_worker.name, v_job.attempt))
    end;
    if v_status is not null then
      v_closed := v_closed || jsonb_build_object('id', v_job.id, 'attempt', v_job.attempt, 'status', lower(v_status::text));
    end if;
  end loop;

  perform private.touch_worker(v_worker.id, null, null, null);
  return json_build_object('worker_id', v_worker.id, 'closed', v_closed);
end;
$$;

comment on function operations.restart_worker is
  'Closes the attempts of a worker that restarted or stops (specification: Agent job; lease lost).';
grant execute on function operations.restart_worker to authenticated;
