-- The work of failed or cancelled jobs may still be kept: jobs of the same task, or for a batch of the same sprint, or
-- without a sprint of the same tasks. Nothing from before a person started the story over (specification: Agent job).
create function private.earlier_jobs(p_job public.agent_jobs, p_sprint_id uuid)
returns json language plpgsql stable set search_path = '' as $$
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
$$;

-- Any member can set the repository of a task, and anyone who can write there runs programs on the worker's machine. So
-- it counts only if the worker's user has listed it, in full or by a prefix that ends in "/". A server may read `..` as
-- a step out of the listed folder. Null is a worker that accepts any repository (specification: Agent job; claiming).
create function private.is_allowed_repo(p_address text, p_named jsonb)
returns boolean language plpgsql immutable set search_path = '' as $$
begin
  return p_named is null or p_named ? p_address or exists (
    select from jsonb_array_elements_text(p_named) n
    where n like '%/' and starts_with(p_address, n) and p_address !~* '(^|[/:\\])\.{1,2}([/\\]|$)|%2e|%2f|%5c');
end;
$$;

-- A run keeps the names of its branches when the product's prefix changes, and what its jobs keep stays next to them.
create function private.branch_prefix_of(p_branch text, p_product public.products)
returns text language plpgsql immutable set search_path = '' as $$
declare
  v_folder text;
  v_end text;
begin
  if p_branch is null or starts_with(p_branch, p_product.branch_prefix || '/') then
    return p_product.branch_prefix;
  end if;
  v_folder := regexp_replace(p_branch, '/[^/]*$', '');
  v_end := '/' || private.branch_part(p_product.code, p_product.id);
  return case when right(v_folder, length(v_end)) = v_end then left(v_folder, -length(v_end)) else v_folder end;
end;
$$;

-- A claim carries everything the work needs, so that a worker makes no further calls: task, story, product, repository,
-- branch, run, plan, criteria, verification, answers to earlier questions, why the last attempt failed (including one
-- of an earlier run), and earlier jobs whose work may still be kept. A verifier forms its own view, so it does not get
-- what the authors said. One query for what every job has and for what else exists: most work is done once, and has no
-- past, reviews, conflicts or blockers to read (specification: Agent job; Product; Story; Task).
create function private.job_payload(p_job public.agent_jobs)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_is_task boolean := p_job.kind = 'TASK_IMPLEMENTATION';
  v_lacks_plan boolean := coalesce(p_job.plan_snapshot, '') !~ '\S';
  v_questions json := '[]';
  v_idea json;
  v_user_questions json;
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
    coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url, coalesce(p_job.fallback_agent, t.agent, s.agent, p.agent) as agent, private.branch_prefix_of(p_job.branch, p) as branch_prefix, p.may_reach, p."references", p.done_requires, p.dependency_release, p.change_index, r.sprint_id,
    coalesce(r.plan_first, false) as plans_first, coalesce(r.plan_review, 'none') as plan_review,
    not v_is_task or concat(s.acceptance_criteria, p.definition_of_done) ~ '\S' as has_criteria,
    p_job.phase <> 'verify' and (p_job.attempt > 1 or p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from private.works j where j.task_id = p_job.task_id and j.id <> p_job.id)) as has_past,
    p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from public.task_dependencies d where d.blocked_id = t.id)
      or exists (select from public.story_dependencies d where d.blocked_id = t.story_id) as has_blockers,
    exists (select from public.job_reviews w where w.product_id = p_job.product_id) as has_reviews,
    exists (select from public.job_conflicts c where c.job_id = p_job.id) as has_conflicts,
    exists (select from public.sprint_runs o where o.product_id = r.product_id and o.id <> r.id) as has_other_runs,
    p_job.phase <> 'verify'
      and exists (select from public.agent_messages m where m.job_id = p_job.id and m.state in ('sent', 'seen')) as has_messages
  into v
  from public.products p
  left join public.sprint_runs r on r.id = p_job.sprint_run_id
  left join public.sprints n on n.id = r.sprint_id
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.pbis b on b.id = s.pbi_id
  where p.id = p_job.product_id;

  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    v_lacks_plan := exists (
      select from public.task_executions e
      where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and coalesce(e.plan_snapshot, '') !~ '\S');
  elsif p_job.kind = 'PLAN_CHAT' then
    select json_build_object('id', i.id, 'code', i.code, 'title', i.title, 'description', i.description, 'status', lower(i.status::text))
    into v_idea from public.ideas i where i.id = p_job.idea_id;
    select coalesce(json_agg(json_build_object('id', u.id, 'question', u.question, 'answer', u.answer,
      'status', lower(u.status::text), 'asked_for_this_job', u.job_id = p_job.id, 'created_at', u.created_at)
      order by u.created_at, u.id), '[]')
    into v_user_questions from public.user_questions u where u.idea_id = p_job.idea_id;
  end if;
  if v.has_past then
    -- Not the permissions that someone else gave for their own machine.
    select coalesce(json_agg(private.question_json(q) order by q.created_at, q.id), '[]')
    into v_questions from public.agent_questions q where q.job_id = p_job.id and (q.reader_id is null or q.reader_id = auth.uid());
  end if;

  return private.with_key(private.with_key(json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'phase', p_job.phase,
    'plan_first', (v.plans_first or v.plan_review = 'person') and p_job.phase = 'implement' and v_lacks_plan,
    -- The next attempt at a task learns why the last one failed, even in an earlier run (specification: Agent job).
    'previous_failure', case when v.has_past then coalesce(p_job.failure_reason, (
      select j.failure_reason from public.agent_jobs j
      where p_job.kind = 'TASK_IMPLEMENTATION' and j.task_id = p_job.task_id and j.status = 'FAILED' and j.id <> p_job.id
      order by j.finished_at desc limit 1)) end,
    'earlier_jobs', case when v.has_past then private.earlier_jobs(p_job, v.sprint_id) else '[]' end,
    'earlier_attempts', case when v.has_past then private.earlier_attempts(p_job) else '[]' end,
    'findings', case when v.has_past then private.findings(p_job) else '[]' end,
    'questions', v_questions,
    'review', case when v.has_reviews then private.review_payload(p_job) else '[]' end,
    'conflicts', case when v.has_conflicts then private.conflict_payload(p_job) else '[]' end,
    'agent', v.agent,
    'attempt_agent', p_job.agent,
    'model', p_job.model,
    'effort', p_job.effort,
    'lease_until', p_job.lease_until,
    'heartbeat_seconds', 60,
    'position', p_job.position,
    'user_id', auth.uid(),
    'task_id', p_job.task_id,
    'idea_id', p_job.idea_id,
    'sprint_run_id', p_job.sprint_run_id,
    'plan_review', v.plan_review,
    'plan_snapshot', p_job.plan_snapshot,
    'plan', p_job.plan_snapshot,
    'product', v.product,
    'repo_url', v.repo_url,
    'may_reach', v.may_reach,
    'references', v."references",
    'done_requires', v.done_requires,
    'criteria', case when v.has_criteria then private.criteria_payload(p_job) else '[]' end,
    'branch', p_job.branch,
    'branch_prefix', v.branch_prefix,
    'change_index', v.change_index,
    'base_sha', p_job.base_sha,
    'base_refs', case when v.has_blockers then private.base_refs(p_job) else '[]' end,
    'begins_from', case when v.has_other_runs then private.begins_from(p_job) else '[]' end,
    'awaited_heads', case when v.dependency_release = 'merged' then private.awaited_heads(auth.uid(), p_job.product_id) end,
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', v.run,
    'task', v.task,
    'story', v.story,
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job) end,
    'idea', v_idea,
    'user_questions', v_user_questions
  ), 'messages', case when v.has_messages then private.messages_json(array(
    select m.id from public.agent_messages m where m.job_id = p_job.id and m.state in ('sent', 'seen'))) end), 'lessons', private.accepted_lessons(p_job.product_id));
