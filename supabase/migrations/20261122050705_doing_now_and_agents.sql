-- Boards and runs show what an agent does at the moment, and workers say which agents their machine has.
set local check_function_bodies = off;

DROP FUNCTION "private"."worker_heartbeat"(text, text, text, integer, boolean);

DROP FUNCTION "public"."worker_heartbeat"(text, text, text, integer, boolean);

ALTER TABLE "public"."agent_workers" ADD COLUMN "agents" jsonb;

CREATE OR REPLACE FUNCTION private.board_tasks(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(row_to_json(t) order by t.story_sort_order, t.story_created_at, t.story_id, t.sort_order, t.created_at, t.id), '[]')
    from (
      select t.id, t.created_at, s.created_at as story_created_at, t.code, t.title, t.story_id, t.sort_order, t.priority,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
        t.implementation_plan is not null and t.implementation_plan <> '' as has_plan,
        s.code as story_code, s.title as story_title, s.sort_order as story_sort_order, s.assignee_id,
        j.id as job_id, lower(j.status::text) as job_status, j.started_at as job_started_at,
        j.updated_at as job_seen_at,
        case when j.status in ('CLAIMED', 'RUNNING') then private.doing_now(j.id, j.attempt) end as job_doing,
        w.name as worker_name,
        (
          select f.failure_reason from public.agent_jobs f
          where t.status = 'FAILED' and f.task_id = t.id and f.status = 'FAILED'
          order by f.finished_at desc limit 1
        ) as failure_reason,
        (
          select count(*) from public.agent_questions q
          where q.task_id = t.id and q.status = 'OPEN' and q.expires_at > private.now()
        ) as open_questions,
        (
          select json_build_array(c.additions, c.deletions) from public.agent_jobs c
          where c.task_id = t.id and c.kind = 'TASK_IMPLEMENTATION' and c.additions is not null
          order by c.created_at desc limit 1
        ) as changes
      from public.stories s
      join public.tasks t on t.story_id = s.id
      left join lateral (
        select j.id, j.status, j.attempt, j.started_at, j.updated_at, j.worker_id
        from public.agent_jobs j
        where j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by j.created_at desc
        limit 1
      ) j on true
      left join public.agent_workers w on w.id = j.worker_id
      where s.sprint_id = p_sprint_id
    ) t
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.doing_now(p_job_id uuid, p_attempt integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('kind', o.kind, 'status', o.status, 'at', o.at,
      'title', left(coalesce(nullif(o.title, ''), nullif(o.path, ''), split_part(ltrim(o.text, E' \n'), E'\n', 1)), 200))
    from public.agent_jobs j
    join public.job_outputs o on o.job_id = j.id and o.attempt = p_attempt
    where j.id = p_job_id and j.kind <> 'PLAN_CHAT' and j.product_id in (select private.accessible_product_ids())
    order by o.seq desc
    limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.emit_job_output(p_job public.agent_jobs, p_attempt public.job_attempts)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.emit(
    case when p_job.kind = 'PLAN_CHAT' then 'user:' || p_job.created_by else 'product:' || p_job.product_id end,
    jsonb_build_object('op', 'U', 'entity', 'job_output', 'id', p_job.id, 'product_id', p_job.product_id,
      'job_id', p_job.id, 'task_id', p_job.task_id, 'attempt', p_attempt.attempt, 'last_seq', p_attempt.last_seq,
      'doing', private.doing_now(p_job.id, p_attempt.attempt)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.ensure_worker(p_user_id uuid, p_name text)
 RETURNS public.agent_workers
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_worker public.agent_workers;
begin
  if coalesce(char_length(p_name), 0) not between 1 and 100 then
    perform private.refuse(422, 'worker takes a name of 1 to 100 characters. Keep the same name across restarts.');
  end if;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  if found then
    return v_worker;
  end if;

  perform pg_advisory_xact_lock(hashtextextended('new worker:' || p_user_id::text, 0));
  if (select count(*) from public.agent_workers w where w.user_id = p_user_id) >= 50
    and not exists (select from public.agent_workers w where w.user_id = p_user_id and w.name = p_name) then
    update public.agent_workers w
    set name = p_name, hostname = null, version = null, last_seen_at = private.now(), last_quota_pct = null,
        last_quota_check_at = null, stopped_at = null, agents = null, created_at = private.now()
    where w.id = (
      select u.id from public.agent_workers u
      where u.user_id = p_user_id
        and not exists (select from public.agent_jobs j where j.worker_id = u.id and j.status in ('CLAIMED', 'RUNNING'))
      order by exists (select from public.agent_jobs j where j.worker_id = u.id), u.last_seen_at, u.id
      limit 1
      for update skip locked
    );
    if not found then
      perform private.refuse(409, 'All 50 of your workers hold jobs. Use one of their names, or let one finish first.');
    end if;
  else
    insert into public.agent_workers (user_id, name) values (p_user_id, p_name)
    on conflict (user_id, name) do nothing;
  end if;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  return v_worker;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_output_news(p_told_at timestamp with time zone, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return p_told_at is null or p_now >= p_told_at + interval '0.8 seconds';
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_json(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task record;
  v_costs jsonb := private.job_costs(p_job.id);
begin
  select t.code, t.title, t.status, t.story_id, s.code as story_code, s.title as story_title
  into v_task
  from public.tasks t
  join public.stories s on s.id = t.story_id
  where t.id = p_job.task_id;

  if not private.may_read_talk(p_job) then
    p_job.summary := null;
    p_job.failure_reason := null;
    p_job.evidence := null;
  end if;
  return to_jsonb(p_job) - 'lane_id' - 'claim_rank' || jsonb_build_object(
    'status', lower(p_job.status::text),
    'task_code', v_task.code,
    'task_title', v_task.title,
    'task_status', case v_task.status when 'TO_DO' then 'todo' else lower(v_task.status::text) end,
    'story_id', v_task.story_id,
    'story_code', v_task.story_code,
    'story_title', v_task.story_title,
    'idea_code', (select i.code from public.ideas i where i.id = p_job.idea_id and private.may_read_talk(p_job)),
    'product_code', (select p.code from public.products p where p.id = p_job.product_id),
    'worker_name', (select w.name from public.agent_workers w where w.id = p_job.worker_id),
    'doing', case when p_job.status in ('CLAIMED', 'RUNNING') then private.doing_now(p_job.id, p_job.attempt) end,
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_heartbeat(p_worker text, p_hostname text, p_version text, p_quota_pct integer, p_stopped boolean, p_agents jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  if p_stopped then
    update public.agent_workers w set stopped_at = private.now() where w.id = v_worker.id;
  else
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct);
    update public.agent_workers w set agents = p_agents
    where w.id = v_worker.id and p_agents is not null and w.agents is distinct from p_agents;
  end if;
  select w.* into v_worker from public.agent_workers w where w.id = v_worker.id;
  v_quota_reason := private.quota_reason(v_user_id, v_worker.last_quota_pct);
  return json_build_object('worker', private.worker_json(v_worker), 'may_claim', v_quota_reason is null,
    'reason', case when v_quota_reason is not null then json_build_object('code', 'quota', 'message', v_quota_reason) end);
end;
$function$;

CREATE OR REPLACE FUNCTION public.worker_heartbeat(p_worker text, p_hostname text DEFAULT NULL::text, p_version text DEFAULT NULL::text, p_quota_pct integer DEFAULT NULL::integer, p_stopped boolean DEFAULT false, p_agents jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.worker_heartbeat(p_worker, p_hostname, p_version, p_quota_pct, p_stopped, p_agents);
end;
$function$;

ALTER TABLE "public"."agent_workers" ADD CONSTRAINT "agent_workers_agents_list" CHECK (((jsonb_typeof(agents) = 'array'::text) AND (jsonb_array_length(agents) <= 20) AND (octet_length((agents)::text) <= 4096)));

COMMENT ON FUNCTION "private"."doing_now"(uuid, integer) IS 'The latest entry of an attempt in one line, or null (docs/agents.md, live output).';

COMMENT ON FUNCTION "private"."is_output_news"(timestamp with time zone, timestamp with time zone) IS 'Whether about a second has passed since viewers were told of an output.';

COMMENT ON FUNCTION "public"."worker_heartbeat"(text, text, text, integer, boolean, jsonb) IS 'Presence and quota of a worker (specification: Agent worker).';

REVOKE ALL ON FUNCTION "private"."doing_now"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."doing_now"(uuid, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."worker_heartbeat"(text, text, text, integer, boolean, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."worker_heartbeat"(text, text, text, integer, boolean, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."worker_heartbeat"(text, text, text, integer, boolean, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."worker_heartbeat"(text, text, text, integer, boolean, jsonb) TO "authenticated", "postgres";
