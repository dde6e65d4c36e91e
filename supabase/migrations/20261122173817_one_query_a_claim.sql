-- A claim reads what every job has in one query, an answer about a job too; triggers of tasks for rare columns are not even looked at, and history makes nobody meet at the row of the product.
set local check_function_bodies = off;

DROP TRIGGER "_890_tell_inbox" ON "public"."agent_jobs";

DROP TRIGGER "_121_copy_product" ON "public"."tasks";

DROP TRIGGER "_151_assign_code" ON "public"."tasks";

DROP TRIGGER "_201_sort_order" ON "public"."tasks";

DROP TRIGGER "_890_tell_inbox" ON "public"."tasks";

DROP TRIGGER "_990_derive_story_update" ON "public"."tasks";

ALTER TABLE "public"."job_attempts" DROP CONSTRAINT "job_attempts_product_id_fkey";

ALTER TABLE "public"."task_status_changes" DROP CONSTRAINT "task_status_changes_product_id_fkey";

DROP FUNCTION "private"."has_past"(public.agent_jobs);

CREATE OR REPLACE FUNCTION private.conflict_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object('kind', c.kind, 'branch', c.branch, 'task_id', t.id, 'task_code', t.code,
      'ours_sha', c.ours_sha, 'theirs_sha', c.theirs_sha, 'files', c.files) order by c.created_at desc), '[]')
    from (
      select distinct on (x.kind, x.branch) x.*
      from public.job_conflicts x
      where x.job_id = p_job.id
      order by x.kind, x.branch, x.created_at desc
    ) c
    left join public.agent_jobs o on o.id = c.other_job_id
    left join public.tasks t on t.id = o.task_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_json(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v record;
  v_costs jsonb := private.job_costs(p_job.id);
begin
  select t.code as task_code, t.title as task_title, t.status as task_status, t.story_id, s.code as story_code, s.title as story_title,
    p.code as product_code, w.name as worker_name, i.code as idea_code
  into v
  from (select) as job
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.products p on p.id = p_job.product_id
  left join public.agent_workers w on w.id = p_job.worker_id
  left join public.ideas i on i.id = p_job.idea_id;

  if not private.may_read_talk(p_job) then
    p_job.summary := null;
    p_job.failure_reason := null;
    p_job.evidence := null;
    v.idea_code := null;
  end if;
  return to_jsonb(p_job) - '{lane_id,claim_rank}'::text[] || jsonb_build_object(
    'status', lower(p_job.status::text),
    'task_code', v.task_code,
    'task_title', v.task_title,
    'task_status', case v.task_status when 'TO_DO' then 'todo' else lower(v.task_status::text) end,
    'story_id', v.story_id,
    'story_code', v.story_code,
    'story_title', v.story_title,
    'idea_code', v.idea_code,
    'product_code', v.product_code,
    'worker_name', v.worker_name,
    'doing', case when p_job.status in ('CLAIMED', 'RUNNING') then private.doing_now(p_job.id, p_job.attempt) end,
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_is_task boolean := p_job.kind = 'TASK_IMPLEMENTATION';
  v record;
begin
  select
    json_build_object('id', p.id, 'code', p.code, 'name', p.name, 'description', p.description, 'repo_url', p.repo_url,
      'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pr_strategy', p.pr_strategy) as product,
    case when r.id is not null then json_build_object('id', r.id, 'status', lower(r.status::text), 'branch', r.branch,
      'pr_strategy', r.pr_strategy, 'previous_run_id', r.previous_run_id,
      'sprint_id', n.id, 'sprint_code', n.code, 'sprint_goal', n.sprint_goal) end as run,
    case when v_is_task then json_build_object('id', t.id, 'code', t.code,
      'title', t.title, 'description', t.description, 'status', private.task_status_word(t.status),
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes) end as task,
    case when v_is_task then json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description,
      'acceptance_criteria', s.acceptance_criteria, 'pbi_id', b.id, 'pbi_code', b.code, 'pbi_title', b.title) end as story,
    coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url, p.done_requires, p.dependency_release, r.sprint_id,
    not v_is_task or concat(s.acceptance_criteria, p.definition_of_done) ~ '\S' as has_criteria,
    p_job.phase <> 'verify' and (p_job.attempt > 1 or p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from public.agent_jobs j where j.task_id = p_job.task_id and j.id <> p_job.id)) as has_past,
    p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from public.task_dependencies d where d.blocked_id = t.id)
      or exists (select from public.story_dependencies d where d.blocked_id = t.story_id) as has_blockers,
    exists (select from public.job_reviews w where w.product_id = p_job.product_id) as has_reviews,
    exists (select from public.job_conflicts c where c.job_id = p_job.id) as has_conflicts
  into v
  from public.products p
  left join public.sprint_runs r on r.id = p_job.sprint_run_id
  left join public.sprints n on n.id = r.sprint_id
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.pbis b on b.id = s.pbi_id
  where p.id = p_job.product_id;

  return json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'phase', p_job.phase,
    'previous_failure', case when v.has_past then private.previous_failure(p_job) end,
    'earlier_jobs', case when v.has_past then private.earlier_jobs(p_job, v.sprint_id) else '[]' end,
    'earlier_attempts', case when v.has_past then private.earlier_attempts(p_job) else '[]' end,
    'findings', case when v.has_past then private.findings(p_job) else '[]' end,
    'questions', case when v.has_past then private.job_questions(p_job.id) else '[]' end,
    'review', case when v.has_reviews then private.review_payload(p_job) else '[]' end,
    'conflicts', case when v.has_conflicts then private.conflict_payload(p_job) else '[]' end,
    'lease_until', p_job.lease_until,
    'heartbeat_seconds', 60,
    'position', p_job.position,
    'task_id', p_job.task_id,
    'idea_id', p_job.idea_id,
    'sprint_run_id', p_job.sprint_run_id,
    'plan_snapshot', p_job.plan_snapshot,
    'plan', p_job.plan_snapshot,
    'product', v.product,
    'repo_url', v.repo_url,
    'done_requires', v.done_requires,
    'criteria', case when v.has_criteria then private.criteria_payload(p_job) else '[]' end,
    'branch', p_job.branch,
    'base_sha', p_job.base_sha,
    'base_refs', case when v.has_blockers then private.base_refs(p_job) else '[]' end,
    'awaited_heads', case when v.dependency_release = 'merged' then private.awaited_heads(auth.uid(), p_job.product_id) end,
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', v.run,
    'task', v.task,
    'story', v.story,
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job.sprint_run_id) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then private.idea_payload(p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then private.chat_questions(p_job) end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_questions(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(private.question_json(q) order by q.created_at, q.id), '[]')
    from public.agent_questions q where q.job_id = p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_review public.job_reviews;
begin
  select x.* into v_review
  from (
    select r.*
    from public.agent_jobs j join public.job_reviews r on r.job_id = j.id
    where p_job.kind <> 'PLAN_CHAT' and j.kind = p_job.kind
      and (j.id = p_job.id or (p_job.kind = 'TASK_IMPLEMENTATION' and j.task_id = p_job.task_id))
    union all
    select r.* from public.job_reviews r
    where p_job.kind = 'TASK_IMPLEMENTATION' and r.task_id = p_job.task_id
  ) x
  order by x.created_at desc, x.id limit 1;
  if v_review.id is null or v_review.verdict <> 'request_changes' then
    return '[]';
  end if;
  return (
    select coalesce(json_agg(json_build_object('path', x.path, 'line', x.line, 'side', x.side, 'line_text', x.line_text,
      'body', x.body, 'author', x.author) order by x.created_at, x.id), '[]')
    from (
      select null as path, null::integer as line, null as side, null as line_text, v_review.summary as body,
        v_review.author, '-infinity'::timestamptz as created_at, v_review.id
      where v_review.summary <> ''
      union all
      select c.path, c.line, c.side, c.line_text, c.body, c.author, c.created_at, c.id
      from public.job_comments c where c.review_id = v_review.id
    ) x);
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_back_expired(p_user_id uuid, p_product_id uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_products uuid[];
  v_product_id uuid;
begin
  if not exists (
    select from public.agent_jobs j where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
  ) and not exists (
    select from public.budgets b where b.due_at is not null or (b.reached_at is not null and b.period is not null)
  ) then
    return '{}';
  end if;

  select coalesce(array_agg(x.product_id order by x.product_id), '{}')
  into v_products
  from (
    select distinct j.product_id
    from public.agent_jobs j
    join public.product_members m on m.product_id = j.product_id and m.user_id = p_user_id
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
      and (p_product_id is null or j.product_id = p_product_id)
    union
    select d.product_id
    from private.products_with_due_budgets() as d (product_id)
    join public.product_members m on m.product_id = d.product_id and m.user_id = p_user_id
    where p_product_id is null or d.product_id = p_product_id
  ) x;

  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  foreach v_product_id in array v_products loop
    perform private.requeue_expired_leases(v_product_id);
    perform private.settle_budgets(v_product_id);
  end loop;
  return v_products;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_event jsonb;
begin
  if tg_op = 'UPDATE' and new.in_turn <> old.in_turn and new.status = old.status then
    return null;
  end if;
  v_event := private.change_event(tg_op, 'job', to_jsonb(old), to_jsonb(new));
  if v_event is null or v_event -> 'changed_fields' = '["lease_until"]' then
    return null;
  end if;
  if v_event -> 'changed_fields' = '["open_blockers"]' and new.open_blockers > 0 then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'task_id', coalesce(new.task_id, old.task_id),
    'idea_id', coalesce(new.idea_id, old.idea_id),
    'kind', coalesce(new.kind, old.kind),
    'status', coalesce(new.status, old.status),
    'sprint_run_id', coalesce(new.sprint_run_id, old.sprint_run_id)
  );
  perform private.emit('product:' || coalesce(new.product_id, old.product_id), v_event);
  return null;
end;
$function$;

CREATE TRIGGER _890_tell_inbox AFTER UPDATE OF status ON public.agent_jobs FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND (('FAILED'::public.agent_job_status = old.status) OR ('FAILED'::public.agent_job_status = new.status)) AND (new.idea_id IS NOT NULL))) EXECUTE FUNCTION private.tg_any__tell_inbox();

