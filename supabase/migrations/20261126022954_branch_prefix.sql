-- Why: some remotes refuse branches that begin with backloom/, so a product says where the names of its branches begin.
set local check_function_bodies = off;

DROP VIEW "private"."product_detail_shape";

DROP FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text);

ALTER TABLE "public"."products" ADD COLUMN "branch_prefix" text NOT NULL DEFAULT 'backloom'::text;

CREATE OR REPLACE FUNCTION operations.create_product(p_code text, p_name text, p_description text DEFAULT ''::text, p_repo_url text DEFAULT ''::text, p_definition_of_done text DEFAULT ''::text, p_auto_pr boolean DEFAULT false, p_pr_strategy text DEFAULT 'SPRINT'::text, p_done_requires text DEFAULT 'none'::text, p_dependency_release text DEFAULT 'done'::text, p_requires_sandbox boolean DEFAULT false, p_may_reach jsonb DEFAULT '[]'::jsonb, p_plan_first text DEFAULT 'ask'::text, p_pull_requests text DEFAULT 'none'::text, p_agent_items text DEFAULT 'backlog'::text, p_landing text DEFAULT 'manual'::text, p_branch_prefix text DEFAULT 'backloom'::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  perform private.require_unlimited_token();
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires,
    dependency_release, requires_sandbox, may_reach, plan_first, pull_requests, agent_items, landing, branch_prefix)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release,
    coalesce(p_requires_sandbox, false), coalesce(p_may_reach, '[]'), coalesce(p_plan_first, 'ask')::public.plan_first,
    coalesce(p_pull_requests, 'none')::public.pull_requests,
    coalesce(p_agent_items, 'backlog')::public.agent_items, coalesce(p_landing, 'manual')::public.landing,
    coalesce(p_branch_prefix, 'backloom'));
  return operations.get_product(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_pulls(p_product_id uuid, p_state text DEFAULT 'open'::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);
  return json_build_object('branch_prefix', (select p.branch_prefix from public.products p where p.id = p_product_id), 'pulls', (
    select coalesce(json_agg(private.pull_json(p) order by p.number desc), '[]')
    from (
      select x.* from public.pulls x
      where x.product_id = p_product_id and (p_state = 'all' or x.state = 'open')
      order by x.number desc limit 1000
    ) p));
end;
$function$;

CREATE OR REPLACE FUNCTION private.branch_prefix_of(p_branch text, p_product public.products)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_folder text := regexp_replace(p_branch, '/[^/]*$', '');
  v_end text := '/' || private.branch_part(p_product.code, p_product.id);
begin
  if p_branch is null or starts_with(p_branch, p_product.branch_prefix || '/') then
    return p_product.branch_prefix;
  end if;
  return case when right(v_folder, length(v_end)) = v_end then left(v_folder, -length(v_end)) else v_folder end;
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
      'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pull_requests', p.pull_requests, 'pr_strategy', p.pr_strategy) as product,
    case when r.id is not null then json_build_object('id', r.id, 'status', lower(r.status::text), 'branch', r.branch,
      'pr_strategy', r.pr_strategy, 'previous_run_id', r.previous_run_id, 'subject', private.run_subject(r),
      'sprint_id', n.id, 'sprint_code', n.code, 'sprint_goal', n.sprint_goal) end as run,
    case when v_is_task then json_build_object('id', t.id, 'code', t.code,
      'title', t.title, 'description', t.description, 'status', private.task_status_word(t.status),
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes) end as task,
    case when v_is_task then json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description,
      'acceptance_criteria', s.acceptance_criteria, 'pbi_id', b.id, 'pbi_code', b.code, 'pbi_title', b.title) end as story,
    coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url, private.branch_prefix_of(p_job.branch, p) as branch_prefix, p.may_reach, p.done_requires, p.dependency_release, r.sprint_id,
    coalesce(r.plan_first, false) as plans_first,
    not v_is_task or concat(s.acceptance_criteria, p.definition_of_done) ~ '\S' as has_criteria,
    p_job.phase <> 'verify' and (p_job.attempt > 1 or p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from private.works j where j.task_id = p_job.task_id and j.id <> p_job.id)) as has_past,
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

  return private.with_key(json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'phase', p_job.phase,
    'plan_first', v.plans_first and p_job.phase = 'implement' and (
      v_is_task and coalesce(p_job.plan_snapshot, '') !~ '\S'
      or p_job.kind = 'SPRINT_IMPLEMENTATION' and exists (
        select from public.task_executions e
        where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and coalesce(e.plan_snapshot, '') !~ '\S')),
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
    'user_id', auth.uid(),
    'task_id', p_job.task_id,
    'idea_id', p_job.idea_id,
    'sprint_run_id', p_job.sprint_run_id,
    'plan_snapshot', p_job.plan_snapshot,
    'plan', p_job.plan_snapshot,
    'product', v.product,
    'repo_url', v.repo_url,
    'may_reach', v.may_reach,
    'done_requires', v.done_requires,
    'criteria', case when v.has_criteria then private.criteria_payload(p_job) else '[]' end,
    'branch', p_job.branch,
    'branch_prefix', v.branch_prefix,
    'base_sha', p_job.base_sha,
    'base_refs', case when v.has_blockers then private.base_refs(p_job) else '[]' end,
    'begins_from', private.begins_from(p_job),
    'awaited_heads', case when v.dependency_release = 'merged' then private.awaited_heads(auth.uid(), p_job.product_id) end,
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', v.run,
    'task', v.task,
    'story', v.story,
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job.sprint_run_id) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then private.idea_payload(p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then private.chat_questions(p_job) end
  ), 'messages', private.open_messages(p_job));