end;
$$;

-- All tasks of a batch, each with its frozen plan and why it failed before (specification: Sprint run, executions).
create function private.batch_executions(p_job public.agent_jobs)
returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object('id', e.id, 'position', e.position, 'status', lower(e.status::text),
      'task_id', t.id, 'task_code', t.code, 'title', t.title, 'description', t.description,
      'plan', e.plan_snapshot, 'verify_required', e.verify_required, 'verify_only', t.verify_only,
      'requires_opus', t.requires_opus, 'agent', coalesce(p_job.fallback_agent, t.agent, s.agent, p.agent),
      'model', case when p_job.fallback_agent is null then coalesce(t.model, s.model, p.model) end,
      'effort', coalesce(t.effort, s.effort, p.effort), 'story_id', s.id, 'story_code', s.code, 'story_title', s.title,
      'story_description', s.description, 'acceptance_criteria', s.acceptance_criteria, 'verify_result', e.verify_result,
      'previous_failure', (
        select f.failure_reason from public.task_executions f
        where f.task_id = e.task_id and f.status = 'FAILED' order by f.finished_at desc nulls last limit 1)) order by e.position), '[]')
    from public.task_executions e
    join public.tasks t on t.id = e.task_id
    join public.stories s on s.id = t.story_id
    join public.products p on p.id = p_job.product_id
    where e.sprint_run_id = p_job.sprint_run_id);
end;
$$;

-- The next attempt at a task, even in another run, learns who tried it before, how each attempt ended, and where
-- its work and session are kept. Newest first (specification: Agent job; attempts).
create function private.earlier_attempts(p_job public.agent_jobs)
returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object('job_id', x.job_id, 'attempt', x.attempt, 'outcome', x.outcome,
      'worker_id', x.worker_id, 'worker_name', x.worker_name, 'agent', x.agent, 'session_id', x.session_id, 'kept_ref', x.kept_ref,
      'head_sha', x.head_sha, 'ended_at', x.ended_at) order by x.started_at desc), '[]')
    from (
      select a.*
      from public.agent_jobs j
      join public.job_attempts a on a.job_id = j.id
      where (j.id = p_job.id or (p_job.task_id is not null and j.task_id = p_job.task_id)) and a.ended_at is not null
      order by a.started_at desc
      limit 10
    ) x
  );
end;
$$;