CREATE TRIGGER _121_copy_product BEFORE UPDATE OF story_id, product_id ON public.tasks FOR EACH ROW WHEN (((new.story_id <> old.story_id) OR (new.product_id <> old.product_id))) EXECUTE FUNCTION private.tg_tasks__copy_product();

CREATE TRIGGER _151_assign_code BEFORE UPDATE OF code ON public.tasks FOR EACH ROW WHEN ((new.code IS DISTINCT FROM old.code)) EXECUTE FUNCTION private.tg_any__assign_code('task');

CREATE TRIGGER _201_sort_order BEFORE UPDATE OF code, sort_order ON public.tasks FOR EACH ROW WHEN (((new.code <> old.code) OR (new.sort_order <> old.sort_order))) EXECUTE FUNCTION private.tg_any__sort_order();

CREATE TRIGGER _890_tell_inbox AFTER UPDATE OF status ON public.tasks FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND (('REVIEW'::public.task_status = old.status) OR ('REVIEW'::public.task_status = new.status)))) EXECUTE FUNCTION private.tg_any__tell_inbox();

CREATE TRIGGER _990_derive_story_update AFTER UPDATE OF status, story_id ON public.tasks FOR EACH ROW WHEN (((new.story_id <> old.story_id) OR ((new.status <> old.status) AND ((new.status = ANY (ARRAY['DONE'::public.task_status, 'FAILED'::public.task_status])) OR (old.status = ANY (ARRAY['DONE'::public.task_status, 'FAILED'::public.task_status])))))) EXECUTE FUNCTION private.tg_tasks__derive_story();
