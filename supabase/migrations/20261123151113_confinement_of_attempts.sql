-- Why: two changes of the same functions came side by side; both hold.
set local check_function_bodies = off;

DROP FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb, uuid[]);

CREATE OR REPLACE FUNCTION private.take_job(p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_full_budgets uuid[], p_confinement public.confinement, p_also_repos jsonb)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
begin
  update public.agent_jobs x
  set status = 'CLAIMED', attempt = x.attempt + 1, worker_id = p_worker_id, confinement = p_confinement, claimed_at = v_now, started_at = null,
      lease_until = v_now + private.lease(), not_before = null, claim_rank = 1, stopped_by_budget_id = null, failure_class = null,
      parked_question_id = null,
      -- A verifier looks at the criteria; how the work meets the plan was found before.
      verify_result = case when x.phase = 'verify' then x.verify_result end,
      plan_snapshot = coalesce(
        (select e.plan_snapshot from public.task_executions e
          where x.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = x.sprint_run_id and e.task_id = x.task_id),
        (select t.implementation_plan from public.tasks t where t.id = x.task_id))
  where x.id = (
    select j.id
    from private.claimable_jobs j
    where j.product_id = p_product_id
      and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id)
      and (j.phase <> 'verify' or j.author_worker_id is distinct from p_worker_id)
      and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
      and (p_kinds is null or p_kinds ? j.kind::text)
      and (p_confinement <> 'none' or not (select p.requires_sandbox from public.products p where p.id = p_product_id))
      and not exists (
        select from public.tasks t
        where t.id = j.task_id and t.repo_url <> (select p.repo_url from public.products p where p.id = p_product_id)
          and not private.is_followed(t.repo_url, p_also_repos))
      and (p_full_budgets is null or private.fits_budgets(j.id, p_full_budgets))
    order by j.claim_rank, j.created_at, j.position, j.id
    limit 1
    for update of j skip locked
  )
  returning x.* into v_job;
  -- What an earlier attempt found of a task that it did not finish says nothing about this one.
  if v_job.kind = 'SPRINT_IMPLEMENTATION' then
    update public.task_executions e
    set verify_result = null
    where e.sprint_run_id = v_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and e.verify_result is not null;
  end if;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__note_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_outcome text := lower(new.status::text);
begin
  if new.attempt <> old.attempt then
    insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, confinement, started_at)
    values (new.id, new.attempt, new.product_id, new.worker_id,
      coalesce((select w.name from public.agent_workers w where w.id = new.worker_id), ''), new.confinement,
      coalesce(new.claimed_at, private.now()))
    on conflict (job_id, attempt) do nothing;
    return null;
  end if;

  -- Apart from the update, so that the end of a job, which is what mostly comes here, does not prepare to look for conflicts.
  if new.status = 'QUEUED' then
    v_outcome := case
      when new.phase <> old.phase then 'done'
      when new.failure_class = 'rate_limited' then 'rate_limited'
      -- Only a verifier's report puts a job off; what is lost comes back at once.
      when new.failure_class is not null then case when new.not_before is null then 'lost' else 'failed_look' end
      when new.stopped_by_budget_id is not null then 'budget'
      when new.parked_question_id is not null then 'question'
      when exists (select from public.job_conflicts c where c.job_id = new.id and c.attempt = new.attempt and c.decision <> 'noted') then 'conflict'
      else 'returned'
    end;
  end if;
  update public.job_attempts a
  set ended_at = private.now(), head_sha = new.head_sha, outcome = v_outcome
  where a.job_id = new.id and a.attempt = new.attempt and a.ended_at is null;
  return null;
end;
$function$;
