-- Why: whoever asks why no job comes reads the name of the button that is there.
set local check_function_bodies = off;

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
      'message', format('There are jobs in %s, where your workers are not allowed yet. Press "Allow my workers" on the members page of the product, or name it as product_id.',
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

CREATE OR REPLACE FUNCTION private.worker_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_online integer;
  v_with_quota integer;
  v_without_consent text;
  v_confined integer;
  v_following integer;
  v_able integer;
  v_place record;
begin
  select p.requires_sandbox, regexp_replace(t.repo_url, '://[^/?#]*@', '://') as repo_url, u.username as written_by
  into v_place
  from public.products p
  left join public.tasks t on t.id = p_job.task_id and t.repo_url <> p.repo_url
  left join public.users u on u.id = t.repo_url_by
  where p.id = p_job.product_id;
  select count(*) filter (where m.workers_allowed),
    count(*) filter (where m.workers_allowed and (w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)),
    string_agg(distinct u.username, ', ') filter (where not m.workers_allowed),
    count(*) filter (where m.workers_allowed and x.is_confined),
    count(*) filter (where m.workers_allowed and x.is_following),
    count(*) filter (where m.workers_allowed and x.is_confined and x.is_following)
  into v_online, v_with_quota, v_without_consent, v_confined, v_following, v_able
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id and m.role <> 'VIEWER'
  cross join lateral (
    select not v_place.requires_sandbox or w.confinement <> 'none' as is_confined,
      v_place.repo_url is null or private.is_followed(v_place.repo_url, w.also_repos) as is_following) x
  where private.is_online(w.last_seen_at, w.stopped_at)
    and (p_job.kind <> 'PLAN_CHAT' or w.user_id = p_job.created_by)
    and (p_job.phase <> 'verify' or w.id is distinct from p_job.author_worker_id);

  if v_online = 0 and p_job.phase = 'verify' and v_without_consent is null then
    return jsonb_build_array(jsonb_build_object('code', 'needs_other_worker',
      'message', format('The work is done and must be reviewed by a worker other than %s. Start one under another name.',
        coalesce((select w.name from public.agent_workers w where w.id = p_job.author_worker_id), 'the one that did it'))));
  end if;
  if v_online = 0 and v_without_consent is not null then
    return jsonb_build_array(jsonb_build_object('code', 'consent',
      'message', format('Workers of %s are online but not allowed here yet. Each of them can press "Allow my workers" on the members page, or name the product to the worker.',
        v_without_consent)));
  end if;
  if v_online = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'no_worker',
      'message', 'No worker is online. Start one: the Connect page has the command.',
      'command', 'node backloom-worker.mjs --url <address> --token <token> --repo <folder> --agent <agent>'));
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want to keep (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  if v_able > 0 then
    return '[]';
  end if;
  return case when v_following > 0 or v_confined = 0 then jsonb_build_array(jsonb_build_object('code', 'sandbox',
      'message', format('The product requires a sandbox, and no online worker that could take the job has one. %s', private.sandbox_advice())))
      else '[]' end
    || case when v_following = 0 then jsonb_build_array(jsonb_build_object('code', 'repository',
      'message', format('The task has its own repository, %s%s, and no online worker follows it: %s', v_place.repo_url,
        ' (written by ' || v_place.written_by || ')', private.repository_advice(v_place.repo_url)),
      'repo_url', v_place.repo_url, 'written_by', v_place.written_by))
      else '[]' end;
end;
$function$;
