-- Why: where a person approves the plan, none that a token wrote since the job was made passes for approved.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.claim_next_job(p_asker private.asker, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_full_budgets uuid[])
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
  with next as materialized (
    select j.id, j.wants
    from private.claimable_jobs j
    where j.product_id = p_product_id
      and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
      and (p_kinds is null or p_kinds ? j.kind::text)
      and private.worker_gates(j.wants, p_asker) = '{}'
      and (p_full_budgets is null or private.fits_budgets(j.id, p_full_budgets))
    order by j.claim_rank, j.created_at, j.position, j.id
    limit 1
    for update of j skip locked
  )
  update public.agent_jobs x
  set status = 'CLAIMED', attempt = x.attempt + 1, worker_id = p_asker.worker_id, confinement = p_asker.confinement,
      agent = case when p_asker.agents <> '[]' then private.agent_for(next.wants, p_asker.agents) end, effort = (next.wants).effort,
      model = case when p_asker.agents = '[]' then (next.wants).model
        else private.model_for(next.wants, private.agent_for(next.wants, p_asker.agents)) end,
      claimed_at = v_now, started_at = null,
      lease_until = v_now + private.lease(), not_before = null, claim_rank = 1, stopped_by_budget_id = null, failure_class = null,
      parked_question_id = null,
      -- A verifier looks at the criteria; how the work meets the plan was found before.
      verify_result = case when x.phase = 'verify' then x.verify_result end,
      plan_snapshot = coalesce(
        case when x.plan_approved_at is not null then x.plan_snapshot end,
        (select e.plan_snapshot from public.task_executions e
          where x.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = x.sprint_run_id and e.task_id = x.task_id),
        (select t.implementation_plan from public.tasks t
          where t.id = x.task_id and not private.is_of_token(x, t, 'implementation_plan')))
  from next
  where x.id = next.id
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

CREATE OR REPLACE FUNCTION private.is_of_token(p_job public.agent_jobs, p_task public.tasks, p_field text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_written jsonb := p_task.field_versions -> p_field;
begin
  return coalesce((v_written ->> 3)::boolean and (v_written ->> 2)::timestamptz >= date_trunc('milliseconds', p_job.created_at)
    and exists (select from public.sprint_runs r where r.id = p_job.sprint_run_id and r.plan_first and r.plan_review = 'person'), false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.needs_approved_plan(p_job public.agent_jobs, p_task_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.phase <> 'implement' or p_task_id is null or private.is_in_hand(p_job)
    or not exists (select from public.sprint_runs r where r.id = p_job.sprint_run_id and r.plan_first and r.plan_review = 'person')
    or (select t.verify_only and not private.is_of_token(p_job, t, 'verify_only') from public.tasks t where t.id = p_task_id)
  then
    return false;
  end if;
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    return exists (select from public.task_executions e
      where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id and coalesce(e.plan_snapshot, '') !~ '\S');
  end if;
  return coalesce(p_job.plan_snapshot, '') !~ '\S';
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__raise_version()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_old jsonb := to_jsonb(old);
  v_new jsonb := to_jsonb(new);
  v_changed jsonb;
begin
  select jsonb_object_agg(case f when 'label_ids' then 'labels' else f end, jsonb_build_array(old.version + 1, auth.uid(),
    to_char(private.now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), private.is_token()))
  into v_changed
  from jsonb_object_keys(v_new) f
  where v_new -> f is distinct from v_old -> f and f <> all ('{id,product_id,sort_order,version,field_versions,created_at,updated_at}' || tg_argv[0]::text[]);
  if v_changed is not null then
    new.version := old.version + 1;
    new.field_versions := old.field_versions || v_changed;
  end if;
  return new;
end;
$function$;

REVOKE ALL ON FUNCTION "private"."is_of_token"(public.agent_jobs, public.tasks, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_of_token"(public.agent_jobs, public.tasks, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_token"() TO "service_role";