end;
$function$;

CREATE OR REPLACE FUNCTION private.own_run_branch(p_product public.products, p_task_ids uuid[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story_ids uuid[] := private.stories_of_tasks(p_task_ids);
begin
  if cardinality(v_story_ids) = 1 then
    return private.story_branch(v_story_ids[1]);
  end if;
  return format('%s/%s/run-%s', p_product.branch_prefix, private.branch_part(p_product.code, p_product.id),
    (select count(*) + 1 from public.sprint_runs r where r.product_id = p_product.id and r.sprint_id is null));
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_branch(p_sprint public.sprints, p_product public.products)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return format('%s/%s/%s-run-%s', p_product.branch_prefix, private.branch_part(p_product.code, p_product.id), p_sprint.code,
    (select count(*) + 1 from public.sprint_runs r where r.sprint_id = p_sprint.id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.story_branch(p_story_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
  v_part text;
  v_base text;
  v_newest record;
begin
  select s.* into v_story from public.stories s where s.id = p_story_id;
  v_part := private.branch_part(v_story.code, v_story.id);
  if lower(v_part) in ('kept', 'work')
    or exists (select from public.products p where lower(private.branch_part(p.code, p.id)) = lower(v_part))
    or exists (
      select from public.products p
      join public.products o on o.owner_id = p.owner_id and o.repo_url = p.repo_url and o.repo_url <> '' and o.id <> p.id
      join public.stories s on s.product_id = o.id and s.code = v_story.code
      join public.tasks t on t.story_id = s.id
      cross join lateral (
        select j.sprint_run_id from public.agent_jobs j where j.task_id = t.id
        union all
        select e.sprint_run_id from public.task_executions e where e.task_id = t.id) x
      join public.sprint_runs r on r.id = x.sprint_run_id and r.sprint_id is null
      where p.id = v_story.product_id)
  then
    v_part := v_part || '-' || left(v_story.id::text, 8);
  end if;
  v_base := (select p.branch_prefix from public.products p where p.id = v_story.product_id) || '/' || v_part;

  select u.branch, u.at_work, u.has_work, coalesce(nullif(substring(u.branch from length(v_base) + 2), '')::integer, 1) as number into v_newest
  from (
    select x.branch, bool_or(x.at_work) as at_work, bool_or(x.has_work) as has_work
    from public.tasks t
    cross join lateral (
      select a.branch, r.status in ('QUEUED', 'RUNNING', 'PAUSED') as at_work, a.pushed_at is not null or a.status = 'DONE' as has_work
      from private.works a join public.sprint_runs r on r.id = a.sprint_run_id
      where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and r.sprint_id is null
      union all
      select r.branch, r.status in ('QUEUED', 'RUNNING', 'PAUSED'), e.status = 'DONE'
      from public.task_executions e join public.sprint_runs r on r.id = e.sprint_run_id
      where e.task_id = t.id and r.sprint_id is null
    ) x
    where t.story_id = p_story_id and starts_with(x.branch, v_base) and substr(x.branch, length(v_base) + 1) ~ '^(-[1-9][0-9]{0,5})?$'
    group by x.branch
  ) u
  order by number desc
  limit 1;
  if v_newest.branch is null then
    return v_base;
  end if;
  if not v_newest.at_work and (not v_newest.has_work
    or exists (select from private.unlanded_work(array[p_story_id]) w where w.branch = v_newest.branch))
  then
    return v_newest.branch;
  end if;
  return v_base || '-' || v_newest.number + 1;
end;
$function$;

ALTER TABLE "public"."products" ADD CONSTRAINT "products_branch_prefix_form" CHECK (((branch_prefix ~ '^[A-Za-z0-9._/-]{1,50}$'::text) AND (branch_prefix !~ '(^|/)[/.-]|[/.-](/|$)|\.\.|\.lock(/|$)'::text)));

CREATE VIEW "private"."product_detail_shape" WITH (security_invoker=true) AS  SELECT id,
    code,
    name,
    description,
    repo_url,
    definition_of_done,
    auto_pr,
    pr_strategy,
    done_requires,
    dependency_release,
    owner_id,
    to_char((archived_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS archived_at,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS created_at,
    requires_sandbox,
    may_reach,
    plan_first,
    pull_requests,
    landing,
    agent_items,
    version,
    forge_issue_label,
    branch_prefix
   FROM public.products p;

COMMENT ON COLUMN "public"."products"."branch_prefix" IS 'Where the names of the branches of its work begin: some remotes refuse others.';

REVOKE ALL ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."create_product"(text, text, text, text, text, boolean, text, text, text, boolean, jsonb, text, text, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."branch_prefix_of"(text, public.products) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."branch_prefix_of"(text, public.products) TO "postgres";

REVOKE ALL ("branch_prefix") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("branch_prefix"), UPDATE ("branch_prefix") ON TABLE "public"."products" TO "authenticated";

GRANT SELECT ON TABLE "private"."product_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."product_detail_shape" TO "postgres";
