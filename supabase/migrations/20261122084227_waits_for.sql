-- Why: people who begin what waits are asked first, and agents are refused; pages show what a run does at once, what could be waited for and
-- which budget may not be enough; search finds what waits for what. Claims and ends read no more than they need. Dependencies have a
-- limit per minute.
set local check_function_bodies = off;

DROP FUNCTION "private"."finished_use"(uuid, text);

DROP FUNCTION "private"."get_budgets"(uuid, uuid, uuid);

DROP FUNCTION "public"."get_budgets"(uuid, uuid, uuid);

DROP FUNCTION "public"."set_task_status"(uuid, text);

CREATE OR REPLACE FUNCTION private.add_dependency(p_kind text, p_id uuid, p_blocked_by text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_write(v_kind, p_id);
  v_blocker_id uuid;
begin
  perform private.take_rate_limit('dependency', auth.uid()::text);
  v_blocker_id := private.require_blocker(v_kind, v_product_id, p_blocked_by);
  perform private.insert_dependency(v_kind, v_product_id, p_id, v_blocker_id);
  perform private.order_runs(v_product_id);
  return private.dependencies_json(v_kind, p_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.base_refs(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_waiting uuid[] := case p_job.kind
    when 'TASK_IMPLEMENTATION' then array[p_job.task_id]
    when 'SPRINT_IMPLEMENTATION' then array(
      select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id) end;
  v_task_ids uuid[];
  v_story_ids uuid[];
  v_repo_url text;
begin
  v_task_ids := array(select d.blocker_id from public.task_dependencies d where d.blocked_id = any (v_waiting));
  v_story_ids := array(select d.blocker_id from public.story_dependencies d
    where d.blocked_id = any (array(select t.story_id from public.tasks t where t.id = any (v_waiting))));
  if v_task_ids = '{}' and v_story_ids = '{}' then
    return '[]';
  end if;
  v_task_ids := v_task_ids || array(select t.id from public.tasks t where t.story_id = any (v_story_ids));
  v_repo_url := (
    select coalesce(nullif(t.repo_url, ''), p.repo_url)
    from public.tasks t join public.products p on p.id = t.product_id where t.id = p_job.task_id);
  return (
    select coalesce(json_agg(json_build_object('task_id', h.task_id, 'task_code', h.code, 'branch', h.branch, 'head_sha', h.head_sha)
      order by h.sort_order, h.code), '[]')
    from (
      select distinct on (j.branch) j.task_id, t.code, t.sort_order, j.branch, j.head_sha
      from public.agent_jobs j
      join public.tasks t on t.id = j.task_id and t.status = 'DONE'
      join public.products p on p.id = t.product_id
      where j.task_id = any (v_task_ids) and j.status = 'DONE' and j.kind <> 'PLAN_CHAT'
        and j.head_sha is not null and j.branch is not null and j.branch is distinct from p_job.branch
        and coalesce(nullif(t.repo_url, ''), p.repo_url) = v_repo_url
      order by j.branch, j.finished_at desc, j.id
    ) h
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_left(p_job public.agent_jobs)
 RETURNS TABLE(unit text, amount numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select b.unit, greatest(0, min(b.amount - private.budget_spent(b) - (private.budget_at_work(b, p_job.id)).reserved))
    from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    group by b.unit;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_payload(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('budget_left', (
    select coalesce(jsonb_agg(jsonb_build_object('unit', l.unit, 'amount', round(l.amount, 6)) order by l.unit), '[]')
    from private.budget_left(p_job) l));
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_warnings(p_sprint public.sprints)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_forecast jsonb;
  v_likely jsonb;
  v_left numeric;
  v_warnings jsonb := '[]';
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_sprint.product_id and (b.scope = 'product' or b.sprint_id = p_sprint.id)
    order by b.scope desc, b.id
  loop
    v_forecast := coalesce(v_forecast, private.get_forecast(p_sprint.product_id, p_sprint.id)::jsonb);
    if v_budget.unit = 'tokens' then
      v_likely := nullif(v_forecast -> 'tokens', 'null');
    else
      select c into v_likely from jsonb_array_elements(v_forecast -> 'costs') c where c ->> 'currency' = v_budget.unit;
    end if;
    v_left := greatest(0, v_budget.amount - private.budget_spent(v_budget) - (private.budget_at_work(v_budget)).reserved);
    if private.is_budget_reached(v_budget) or v_left = 0 then
      v_warnings := v_warnings || jsonb_build_object('type', 'budget', 'budget_id', v_budget.id,
        'message', format('The budget of %s is used up: a run waits at once and asks you.', private.budget_name(v_budget)));
    elsif (v_likely ->> 'high')::numeric > v_left then
      v_warnings := v_warnings || jsonb_build_object('type', 'budget', 'budget_id', v_budget.id,
        'message', format('The budget of %s has %s left, and this run probably takes %s to %s. It stops there and asks you.',
          private.budget_name(v_budget), private.budget_amount_text(v_left, v_budget.unit),
          private.budget_amount_text((v_likely ->> 'low')::numeric, v_budget.unit),
          private.budget_amount_text((v_likely ->> 'high')::numeric, v_budget.unit)));
    end if;
    v_likely := null;
  end loop;
  return v_warnings;
end;
$function$;

CREATE OR REPLACE FUNCTION private.change_thing(p_kind text, p_id uuid, p_changes jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_fields jsonb;
begin
  if p_kind = 'task' then
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id}'::text[];
    if v_fields <> '{}' then
      perform public.edit_task(p_id, v_fields);
    end if;
    if p_changes ? 'assignee_id' then
      -- Whoever has a task has its story.
      perform public.assign_story((select t.story_id from public.tasks t where t.id = p_id), (p_changes ->> 'assignee_id')::uuid);
    end if;
    if p_changes ? 'story_id' then
      perform public.move_task(p_id, (p_changes ->> 'story_id')::uuid);
    end if;
    return v_fields <> '{}' or p_changes ?| '{story_id,assignee_id}';
  end if;

  if p_kind = 'pbi' then
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id,confirmed}'::text[];
    if v_fields ->> 'status' not in ('ready', 'blocked') then
      v_fields := v_fields - 'status';
    end if;
    if v_fields <> '{}' then
      perform public.update_pbi(p_id, v_fields);
    end if;
    return v_fields <> '{}';
  end if;

  v_fields := p_changes - '{status,assignee_id,sprint_id,story_id,confirmed}'::text[];
  if v_fields <> '{}' then
    perform public.update_story(p_id, v_fields);
  end if;
  if p_changes ? 'assignee_id' then
    perform public.assign_story(p_id, (p_changes ->> 'assignee_id')::uuid);
  end if;
  if p_changes ? 'sprint_id' and p_changes ->> 'sprint_id' is null then
    perform public.remove_story_from_sprint(p_id);
  elsif p_changes ? 'sprint_id' then
    perform public.add_story_to_sprint((p_changes ->> 'sprint_id')::uuid, p_id);
  end if;
  return v_fields <> '{}' or p_changes ?| '{assignee_id,sprint_id}';
end;
$function$;

CREATE OR REPLACE FUNCTION private.claim_agent_job(p_worker text, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_hostname text, p_version text, p_quota_pct integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
  v_locked uuid[];
  v_tried uuid[] := '{}';
  v_product_id uuid;
  v_job public.agent_jobs;
  v_full_budgets uuid[];
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  v_quota_reason := private.quota_reason(v_user_id, coalesce(p_quota_pct, v_worker.last_quota_pct));
  if v_quota_reason is not null then
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct);
    return json_build_object('job', null, 'worker_id', v_worker.id,
      'reason', json_build_object('code', 'quota', 'message', v_quota_reason));
  end if;

  v_locked := private.take_back_expired(v_user_id, p_product_id);
  for v_round in 1 .. 20 loop
    v_product_id := private.next_product(v_worker.id, v_user_id, p_product_id, p_sprint_run_id, p_kinds, v_tried);
    exit when v_product_id is null;
    if v_locked = '{}' then
      perform private.share_product(v_product_id);
    elsif v_product_id <> all (v_locked) and not private.try_share_product(v_product_id) then
      v_tried := v_tried || v_product_id;
      continue;
    end if;
    v_locked := v_locked || v_product_id;
    v_full_budgets := private.weigh_budgets(v_product_id, v_worker.id, v_tried = '{}');
    v_job := private.take_job(v_worker.id, v_user_id, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  if v_full_budgets is not null and v_job.id is not null then
    perform private.reserve_budget(v_job);
  end if;
  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct);
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason', private.nothing_to_claim(v_user_id, p_product_id, v_full_budgets));
  end if;
  return json_build_object('job', case when v_full_budgets is null then private.job_payload(v_job)
    else (private.job_payload(v_job)::jsonb || private.budget_payload(v_job))::json end, 'worker_id', v_worker.id, 'reason', null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.expected_use(p_product_id uuid, p_unit text, p_model_id text)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_expected numeric;
  v_settings public.budget_settings;
begin
  select coalesce(
    case when count(*) filter (where x.model_id = p_model_id) >= 3
      then percentile_cont(0.5) within group (order by x.used) filter (where x.model_id = p_model_id) end,
    case when count(*) >= 3 then percentile_cont(0.5) within group (order by x.used) end)
  into v_expected
  from (
    select f.model_id, f.used from private.finished_use(p_product_id, p_unit, 100) f
  ) x;
  if v_expected > 0 then
    return v_expected;
  end if;
  v_settings := private.budget_settings_of(p_product_id);
  return case when p_unit = 'tokens' then v_settings.expected_tokens else v_settings.expected_cost end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.finished_tasks(p_product_id uuid)
 RETURNS TABLE(job_id uuid, task_id uuid, model_id text, estimated_minutes integer, seconds numeric, tokens numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select j.id, j.task_id, j.model_id, t.estimated_minutes, a.seconds, u.tokens
    from (
      select x.* from public.agent_jobs x
      where x.product_id = p_product_id and x.kind = 'TASK_IMPLEMENTATION' and x.status = 'DONE'
      order by x.finished_at desc limit 200
    ) j
    join public.tasks t on t.id = j.task_id
    cross join lateral (
      select extract(epoch from sum(x.ended_at - x.started_at))::numeric as seconds
      from public.job_attempts x where x.job_id = j.id and x.ended_at is not null
    ) a
    cross join lateral (
      select sum(k.tokens)::numeric as tokens from private.known_usage k where k.job_id = j.id
    ) u
    where a.seconds is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.finished_use(p_product_id uuid, p_unit text, p_limit integer)
 RETURNS TABLE(job_id uuid, task_id uuid, model_id text, used numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select j.id, j.task_id, j.model_id, u.used
    from public.agent_jobs j
    cross join lateral (
      select sum(case when p_unit = 'tokens' then k.tokens when k.currency = p_unit then k.cost end)::numeric as used
      from private.known_usage k where k.job_id = j.id
    ) u
    where j.product_id = p_product_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'DONE' and u.used is not null
    order by j.finished_at desc
    limit p_limit;
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_budgets(p_product_id uuid, p_sprint_run_id uuid, p_sprint_id uuid, p_task_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_settings public.budget_settings;
begin
  perform private.require_product_access(p_product_id);
  v_settings := private.budget_settings_of(p_product_id);
  return json_build_object('product_id', p_product_id,
    'may_set', private.may_set_budgets(p_product_id),
    'settings', to_jsonb(v_settings) - 'product_id',
    'budgets', (
      select coalesce(json_agg(private.budget_json(b) order by array_position(array['run', 'sprint', 'task', 'product'], b.scope),
        array_position(array['day', 'week', 'month'], b.period), b.unit, b.created_at), '[]')
      from public.budgets b
      where b.product_id = p_product_id
        and case b.scope
          when 'product' then true
          when 'run' then case
            when p_sprint_run_id is not null then b.sprint_run_id = p_sprint_run_id
            when p_sprint_id is not null then false
            when p_task_id is not null then exists (
              select from public.agent_jobs j join public.sprint_runs r on r.id = j.sprint_run_id
              where j.task_id = p_task_id and r.id = b.sprint_run_id and r.finished_at is null)
            else (select r.finished_at is null from public.sprint_runs r where r.id = b.sprint_run_id) end
          when 'sprint' then case
            when p_sprint_run_id is not null
              then b.sprint_id = (select r.sprint_id from public.sprint_runs r where r.id = p_sprint_run_id)
            when p_sprint_id is not null then b.sprint_id = p_sprint_id
            when p_task_id is not null then b.sprint_id = (
              select s.sprint_id from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_task_id)
            else (select s.status in ('PLANNED', 'ACTIVE', 'FAILED') from public.sprints s where s.id = b.sprint_id) end
          else case
            when p_sprint_run_id is not null then exists (
              select from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id and j.task_id = b.task_id)
            when p_sprint_id is not null then exists (
              select from public.tasks t join public.stories s on s.id = t.story_id where t.id = b.task_id and s.sprint_id = p_sprint_id)
            when p_task_id is not null then b.task_id = p_task_id
            else (select t.status <> 'DONE' from public.tasks t where t.id = b.task_id) end
        end));
end;
$function$;

CREATE OR REPLACE FUNCTION private.heed_waiting(p_task_id uuid, p_status public.task_status, p_confirmed boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_task record;
  v_codes text[];
  v_words text;
begin
  if p_status is null or p_status not in ('IN_PROGRESS', 'REVIEW') then
    return;
  end if;
  select array_agg(b.code order by b.sort_order, b.code), string_agg(b.code, ', ' order by b.sort_order, b.code)
  into v_codes, v_words
  from private.task_blockers b where b.task_id = p_task_id and not b.resolved;
  if v_codes is null then
    return;
  end if;
  select t.code, t.product_id, t.status into v_task from public.tasks t where t.id = p_task_id;
  if v_task.status not in ('TO_DO', 'FAILED') then
    return;
  end if;

  if private.is_token() then
    perform private.refuse(409, format('%s waits for %s. Do that first; only a person may begin it before.', v_task.code, v_words),
      jsonb_build_object('blocked_by', v_codes));
  end if;
  if not coalesce(p_confirmed, false) then
    perform private.refuse(409, format('%s waits for %s. Do that first, or begin it all the same.', v_task.code, v_words), jsonb_build_object('blocked_by', v_codes,
      'begin', jsonb_build_object('task_id', p_task_id, 'status', private.task_status_word(p_status))));
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'task.begun_waiting', jsonb_build_object('product_id', v_task.product_id,
    'task_id', p_task_id, 'code', v_task.code, 'blocked_by', v_codes));
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_held(p_task_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (select from private.task_blockers b where b.task_id = p_task_id and not b.resolved);
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_candidates(p_kind text, p_id uuid, p_query text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_access(v_kind, p_id);
  v_pattern text := '%' || replace(replace(replace(trim(coalesce(p_query, '')), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_near record;
  v_found jsonb := '[]';
  v_each record;
begin
  select t.story_id, s.sprint_id, s.pbi_id into v_near
  from public.stories s left join public.tasks t on t.id = p_id
  where s.id = coalesce(t.story_id, p_id);
  for v_each in
    select * from (
      select t.id, t.code, t.title, private.task_status_word(t.status) as status,
        t.story_id = v_near.story_id as is_near, s.sprint_id is not distinct from v_near.sprint_id as is_beside, t.created_at
      from public.tasks t join public.stories s on s.id = t.story_id
      where v_kind = 'task' and t.product_id = v_product_id and t.status <> 'DONE' and (t.code ilike v_pattern or t.title ilike v_pattern)
      union all
      select s.id, s.code, s.title, lower(s.status::text),
        s.sprint_id = v_near.sprint_id, s.pbi_id = v_near.pbi_id, s.created_at
      from public.stories s
      where v_kind = 'story' and s.product_id = v_product_id and s.status <> 'DONE' and (s.code ilike v_pattern or s.title ilike v_pattern)
    ) c
    where c.id <> p_id
      and not exists (select from public.task_dependencies d where d.blocked_id = p_id and d.blocker_id = c.id)
      and not exists (select from public.story_dependencies d where d.blocked_id = p_id and d.blocker_id = c.id)
    order by c.is_near desc nulls last, c.is_beside desc, c.created_at, c.id
    limit 40
  loop
    continue when private.find_path(case v_kind when 'task' then 'task' else 'start' end, p_id,
      case v_kind when 'task' then 'task' else 'end' end, v_each.id) is not null;
    v_found := v_found || jsonb_build_object('id', v_each.id, 'code', v_each.code, 'title', v_each.title, 'status', v_each.status);
    exit when jsonb_array_length(v_found) = 8;
  end loop;
  return v_found;
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_run_order(p_sprint_run_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_run(p_sprint_run_id);
  return (
    select coalesce(json_agg(json_build_object('job_id', j.id, 'lane', j.lane_id, 'blocked_by', (
      select coalesce(json_agg(json_build_object('id', b.blocker_id, 'code', b.code, 'resolved', b.resolved) order by b.sort_order, b.code), '[]')
      from private.task_blockers b where b.task_id = j.task_id)) order by j.position, j.id), '[]')
    from public.agent_jobs j
    where j.sprint_run_id = p_sprint_run_id and j.kind = 'TASK_IMPLEMENTATION'
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_released(p_task_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_codes jsonb;
begin
  select jsonb_agg(t.code order by t.sort_order, t.code) into v_codes
  from public.tasks t
  where t.id = any (p_task_ids) and t.status = 'TO_DO'
    and (exists (select from public.task_dependencies d where d.blocked_id = t.id)
      or exists (select from public.story_dependencies d where d.blocked_id = t.story_id))
    and not private.is_held(t.id);
  if v_codes is not null then
    perform set_config('backloom.released',
      (coalesce(nullif(current_setting('backloom.released', true), '')::jsonb, '[]') || v_codes)::text, true);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.preflight_sprint_run(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
  v_product public.products;
  v_blockers jsonb;
  v_tasks bigint := (select count(*) from private.sprint_scope(p_sprint_id));
begin
  perform private.require_access('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_sprint.product_id;
  v_blockers := private.run_blockers(v_sprint, v_product);
  return json_build_object(
    'sprint_id', p_sprint_id,
    'sprint_code', v_sprint.code,
    'pr_strategy', v_product.pr_strategy,
    'ready', v_blockers = '[]',
    'tasks_total', v_tasks,
    'jobs_total', case when v_product.pr_strategy = 'SPRINT_BATCH' then least(1, v_tasks) else v_tasks end,
    'blockers', v_blockers,
    'warnings', private.budget_warnings(v_sprint));
end;
$function$;

CREATE OR REPLACE FUNCTION private.rate_limit(p_action text, OUT p_max integer, OUT p_seconds integer)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  select l.max_count, l.seconds
  into p_max, p_seconds
  from (
    values
      -- per client address (login also the failed tries of an account, or of a browser it was signed in on)
      ('login', 10, 60),
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('member_lookup', 10, 3600),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('dependency', 120, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('change', 120, 60),
      ('undo', 60, 60),
      ('api_token', 10, 3600),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      ('inbox', 240, 60),
      ('saved_view', 60, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      -- per job
      ('job_output', 240, 60),
      ('job_diff', 30, 60),
      ('job_conflict', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reserve_budget(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_model_id text := coalesce(p_job.model_id, private.model_of_worker(p_job.worker_id));
  v_tasks integer := 1;
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    select count(*) into v_tasks from public.task_executions e
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING');
  end if;
  insert into public.budget_reservations as r (job_id, unit, attempt, product_id, amount)
  select p_job.id, x.unit, p_job.attempt, p_job.product_id,
    least(greatest(v_tasks, 1) * private.expected_use(p_job.product_id, x.unit, v_model_id), x.amount)
  from private.budget_left(p_job) x
  on conflict (job_id, unit) do update
  set attempt = excluded.attempt, amount = excluded.amount, seen = 0, step = 0;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_blocked(p_query text, p_product_id uuid, p_kind text, p_limit integer, p_offset integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := auth.uid();
  v_asked text := lower(substring(p_query from '(?i)(?:^|\s)blocked:(\S*)'));
  v_words text := trim(regexp_replace(p_query, '(?i)(^|\s)blocked:\S*', ' ', 'g'));
  v_pattern text := '%' || replace(replace(replace(v_words, '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_found json[];
begin
  select array_agg(row_to_json(r))
  into v_found
  from (
    select h.kind, h.id, h.code, h.title, left(h.description, 200) as excerpt, h.status, h.product_id, p.code as product_code
    from (
      select 'task' as kind, t.id, t.product_id, t.code, t.title, t.description, private.task_status_word(t.status) as status, t.created_at,
        array(select b.code from private.task_blockers b where b.task_id = t.id and not b.resolved) as waits_for
      from public.tasks t
      where (p_kind is null or p_kind = 'task') and t.status <> 'DONE'
        and t.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
        and (p_product_id is null or t.product_id = p_product_id) and (t.code ilike v_pattern or t.title ilike v_pattern)
      union all
      select 'story', s.id, s.product_id, s.code, s.title, s.description, lower(s.status::text), s.created_at,
        array(select b.code from public.story_dependencies d join public.stories b on b.id = d.blocker_id
          where d.blocked_id = s.id and b.status <> 'DONE')
      from public.stories s
      where (p_kind is null or p_kind = 'story') and s.status <> 'DONE'
        and s.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
        and (p_product_id is null or s.product_id = p_product_id) and (s.code ilike v_pattern or s.title ilike v_pattern)
    ) h
    join public.products p on p.id = h.product_id
    where case when v_asked in ('', 'yes', 'true') then h.waits_for <> '{}'
      when v_asked in ('no', 'false', 'none') then h.waits_for = '{}'
      else upper(v_asked) in (select upper(c) from unnest(h.waits_for) c) end
    order by h.created_at desc, h.id
    limit p_limit + 1
    offset p_offset
  ) r;

  return json_build_object(
    'items', array_to_json(coalesce(v_found[1:p_limit], '{}')),
    'next_cursor', case when cardinality(v_found) > p_limit then (p_offset + p_limit)::text end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_task(p_task_id uuid, p_status text, p_implementation_plan text, p_verify_only boolean, p_verify_required text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_answer jsonb;
begin
  if p_status is null and p_implementation_plan is null then
    raise exception using errcode = 'PT422', message = 'Give at least one of status and implementation_plan.',
      detail = '{"issues":[{"path":"","message":"At least one of status and implementation_plan is required."}]}';
  end if;
  perform private.parse_choice('status', p_status, '{todo,in_progress,done}');
  perform private.parse_choice('verify_required', p_verify_required, '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, private.parse_task_status(p_status));
  perform private.heed_waiting(p_task_id, private.parse_task_status(p_status), false);

  update public.tasks t
  set status = coalesce(private.parse_task_status(p_status), t.status),
      implementation_plan = coalesce(p_implementation_plan, t.implementation_plan),
      verify_only = coalesce(p_verify_only, t.verify_only),
      verify_required = coalesce(p_verify_required::public.verify_required, t.verify_required)
  where t.id = p_task_id
  returning jsonb_build_object(
    'id', t.id,
    'status', case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end,
    'implementation_plan', t.implementation_plan
  )
  into v_answer;
  return v_answer || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION public.change_things(p_things jsonb, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_thing record;
  v_product_id uuid;
  v_own uuid;
  v_changed integer := 0;
  v_skipped integer := 0;
begin
  if jsonb_typeof(p_things) is distinct from 'array' or jsonb_array_length(p_things) not between 1 and 500 then
    perform private.refuse(422, 'Choose 1 to 500 things.');
  end if;
  perform private.take_rate_limit('change', auth.uid()::text);

  for v_thing in
    select distinct on (i.value ->> 'id') i.value ->> 'kind' as kind, (i.value ->> 'id')::uuid as id, i.place
    from jsonb_array_elements(p_things) with ordinality i (value, place)
    order by i.value ->> 'id', i.place
  loop
    v_own := private.require_access(v_thing.kind, v_thing.id);
    v_product_id := coalesce(v_product_id, v_own);
    if v_own <> v_product_id then
      perform private.refuse(422, 'Change things of one product at a time.');
    end if;
    perform private.require_write(v_thing.kind, v_thing.id);
    begin
      if private.change_thing(v_thing.kind, v_thing.id, p_changes) then
        v_changed := v_changed + 1;
      else
        v_skipped := v_skipped + 1;
      end if;
    exception when others then
      if sqlstate not like 'PT%' or jsonb_array_length(p_things) = 1 then
        raise;
      end if;
      raise exception using errcode = sqlstate,
        message = format('%s: %s Nothing was changed.', private.code_of(v_thing.kind, v_thing.id), sqlerrm);
    end;
  end loop;
  return jsonb_build_object('changed', v_changed, 'skipped', v_skipped) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION public.edit_task(p_task_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status := private.parse_task_status(p_changes ->> 'status');
begin
  perform private.parse_choice('verify_required', p_changes ->> 'verify_required', '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, v_status);
  perform private.heed_waiting(p_task_id, v_status, (p_changes ->> 'confirmed')::boolean);

  update public.tasks t
  set title = coalesce(p_changes ->> 'title', t.title),
      description = coalesce(p_changes ->> 'description', t.description),
      code = coalesce(p_changes ->> 'code', t.code),
      priority = coalesce((p_changes ->> 'priority')::integer, t.priority),
      status = coalesce(v_status, t.status),
      verify_only = coalesce((p_changes ->> 'verify_only')::boolean, t.verify_only),
      verify_required = coalesce((p_changes ->> 'verify_required')::public.verify_required, t.verify_required),
      requires_opus = coalesce((p_changes ->> 'requires_opus')::boolean, t.requires_opus),
      implementation_plan = case when p_changes ? 'implementation_plan' then p_changes ->> 'implementation_plan' else t.implementation_plan end,
      repo_url = case when p_changes ? 'repo_url' then p_changes ->> 'repo_url' else t.repo_url end,
      estimated_minutes = case when p_changes ? 'estimated_minutes' then (p_changes ->> 'estimated_minutes')::integer else t.estimated_minutes end
  where t.id = p_task_id;
  return (select to_jsonb(t) || private.released() from private.task_detail_shape t where t.id = p_task_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_budgets(p_product_id uuid, p_sprint_run_id uuid DEFAULT NULL::uuid, p_sprint_id uuid DEFAULT NULL::uuid, p_task_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_budgets(p_product_id, p_sprint_run_id, p_sprint_id, p_task_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_task_page(p_task_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
begin
  perform private.require_access('task', p_task_id);
  select t.* into v_task from public.tasks t where t.id = p_task_id;

  return json_build_object(
    'task', (select row_to_json(t) from private.task_detail_shape t where t.id = p_task_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'repo_url', p.repo_url, 'archived', p.archived_at is not null)
      from public.products p where p.id = v_task.product_id),
    'story', (
      select json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'sprint_id', s.sprint_id)
      from public.stories s where s.id = v_task.story_id),
    'stories', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title) order by s.sort_order, s.created_at, s.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at
        from public.stories s
        where s.product_id = v_task.product_id and (s.status in ('OPEN', 'IN_SPRINT') or s.id = v_task.story_id)
        order by s.sort_order, s.created_at, s.id
        limit 300
      ) s),
    'jobs', (
      select coalesce(json_agg(private.job_json(j) order by j.created_at desc), '[]')
      from public.agent_jobs j where j.task_id = p_task_id),
    'imported_reviews', private.imported_reviews(p_task_id),
    'dependencies', public.list_dependencies('task', p_task_id),
    'waits_for', (
      select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]')
      from private.task_blockers b where b.task_id = p_task_id and not b.resolved),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.task_id = p_task_id),
    'history', (
      select coalesce(json_agg(row_to_json(c) order by c.changed_at desc, c.id desc), '[]')
      from (
        select c.id, lower(c.to_status::text) as to_status, c.changed_at
        from public.task_status_changes c
        where c.task_id = p_task_id
        order by c.changed_at desc, c.id desc
        limit 20
      ) c)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_candidates(p_kind text, p_id uuid, p_query text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.list_candidates(p_kind, p_id, p_query);
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_run_order(p_sprint_run_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_run_order(p_sprint_run_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.search(p_query text, p_product_id uuid DEFAULT NULL::uuid, p_kind text DEFAULT NULL::text, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 20), 1), 50);
  v_offset integer := case when p_cursor ~ '^[0-9]{1,6}$' then p_cursor::integer else 0 end;
begin
  perform private.parse_choice('kind', p_kind, '{pbi,story,task,idea}');
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  if trim(coalesce(p_query, '')) = '' then
    return json_build_object('items', '[]'::json, 'next_cursor', null);
  end if;

  if p_query ~* '(^|\s)blocked:' then
    return private.search_blocked(left(p_query, 200), p_product_id, p_kind, v_limit, v_offset);
  end if;
  return private.search(left(p_query, 200), p_product_id, p_kind, v_limit, v_offset);
end;
$function$;

CREATE OR REPLACE FUNCTION public.set_task_status(p_task_id uuid, p_status text, p_confirmed boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status := private.parse_task_status(coalesce(p_status, ''));
begin
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, v_status);
  perform private.heed_waiting(p_task_id, v_status, p_confirmed);
  update public.tasks t set status = v_status where t.id = p_task_id and t.status <> v_status;
  return (select to_jsonb(t) || private.released() from private.task_shape t where t.id = p_task_id);
end;
$function$;

CREATE INDEX agent_jobs_done_idx ON public.agent_jobs USING btree (product_id, finished_at) WHERE ((status = 'DONE'::public.agent_job_status) AND (kind = 'TASK_IMPLEMENTATION'::public.agent_job_kind));

COMMENT ON FUNCTION "private"."budget_left"(public.agent_jobs) IS 'What is left for a job of the budgets that it falls under.';

COMMENT ON FUNCTION "private"."budget_payload"(public.agent_jobs) IS 'What a claimed job may use at most, by unit.';

COMMENT ON FUNCTION "private"."budget_warnings"(public.sprints) IS 'What of a sprint or product may not be enough for a run (docs/users.md).';

COMMENT ON FUNCTION "private"."finished_use"(uuid, text, integer) IS 'What finished tasks of a product used, in tokens or in a currency, newest first.';

COMMENT ON FUNCTION "private"."heed_waiting"(uuid, public.task_status, boolean) IS 'PT409 for who begins a task that waits: agents always, people until they confirm (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."is_held"(uuid) IS 'Whether a task waits for something that is not done.';

COMMENT ON FUNCTION "private"."search_blocked"(text, uuid, text, integer, integer) IS 'What waits for what, of the caller''s products (docs/dependencies.md).';

COMMENT ON FUNCTION "public"."get_budgets"(uuid, uuid, uuid, uuid) IS 'Budgets of a product with what is spent, reserved and left, and its settings for them.';

COMMENT ON FUNCTION "public"."list_candidates"(text, uuid, text) IS 'What a task or story could wait for: what is near first, at most 8.';

COMMENT ON FUNCTION "public"."list_run_order"(uuid) IS 'Lanes of a run and what its tasks wait for, in the order of the run.';

COMMENT ON FUNCTION "public"."set_task_status"(uuid, text, boolean) IS 'A board move of a task, all statuses (specification: States and transitions, Task).';

REVOKE ALL ON FUNCTION "private"."budget_left"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_left"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_payload"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_payload"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_warnings"(public.sprints) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_warnings"(public.sprints) TO "postgres";

REVOKE ALL ON FUNCTION "private"."finished_use"(uuid, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."finished_use"(uuid, text, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."get_budgets"(uuid, uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_budgets"(uuid, uuid, uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."heed_waiting"(uuid, public.task_status, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."heed_waiting"(uuid, public.task_status, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."is_held"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_held"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_candidates"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_candidates"(text, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."list_run_order"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_run_order"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."search_blocked"(text, uuid, text, integer, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."search_blocked"(text, uuid, text, integer, integer) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."get_budgets"(uuid, uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_budgets"(uuid, uuid, uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_candidates"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_candidates"(text, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_run_order"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_run_order"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."set_task_status"(uuid, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."set_task_status"(uuid, text, boolean) TO "authenticated", "postgres";
