-- Why: answers agree with each other: triage is in no list of the backlog, a claim and "why not moving" name the same reason, a kept answer is not for whoever has left the product.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.get_backlog(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_pbis json;
  v_stories json;
  v_tasks json;
begin
  perform private.require_product_access(p_product_id);

  select coalesce(json_agg(x), '[]')
  into v_pbis
  from (
    select
      b.id, b.product_id, b.code, b.title, b.description, b.priority, b.sort_order, lower(b.status::text) as status, b.pr_url,
      to_char(b.pr_merged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as pr_merged_at,
      to_char(b.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, b.version
    from public.pbis b
    where b.product_id = p_product_id
    order by b.priority, b.sort_order, b.created_at, b.id
  ) x;

  select coalesce(json_object_agg(b.id, coalesce(g.list, '[]')), '{}')
  into v_stories
  from public.pbis b
  left join (
    select x.pbi_id, json_agg(case when x.label_ids = '{}' then x.line else private.with_labels(x.line, x.label_ids) end) as list
    from (
      select s.pbi_id, s.label_ids, row_to_json(y) as line
      from public.stories s
      cross join lateral (select
        s.id, s.product_id, s.pbi_id, s.code, s.title, s.description, s.acceptance_criteria, s.priority,
        lower(s.status::text) as status, s.sort_order, s.sprint_id, s.assignee_id,
        to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, s.version) y
      where s.product_id = p_product_id and not s.in_triage
      order by s.pbi_id, s.sort_order, s.created_at, s.id
    ) x
    group by x.pbi_id
  ) g on g.pbi_id = b.id
  where b.product_id = p_product_id;

  select coalesce(json_object_agg(s.id, coalesce(g.list, '[]')), '{}')
  into v_tasks
  from public.stories s
  left join (
    select x.story_id, json_agg(case when x.label_ids = '{}' then x.line else private.with_labels(x.line, x.label_ids) end) as list
    from (
      select t.story_id, t.label_ids, row_to_json(y) as line
      from public.tasks t
      cross join lateral (select
        t.id, t.story_id, t.product_id, t.code, t.title, t.description, t.priority, t.sort_order,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
        t.repo_url, t.verify_only, t.verify_required,
        to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, t.version) y
      where t.product_id = p_product_id
      order by t.story_id, t.sort_order, t.created_at, t.id
    ) x
    group by x.story_id
  ) g on g.story_id = s.id
  where s.product_id = p_product_id and not s.in_triage;

  return json_build_object(
    'product', (select row_to_json(p) from private.product_shape p where p.id = p_product_id),
    'pbis', v_pbis, 'storiesByPbi', v_stories, 'tasksByStory', v_tasks
  );
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_pairing_state(p_pairing_id uuid, p_desktop_token_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_pairing public.login_pairings;
begin
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for share;
  if not found then
    raise exception using errcode = 'PT404', message = 'No such pairing. Show a new code.';
  end if;
  if v_pairing.desktop_token_hash <> decode(p_desktop_token_hash, 'hex') then
    raise exception using errcode = 'PT401', message = 'This pairing was started by another browser. Show a new code.';
  end if;
  if v_pairing.expires_at <= private.now() then
    raise exception using errcode = 'PT410', message = 'This code has expired. Show a new code.';
  end if;
  return json_build_object('pairing_id', v_pairing.id, 'status', lower(v_pairing.status::text),
    'expires_at', v_pairing.expires_at, 'snapshot', pg_current_snapshot()::text);
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_reasons jsonb := '[]';
  v_run public.sprint_runs;
  v_question public.agent_questions;
  v_first public.agent_jobs;
  v_worker record;
  v_pbi record;
begin
  if not private.may_read_talk(p_job) then
    p_job.failure_reason := null;
  end if;
  if p_job.status in ('DONE', 'SKIPPED', 'CANCELLED', 'FAILED') then
    return jsonb_build_array(jsonb_build_object(
      'code', case when p_job.status = 'FAILED' and p_job.failure_class = 'infrastructure' and p_job.retry_count >= 3
        then 'budget' else 'finished' end,
      'message', format('The job is %s%s', lower(p_job.status::text), coalesce(': ' || p_job.failure_reason, '.')),
      'failure_class', p_job.failure_class, 'finished_at', p_job.finished_at));
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    select w.name, w.last_seen_at into v_worker from public.agent_workers w where w.id = p_job.worker_id;
    return jsonb_build_array(jsonb_build_object('code', 'lease',
      'message', format('Worker %s holds the job until %s (attempt %s%s).', coalesce(v_worker.name, 'unknown'),
        to_char(p_job.lease_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), p_job.attempt,
        case when p_job.lease_until <= v_now then '; the lease has expired, so the job returns to the queue within seconds' else '' end),
      'worker_id', p_job.worker_id, 'worker_name', v_worker.name, 'lease_until', p_job.lease_until, 'last_seen_at', v_worker.last_seen_at));
  end if;

  if p_job.phase = 'review' and (select p.done_requires = 'ci' from public.products p where p.id = p_job.product_id) then
    return jsonb_build_array(jsonb_build_object('code', 'ci', 'message', coalesce((
        select format('The work is done and waiting for CI of pull request #%s.', p.number) from public.pulls p
        where p.product_id = p_job.product_id and p.branch = p_job.branch and p.state = 'open' order by p.number desc limit 1),
        'The work is done and waiting for CI, but no pull request of its branch is known. Start a worker with --pr, or approve the work yourself.'),
      'task_id', p_job.task_id));
  end if;
  if p_job.phase = 'review' then
    return jsonb_build_array(jsonb_build_object('code', 'review',
      'message', 'The work is done and waiting for a person to review it.', 'task_id', p_job.task_id));
  end if;

  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  if v_run.status = 'PAUSED' then
    v_reasons := v_reasons || jsonb_build_object('code', 'paused',
      'message', format('The run is paused (%s). Resume it when it can continue.', replace(v_run.pause_context ->> 'reason', '_', ' ')),
      'sprint_run_id', v_run.id, 'pause_context', v_run.pause_context, 'question_id', v_run.pause_question_id);
  end if;
  select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
  if v_question.status = 'OPEN' and not (v_question.on_expiry = 'RECOMMENDED' and v_question.expires_at <= v_now) then
    v_reasons := v_reasons || jsonb_build_object('code', 'question',
      'message', case
        when v_question.expires_at <= v_now then 'The question it is waiting for was not answered in time'
        when v_question.kind = 'permission' then format('It is waiting for a permission that only %s can give', private.username(v_question.reader_id))
        else 'It is waiting for the answer to a question' end
        || case when private.may_read_talk(p_job) and (v_question.reader_id is null or v_question.reader_id = auth.uid())
          then ': ' || left(v_question.question, 300) else '.' end,
      'question_id', v_question.id, 'assignee_id', v_question.assignee_id, 'expires_at', v_question.expires_at);
  end if;
  if p_job.not_before > v_now then
    v_reasons := v_reasons || jsonb_build_object('code', 'not_before',
      'message', format(case p_job.failure_class when 'rate_limited' then 'It is rate-limited until %s.'
        else 'Its last attempt failed; it can be tried again at %s.' end, to_char(p_job.not_before at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
      'not_before', p_job.not_before);
  end if;
  if p_job.open_blockers > 0 then
    v_reasons := v_reasons || private.job_dependency_reasons(p_job);
  end if;
  v_reasons := v_reasons || private.budget_reasons(p_job);
  if not p_job.in_turn then
    select j.* into v_first from public.agent_jobs j
    where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.in_turn desc, j.position limit 1;
    v_reasons := v_reasons || jsonb_build_object('code', 'order',
      'message', format('Jobs on branch %s run one after another; task %s comes first and is %s.', p_job.branch,
        (select t.code from public.tasks t where t.id = v_first.task_id), lower(v_first.status::text)),
      'job_id', v_first.id, 'task_id', v_first.task_id);
  end if;
  select b.id, b.code into v_pbi
  from public.tasks t join public.stories s on s.id = t.story_id join public.pbis b on b.id = s.pbi_id
  where t.id = p_job.task_id and b.status = 'BLOCKED';
  if found then
    v_reasons := v_reasons || jsonb_build_object('code', 'blocked', 'blocking', false,
      'message', format('PBI %s was blocked after the run started; the job can still be claimed.', v_pbi.code), 'pbi_id', v_pbi.id);
  end if;
  if exists (select from public.products p where p.id = p_job.product_id and p.archived_at is not null) then
    v_reasons := v_reasons || jsonb_build_object('code', 'archived', 'message', 'The product is archived.');
  end if;
  v_reasons := v_reasons || private.worker_reasons(p_job);
  if v_reasons = '[]' then
    v_reasons := jsonb_build_array(jsonb_build_object('code', 'ready', 'message', 'Ready. The next free worker takes it. A worker that was started with --product takes jobs of that product only.'));
  end if;
  return v_reasons;
end;
$function$;

CREATE OR REPLACE FUNCTION private.nothing_to_claim(p_user_id uuid, p_product_id uuid, p_full_budgets uuid[] DEFAULT NULL::uuid[], p_confined boolean DEFAULT true, p_also_repos jsonb DEFAULT NULL::jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_waiting record;
  v_closed jsonb;
begin
  select count(*) filter (where x.is_queued) as queued,
    count(*) filter (where j.status = 'QUEUED' and not x.is_queued) as archived,
    count(*) filter (where x.is_queued and r.status = 'PAUSED') as paused,
    count(*) filter (where x.is_queued and q.status = 'OPEN' and not (q.on_expiry = 'RECOMMENDED' and q.expires_at <= private.now())) as asked,
    count(*) filter (where x.is_queued and j.not_before > private.now()) as delayed,
    count(*) filter (where x.is_queued and j.not_before > private.now() and j.failure_class is distinct from 'rate_limited') as failed,
    count(*) filter (where x.is_queued and not j.in_turn) as in_order,
    count(*) filter (where x.is_queued and j.phase = 'review') as in_review,
    count(*) filter (where x.is_queued and j.phase = 'verify') as to_verify,
    count(*) filter (where x.is_queued and j.in_turn and j.open_blockers > 0) as blocked,
    count(*) filter (where x.is_queued and j.in_turn and p.requires_sandbox and not p_confined) as unconfined,
    min(t.repo_url) filter (where x.is_queued and j.in_turn and t.repo_url <> p.repo_url
      and not private.is_followed(t.repo_url, p_also_repos)) as foreign_repo,
    count(*) filter (where j.status in ('CLAIMED', 'RUNNING')) as held
  into v_waiting
  from public.agent_jobs j
  join public.product_members m on m.product_id = j.product_id and m.user_id = p_user_id
    and m.role <> 'VIEWER' and private.is_open_to_token(m.product_id) and (m.workers_allowed or p_product_id is not null)
  join public.products p on p.id = j.product_id
  cross join lateral (select j.status = 'QUEUED' and p.archived_at is null as is_queued) x
  left join public.tasks t on t.id = j.task_id
  left join public.sprint_runs r on r.id = j.sprint_run_id
  left join public.agent_questions q on q.id = j.parked_question_id
  where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (p_product_id is null or j.product_id = p_product_id)
    and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id);

  v_closed := case when v_waiting.queued = 0 and p_product_id is null then private.products_without_consent(p_user_id) end;
  if v_closed is not null then
    return jsonb_build_object('code', 'consent', 'products', v_closed,
      'message', format('There are jobs in %s, where your workers are not allowed yet. Switch on "My workers may work here" on the members page of the product, or name it as product_id.',
        (select string_agg(p ->> 'name', ', ') from jsonb_array_elements(v_closed) p)));
  end if;
  if v_waiting.queued = 0 and v_waiting.archived > 0 then
    return jsonb_build_object('code', 'archived', 'message', format('%s queued, all in archived products: %s', v_waiting.archived,
      'their work rests until an owner takes the product out of the archive.'));
  end if;
  if v_waiting.queued = 0 then
    return jsonb_build_object('code', 'empty', 'message', format('No job is queued%s.',
      case when v_waiting.held > 0 then format('; %s held by workers', v_waiting.held) else '' end));
  end if;
  return jsonb_build_object(
    'code', case
      when v_waiting.paused > 0 then 'paused'
      when v_waiting.asked > 0 then 'question'
      when v_waiting.delayed > 0 then 'not_before'
      when p_full_budgets <> '{}' then 'budget'
      when v_waiting.unconfined > 0 then 'sandbox'
      when v_waiting.foreign_repo is not null then 'repository'
      when v_waiting.to_verify > 0 then 'needs_other_worker'
      when v_waiting.in_review > 0 then 'review'
      when v_waiting.blocked > 0 then 'dependency'
      else 'order' end,
    'message', format('%s queued, none available now: %s waiting for their turn, %s for an answer, %s for a paused run, %s for a rate limit%s%s%s; %s held by workers.%s',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed - v_waiting.failed,
      case when v_waiting.failed > 0 then format(', %s for another try', v_waiting.failed) else '' end,
      case when v_waiting.blocked > 0 then format(', %s for other tasks', v_waiting.blocked) else '' end,
      case when v_waiting.to_verify + v_waiting.in_review > 0 then format(', %s for another worker, %s for a review',
        v_waiting.to_verify, v_waiting.in_review) else '' end, v_waiting.held,
      concat(case when p_full_budgets <> '{}' then ' A budget allows no new work.' end,
        case when v_waiting.unconfined > 0 then format(' %s are in products that require a sandbox, and this worker has none: %s', v_waiting.unconfined, private.sandbox_advice()) end,
        case when v_waiting.foreign_repo is not null
          then format(' A task uses the repository %s, which this worker does not follow: %s', v_waiting.foreign_repo, private.repository_advice(v_waiting.foreign_repo)) end)))
    || case when v_waiting.blocked > 0 then jsonb_strip_nulls(jsonb_build_object('awaited_heads', private.awaited_heads(p_user_id, p_product_id)))
      else '{}' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_former_member(p_user_id uuid, p_arguments jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from jsonb_each_text(p_arguments) a
    cross join lateral (
      select case a.key
        when 'p_product_id' then (select p.id from public.products p where p.id = a.value::uuid)
        when 'p_pbi_id' then (select b.product_id from public.pbis b where b.id = a.value::uuid)
        when 'p_sprint_id' then (select n.product_id from public.sprints n where n.id = a.value::uuid)
        when 'p_story_id' then (select s.product_id from public.stories s where s.id = a.value::uuid)
        when 'p_task_id' then (select t.product_id from public.tasks t where t.id = a.value::uuid)
        when 'p_job_id' then (select j.product_id from public.agent_jobs j where j.id = a.value::uuid)
      end as product_id) x
    where x.product_id is not null
      and not exists (select from public.product_members m where m.product_id = x.product_id and m.user_id = p_user_id))
  then
    raise exception using errcode = 'PT403',
      message = 'You have no access to this product. Ask its owner to add you as a member.';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION public.call_as(p_credential jsonb, p_function text, p_arguments jsonb DEFAULT '{}'::jsonb, p_key text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_principal private.principal := private.resolve_credential(p_credential);
  v_caller text := current_setting('role');
  v_claims text := coalesce(current_setting('request.jwt.claims', true), '');
  v_statement text;
  v_writes boolean;
  v_earlier text;
  v_answer json;
begin
  select c.p_statement, c.p_writes into v_statement, v_writes
  from private.build_call('authenticated', p_function, p_arguments) c;

  if v_writes and v_principal.is_demo then
    raise exception using errcode = 'PT403',
      message = 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.';
  end if;

  if v_writes and v_principal.scopes is not null then
    perform private.require_scope(v_principal.scopes, p_function);
  end if;

  if v_writes and p_key is not null then
    v_earlier := private.take_idempotency_key(v_principal.user_id, p_key,
      sha256(convert_to(p_function || p_arguments::text || coalesce(v_principal.product_ids::text, ''), 'UTF8')));
    if v_earlier is not null then
      perform private.refuse_former_member(v_principal.user_id, p_arguments);
      return json_build_object('answer', v_earlier, 'kept', true, 'replayed', true);
    end if;
  end if;

  perform set_config('request.jwt.claims', json_strip_nulls(json_build_object(
      'sub', v_principal.user_id, 'role', 'authenticated',
      'session_id', v_principal.session_id, 'token_id', v_principal.token_id))::text, true),
    set_config('backloom.token_products', coalesce(v_principal.product_ids::text, ''), true),
    set_config('role', 'authenticated', true);
  execute v_statement into v_answer using p_arguments;

  perform set_config('role', v_caller, true), set_config('request.jwt.claims', v_claims, true),
    set_config('backloom.token_products', '', true);
  if p_key is null then
    return v_answer;
  end if;
  if v_writes then
    perform private.keep_answer(v_principal.user_id, p_key, v_answer);
  end if;
  return json_build_object('answer', v_answer::text, 'kept', v_writes, 'replayed', false);
end;
$function$;

COMMENT ON FUNCTION "private"."refuse_former_member"(uuid, jsonb) IS 'PT403 for a kept answer about a product that its user has left.';

REVOKE ALL ON FUNCTION "private"."refuse_former_member"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_former_member"(uuid, jsonb) TO "postgres", "service_role";
