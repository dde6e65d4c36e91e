-- Why: what deleted jobs pushed is still where runs begin and what tasks wait for, so it has a row of its own; what they proved and what people decided no longer goes with them.
set local check_function_bodies = off;

DROP TRIGGER "_592_settle_merged_deleted" ON "public"."agent_jobs";

ALTER TABLE "public"."evidence" DROP CONSTRAINT "evidence_job_id_fkey";

ALTER TABLE "public"."story_heads" DROP CONSTRAINT "story_heads_job_id_fkey";

DROP FUNCTION "private"."branch_head"(public.agent_jobs);

DROP FUNCTION "private"."jobs_of_story"(uuid);

DROP FUNCTION "private"."unmerged_work"(uuid);

CREATE TABLE "public"."past_jobs" ("id" uuid NOT NULL, "product_id" uuid NOT NULL, "task_id" uuid NOT NULL, "kind" public.agent_job_kind NOT NULL, "status" public.agent_job_status NOT NULL, "sprint_run_id" uuid, "branch" text, "base_sha" text, "head_sha" text, "commits" integer, "pushed_at" timestamp with time zone, "merged_at" timestamp with time zone, "finished_at" timestamp with time zone NOT NULL, "created_at" timestamp with time zone NOT NULL, CONSTRAINT "past_jobs_base_sha_length" CHECK ((char_length(base_sha) <= 64)), CONSTRAINT "past_jobs_branch_length" CHECK ((char_length(branch) <= 200)), CONSTRAINT "past_jobs_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "past_jobs_pkey" PRIMARY KEY (id));

ALTER TABLE "public"."past_jobs" ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION operations.cleanup_agent_artifacts()
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_portion constant integer := 1000;
  v_found integer;
  v_ids uuid[];
  v_product_id uuid;
  v_deleted integer;
begin
  v_ids := array(
    select d.id from public.agent_jobs d
    where d.status in ('FAILED', 'CANCELLED') and d.finished_at < v_now - interval '7 days'
    order by d.product_id, d.id
    limit v_portion);
  v_found := cardinality(v_ids);
  for v_product_id in
    select distinct j.product_id from public.agent_jobs j where j.id = any (v_ids) order by 1
  loop
    perform private.lock_product(v_product_id);
  end loop;
  v_ids := array(select j.id from public.agent_jobs j where j.id = any (v_ids) and j.status in ('FAILED', 'CANCELLED'));
  perform private.keep_past(v_ids);
  delete from public.agent_jobs j where j.id = any (v_ids);
  get diagnostics v_deleted = row_count;
  return json_build_object('deleted', v_deleted, 'more', v_found = v_portion, 'ran_at', to_char(v_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_merged(p_job_id uuid, p_head_sha text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job private.works := private.lock_work(p_job_id);
begin
  if not private.is_token() then
    perform private.require_product_owner(v_job.product_id);
  elsif not exists (
    select from public.product_members m
    where m.product_id = v_job.product_id and m.user_id = auth.uid() and (m.role = 'OWNER' or m.workers_allowed)
  ) then
    perform private.refuse(403, 'Only workers that are allowed in this product can report what is on its main branch. Allow yours on the members page, or ask the owner.');
  elsif p_head_sha is null then
    perform private.refuse(422, 'head_sha names the commit that you found on the main branch.');
  end if;
  perform private.take_rate_limit('job_merged', p_job_id::text);
  if v_job.finished_at is null or (v_job.kind = 'TASK_IMPLEMENTATION' and v_job.status <> 'DONE') then
    perform private.refuse(409, 'The work of this job is not done, so it cannot have been merged.');
  end if;
  if p_head_sha is not null and p_head_sha is distinct from v_job.head_sha then
    perform private.refuse(409, format('The work of this job is at %s now. Report that commit once it is on the main branch.',
      coalesce(left(v_job.head_sha, 8), 'no commit')));
  end if;
  if v_job.merged_at is null then
    v_job.merged_at := private.now();
    perform private.set_merged(array[p_job_id], v_job.merged_at);
    perform private.audit(auth.uid(), auth.uid(), 'job.merged', jsonb_build_object('product_id', v_job.product_id, 'job_id', v_job.id,
      'code', (select t.code from public.tasks t where t.id = v_job.task_id), 'head_sha', v_job.head_sha, 'by_token', private.is_token()));
    if not private.is_token() then
      perform private.remember_change('job', v_job.id, v_job.product_id, private.code_of('job', v_job.id),
        '{"merged_at": null}', jsonb_build_object('merged_at', v_job.merged_at));
    end if;
  end if;
  return jsonb_build_object('job_id', v_job.id, 'merged_at', v_job.merged_at) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION private.awaited_heads(p_user_id uuid, p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_product public.products;
  v_work jsonb;
  v_heads jsonb := '[]';
begin
  for v_product in
    select p.*
    from public.product_members m
    join public.products p on p.id = m.product_id and p.archived_at is null and p.dependency_release = 'merged'
    where m.user_id = p_user_id and private.is_open_to_token(m.product_id)
      and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end
    order by p.id
  loop
    for v_work in
      select w
      from jsonb_array_elements(private.awaited_work(array(
        select a.task_id
        from public.sprint_runs r
        join public.agent_jobs j on j.sprint_run_id = r.id and j.status = 'QUEUED' and j.open_blockers > 0
        cross join lateral unnest(private.tasks_of_job(j)) as a (task_id)
        where r.product_id = v_product.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      ), 50)) w
      where w ->> 'head_sha' is not null
    loop
      v_heads := v_heads || (v_work || jsonb_build_object('product_repo_url', v_product.repo_url, 'repo_url', (
        select coalesce(nullif(t.repo_url, ''), v_product.repo_url) from private.works j join public.tasks t on t.id = j.task_id
        where j.id = (v_work ->> 'job_id')::uuid)));
    end loop;
  end loop;
  return nullif(v_heads, '[]');
end;
$function$;

CREATE OR REPLACE FUNCTION private.base_refs(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_waiting uuid[] := private.tasks_of_job(p_job);
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
    select coalesce(json_agg(jsonb_build_object('task_id', h.task_id, 'task_code', h.code, 'branch', h.branch, 'head_sha', h.head_sha)
      || case when h.merged then '{"merged": true}' else '{}' end::jsonb order by h.sort_order, h.code), '[]')
    from (
      select distinct on (j.branch) t.id as task_id, t.code, t.sort_order, j.branch, j.head_sha,
        p.dependency_release = 'merged' and j.merged_at is not null as merged
      from unnest(v_task_ids) k (id)
      join public.tasks t on t.id = k.id and t.status = 'DONE'
      join public.products p on p.id = t.product_id
      cross join lateral (
        select b.id, b.status, b.branch, b.head_sha, b.finished_at, b.merged_at
        from private.works a cross join lateral private.branch_head(a) b
        where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.finished_at is not null
        union all
        -- The head of a batch is that of its end, and until then, or without one, that of each of its tasks.
        select a.id, 'DONE', a.branch, case a.status when 'DONE' then a.head_sha else e.head_sha end,
          case a.status when 'DONE' then a.finished_at else e.finished_at end, a.merged_at
        from public.task_executions e
        join private.works a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION'
        where e.task_id = t.id and e.status = 'DONE'
      ) j
      -- Where the main branch is waited for, it has what is done without an own commit, or nobody knows.
      where (j.status = 'DONE' or j.status = 'SKIPPED' and p.dependency_release = 'done') and j.head_sha is not null and j.branch is not null and j.branch is distinct from p_job.branch
        and coalesce(nullif(t.repo_url, ''), p.repo_url) = v_repo_url
      order by j.branch, j.finished_at desc, j.id, t.sort_order, t.code
    ) h
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.code_of(p_kind text, p_id uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select case p_kind
    when 'task' then (select t.code from public.tasks t where t.id = p_id)
    when 'story' then (select s.code from public.stories s where s.id = p_id)
    when 'pbi' then (select b.code from public.pbis b where b.id = p_id)
    when 'job' then (select t.code from private.works j join public.tasks t on t.id = j.task_id where j.id = p_id)
  end;
$function$;

CREATE OR REPLACE FUNCTION private.earlier_jobs(p_job public.agent_jobs, p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(x.id order by x.created_at desc), '[]') from (
      select j.id, j.created_at from private.works j
      where j.task_id = p_job.task_id and p_job.kind = 'TASK_IMPLEMENTATION' and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED') and not exists (
          select from public.tasks t join public.fresh_starts f on f.story_id = t.story_id
          where t.id = j.task_id and f.created_at >= j.finished_at)
      union all
      select j.id, j.created_at from private.works j
      join public.sprint_runs r on r.id = j.sprint_run_id
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and r.sprint_id = p_sprint_id and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED') and not exists (
          select from public.stories s join public.fresh_starts f on f.story_id = s.id
          where s.sprint_id = p_sprint_id and f.created_at >= j.finished_at)
      union all
      select j.id, j.created_at from private.works j
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and p_sprint_id is null and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED')
        and j.sprint_run_id in (
          select o.sprint_run_id from public.task_executions e join public.task_executions o on o.task_id = e.task_id
          where e.sprint_run_id = p_job.sprint_run_id)
        and not exists (
          select from public.task_executions e
          join public.tasks t on t.id = e.task_id
          join public.fresh_starts f on f.story_id = t.story_id
          where e.sprint_run_id = p_job.sprint_run_id and f.created_at >= j.finished_at)
      order by created_at desc limit 3) x
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
    coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url, p.may_reach, p.done_requires, p.dependency_release, r.sprint_id,
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

CREATE OR REPLACE FUNCTION private.keep_past(p_job_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.past_jobs (id, product_id, task_id, kind, status, sprint_run_id, branch, base_sha, head_sha, commits, pushed_at,
    merged_at, finished_at, created_at)
  select w.id, w.product_id, w.task_id, w.kind, w.status, w.sprint_run_id, w.branch, w.base_sha, w.head_sha, w.commits, w.pushed_at,
    w.merged_at, w.finished_at, w.created_at
  from private.works w where w.id = any (p_job_ids);
  update public.job_comments c set job_id = null
  from public.agent_jobs j
  where c.job_id = any (p_job_ids) and c.review_id is not null and j.id = c.job_id and j.kind = 'TASK_IMPLEMENTATION';
  update public.job_reviews r set task_id = j.task_id, job_id = null
  from public.agent_jobs j
  where r.job_id = any (p_job_ids) and j.id = r.job_id and j.kind = 'TASK_IMPLEMENTATION';
  update public.files f set job_id = null, story_id = coalesce(f.story_id, e.story_id)
  from public.evidence e
  where f.job_id = any (p_job_ids) and f.id in (e.file_id, e.base_file_id);
  -- What ended a run is still told; the job that it names is gone.
  update public.sprint_runs r set failure = r.failure || '{"job_id": null}'
  from public.agent_jobs j
  where j.id = any (p_job_ids) and r.id = j.sprint_run_id and r.failure ->> 'job_id' = j.id::text;
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_merged(p_product_id uuid, p_branch text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_gate public.done_requires;
begin
  select p.done_requires into v_gate from public.products p where p.id = p_product_id;
  if v_gate = 'ci' then
    update public.agent_jobs j set status = 'DONE'
    where j.product_id = p_product_id and j.branch = p_branch and j.status = 'QUEUED' and j.phase = 'review';
  end if;
  if v_gate <> 'person' then
    update public.tasks t set status = 'DONE'
    where t.status = 'REVIEW' and t.id in (
      select j.task_id from public.agent_jobs j where j.product_id = p_product_id and j.branch = p_branch and j.status = 'DONE' and j.merged_at is null);
  end if;
  perform private.set_merged(array(
    select w.id from private.works w
    where w.product_id = p_product_id and w.branch = p_branch and w.merged_at is null and w.finished_at is not null
      and (w.status = 'DONE' or w.kind = 'SPRINT_IMPLEMENTATION')), private.now());
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_merged_requests(p_product_id uuid, p_pbi_id uuid, p_was_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.set_merged(array[j.id], case when x.pr_merged_at > j.finished_at then x.pr_merged_at end)
  from (
    select w.id, min(b.pr_merged_at) as pr_merged_at
    from public.pbis b
    join public.stories s on s.pbi_id = b.id
    join public.tasks t on t.story_id = s.id
    cross join lateral (
      select a.id from private.works a where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.status = 'DONE'
      union all
      select a.id from public.task_executions e
      join private.works a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION' and a.finished_at is not null
      where e.task_id = t.id and e.status = 'DONE'
    ) w
    where b.product_id = p_product_id and (p_pbi_id is null or b.id = p_pbi_id)
    group by w.id
  ) x
  join private.works j on j.id = x.id
  where (j.merged_at is null and x.pr_merged_at > j.finished_at
    or j.merged_at = p_was_at and (x.pr_merged_at > j.finished_at) is not true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_unmerged(p_change private.changes)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job private.works;
  v_begun text;
begin
  select w.* into v_job from private.works w where w.id = p_change.thing_id;
  if not found then
    return 'was deleted since';
  end if;
  perform private.require_product_owner(v_job.product_id);
  if v_job.merged_at is distinct from (p_change.after ->> 'merged_at')::timestamptz then
    return 'was changed since';
  end if;

  select string_agg(distinct private.code_of('job', a.id), ', ') into v_begun
  from public.agent_jobs a
  where a.product_id = v_job.product_id and a.claimed_at >= p_change.changed_at
    and private.tasks_of_job(a) && private.waiting_for(private.tasks_of_work(v_job.kind, v_job.task_id, v_job.sprint_run_id));
  if v_begun is not null then
    return format('unblocked work that an agent has started since (%s)', v_begun);
  end if;

  perform private.set_merged(array[v_job.id], null);
  perform private.audit(auth.uid(), auth.uid(), 'job.merge_taken_back', jsonb_build_object('product_id', v_job.product_id,
    'job_id', v_job.id, 'code', p_change.code, 'head_sha', v_job.head_sha));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_merged(p_job_ids uuid[], p_merged_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.agent_jobs j set merged_at = p_merged_at where j.id = any (p_job_ids);
  update public.past_jobs j set merged_at = p_merged_at where j.id = any (p_job_ids);
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
  if lower(v_part) = 'kept'
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
  v_base := 'backloom/' || v_part;

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
    where t.story_id = p_story_id and x.branch ~ ('^' || v_base || '(-[1-9][0-9]{0,5})?$')
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

CREATE OR REPLACE FUNCTION private.tasks_of_job(p_job public.agent_jobs)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.tasks_of_work(p_job.kind, p_job.task_id, p_job.sprint_run_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tasks_of_work(p_kind public.agent_job_kind, p_task_id uuid, p_sprint_run_id uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_kind = 'SPRINT_IMPLEMENTATION' then
    return array(select e.task_id from public.task_executions e where e.sprint_run_id = p_sprint_run_id);
  end if;
  return array_remove(array[p_task_id], null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__settle_merged()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if (select p.dependency_release from public.products p where p.id = old.product_id) = 'merged' then
    perform private.settle_waiting(nullif(private.waiting_for(private.tasks_of_work(old.kind, old.task_id, old.sprint_run_id)), '{}'));
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unlanded_work(p_story_ids uuid[], p_except_run_id uuid DEFAULT NULL::uuid)
 RETURNS TABLE(story_id uuid, story_code text, task_id uuid, task_code text, job_id uuid, judged boolean, branch text, base_sha text, head_sha text, commits integer, repo_url text, finished_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    with work as materialized (
      select s.id as story_id, s.code as story_code, t.id as task_id, t.code as task_code, w.*, coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url,
        w.merged_at is not null or coalesce(b.pr_merged_at >= w.finished_at, false) as landed
      from unnest(p_story_ids) k (id)
      join public.stories s on s.id = k.id
      join public.products p on p.id = s.product_id
      join public.pbis b on b.id = s.pbi_id
      cross join lateral (select x.id, x.code, x.repo_url from public.tasks x where x.story_id = s.id offset 0) t
      cross join lateral (
        select a.id as job_id, a.status = 'DONE' as judged, a.branch, a.base_sha, a.head_sha, a.commits, a.merged_at,
          coalesce(a.pushed_at, a.finished_at) as pushed_at, a.finished_at
        from private.works a
        where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.sprint_run_id is distinct from p_except_run_id
          and a.finished_at is not null and a.head_sha is distinct from a.base_sha and (a.status = 'DONE' or a.pushed_at is not null)
        union all
        select a.id, true, a.branch, null, case a.status when 'DONE' then a.head_sha else e.head_sha end, a.commits, a.merged_at,
          e.finished_at, a.finished_at
        from (
          select x.* from public.task_executions x
          where x.task_id = t.id and x.status = 'DONE' and x.sprint_run_id is distinct from p_except_run_id offset 0) e
        cross join lateral (
          select j.* from private.works j
          where j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.finished_at is not null offset 0) a
      ) w
      where w.head_sha is not null and w.branch is not null
    ), standing as (
      select w.*
      from work w
      where not w.landed
        and not exists (select from work l where l.landed and l.story_id = w.story_id and l.repo_url = w.repo_url and l.finished_at >= w.finished_at)
        and not exists (select from public.fresh_starts f where f.story_id = w.story_id and f.created_at >= w.finished_at)
    ), heads as (
      (select distinct on (h.story_id, h.repo_url, h.branch) h.* from standing h
        order by h.story_id, h.repo_url, h.branch, h.pushed_at desc, h.finished_at desc, h.task_code desc)
      union
      (select distinct on (h.story_id, h.repo_url, h.branch) h.* from standing h
        order by h.story_id, h.repo_url, h.branch, h.finished_at desc, h.pushed_at desc, h.task_code desc)
    )
    select h.story_id, h.story_code, h.task_id, h.task_code, h.job_id, h.judged, h.branch, h.base_sha, h.head_sha,
      h.commits, h.repo_url, h.finished_at
    from heads h;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unmerged_works(p_kind text, p_blocker_id uuid)
 RETURNS TABLE(job_id uuid, task_code text, branch text, head_sha text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_job private.works;
begin
  for v_task in
    select t.* from public.tasks t where p_kind = 'task' and t.id = p_blocker_id
    union all
    select t.* from public.tasks t where p_kind = 'story' and t.story_id = p_blocker_id
  loop
    v_job := private.unmerged_work(v_task.id);
    continue when v_job.id is null;
    return query select v_job.id, v_task.code, v_job.branch, v_job.head_sha;
  end loop;
end;
$function$;

ALTER TABLE "public"."past_jobs" ADD CONSTRAINT "past_jobs_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."past_jobs" ADD CONSTRAINT "past_jobs_sprint_run_id_fkey" FOREIGN KEY (sprint_run_id) REFERENCES public.sprint_runs(id) ON DELETE CASCADE;

ALTER TABLE "public"."past_jobs" ADD CONSTRAINT "past_jobs_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

CREATE VIEW "private"."works" WITH (security_invoker=true) AS  SELECT j.id,
    j.product_id,
    j.task_id,
    j.kind,
    j.status,
    j.sprint_run_id,
    j.branch,
    j.base_sha,
    j.head_sha,
        CASE
            WHEN ((j.evidence ->> 'commits'::text) ~ '^\d{1,6}$'::text) THEN ((j.evidence ->> 'commits'::text))::integer
            ELSE NULL::integer
        END AS commits,
    j.pushed_at,
    j.merged_at,
    j.finished_at,
    j.created_at
   FROM public.agent_jobs j
  WHERE (j.kind <> 'PLAN_CHAT'::public.agent_job_kind)
UNION ALL
 SELECT p.id,
    p.product_id,
    p.task_id,
    p.kind,
    p.status,
    p.sprint_run_id,
    p.branch,
    p.base_sha,
    p.head_sha,
    p.commits,
    p.pushed_at,
    p.merged_at,
    p.finished_at,
    p.created_at
   FROM public.past_jobs p;

CREATE OR REPLACE FUNCTION private.branch_head(p_job private.works)
 RETURNS private.works
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_job private.works;
begin
  if p_job.status in ('DONE', 'SKIPPED') and p_job.head_sha is not null then
    return p_job;
  end if;
  select j.* into v_job from private.works j
  where j.sprint_run_id = p_job.sprint_run_id and j.branch = p_job.branch and j.status in ('DONE', 'SKIPPED')
    and j.head_sha is not null and j.finished_at <= p_job.finished_at
  order by j.finished_at desc, j.id limit 1;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.jobs_of_story(p_story_id uuid)
 RETURNS SETOF private.works
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select j.* from public.tasks t join private.works j on j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION'
    where t.story_id = p_story_id
    union all
    select j.* from (
      select distinct e.sprint_run_id from public.tasks t join public.task_executions e on e.task_id = t.id
      where t.story_id = p_story_id
    ) r
    join private.works j on j.sprint_run_id = r.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION';
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_work(p_job_id uuid)
 RETURNS private.works
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_work private.works;
begin
  select w.* into v_work from private.works w where w.id = p_job_id;
  if not found then
    perform private.refuse(404, 'No such agent job.');
  end if;
  perform private.require_product_access(v_work.product_id);
  perform private.lock_product(v_work.product_id);
  perform private.require_product_write(v_work.product_id);
  select w.* into v_work from private.works w where w.id = p_job_id;
  return v_work;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unmerged_work(p_task_id uuid)
 RETURNS private.works
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_job private.works;
  v_batch private.works;
begin
  select j.* into v_job from private.works j
  where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  select j.* into v_batch
  from public.task_executions e
  join private.works j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION'
  where e.task_id = p_task_id and e.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  if v_job.id is null or v_batch.created_at > v_job.created_at then
    v_job := v_batch;
  end if;
  if v_job.merged_at is not null
    or (v_job.status in ('DONE', 'SKIPPED') and (v_job.head_sha is null or v_job.head_sha = v_job.base_sha)) then
    return null;
  end if;
  return v_job;
end;
$function$;

CREATE INDEX past_jobs_product_id_idx ON public.past_jobs USING btree (product_id);

CREATE INDEX past_jobs_sprint_run_id_idx ON public.past_jobs USING btree (sprint_run_id);

CREATE INDEX past_jobs_task_id_idx ON public.past_jobs USING btree (task_id);

CREATE TRIGGER _592_settle_merged AFTER UPDATE OF merged_at ON public.past_jobs FOR EACH ROW WHEN ((new.merged_at IS DISTINCT FROM old.merged_at)) EXECUTE FUNCTION private.tg_agent_jobs__settle_merged();

CREATE POLICY "past_jobs_select" ON "public"."past_jobs" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

COMMENT ON FUNCTION "private"."branch_head"(private.works) IS 'The job with the head that the work of a finished job ends at.';

COMMENT ON FUNCTION "private"."jobs_of_story"(uuid) IS 'The jobs that implemented tasks of a story, batches included.';

COMMENT ON FUNCTION "private"."keep_past"(uuid[]) IS 'Keeps what is still read of jobs that are about to be deleted.';

COMMENT ON FUNCTION "private"."lock_work"(uuid) IS 'The work of a job under the product lock, for a change.';

COMMENT ON FUNCTION "private"."set_merged"(uuid[], timestamp with time zone) IS 'Work has reached the main branch, or not after all (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."tasks_of_work"(public.agent_job_kind, uuid, uuid) IS 'The tasks of a job, by what is known of it.';

COMMENT ON FUNCTION "private"."unmerged_work"(uuid) IS 'The job of a done task whose work is not known to be on the main branch, or null.';

COMMENT ON TABLE "public"."past_jobs" IS 'What stays of the work of deleted agent jobs (docs/worker.md, Where a run starts).';

COMMENT ON VIEW "private"."works" IS 'The work of all jobs, deleted ones included (docs/worker.md).';

REVOKE ALL ON FUNCTION "private"."branch_head"(private.works) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."branch_head"(private.works) TO "postgres";

REVOKE ALL ON FUNCTION "private"."jobs_of_story"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."jobs_of_story"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."keep_past"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_past"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_work"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lock_work"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."set_merged"(uuid[], timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_merged"(uuid[], timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tasks_of_work"(public.agent_job_kind, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tasks_of_work"(public.agent_job_kind, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."unmerged_work"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unmerged_work"(uuid) TO "authenticated", "postgres";

GRANT SELECT ON TABLE "public"."past_jobs" TO "authenticated";

GRANT ALL ON TABLE "public"."past_jobs" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."past_jobs" TO "service_role";

GRANT SELECT ON TABLE "private"."works" TO "authenticated";

GRANT ALL ON TABLE "private"."works" TO "postgres";
