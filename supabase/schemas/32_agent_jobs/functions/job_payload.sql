-- Why: a claim carries everything that the work needs, so that a worker asks nothing more: task, story, product, repository,
-- branch, run, plan, criteria, verification, the answers to what an earlier attempt asked, why the last one failed (also one
-- of an earlier run), and the earlier jobs whose work may still be kept somewhere. A verifier forms its own view, so it does not get
-- the words of those who did the work.
-- Row by row and without a query in the answer: most work is done once and has no past, and what is not asked for costs nothing.
create function private.job_payload(p_job public.agent_jobs)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_is_task boolean := p_job.kind = 'TASK_IMPLEMENTATION';
  v_is_verified boolean := p_job.phase = 'verify';
  v_has_past boolean := not v_is_verified and private.has_past(p_job);
  v_product public.products;
  v_run public.sprint_runs;
  v_sprint public.sprints;
  v_task public.tasks;
  v_story public.stories;
  v_pbi public.pbis;
begin
  select p.* into v_product from public.products p where p.id = p_job.product_id;
  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  select s.* into v_sprint from public.sprints s where s.id = v_run.sprint_id;
  select t.* into v_task from public.tasks t where t.id = p_job.task_id;
  if v_is_task then
    select s.* into v_story from public.stories s where s.id = v_task.story_id;
    select b.* into v_pbi from public.pbis b where b.id = v_story.pbi_id;
  end if;

  return json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'phase', p_job.phase,
    'previous_failure', case when v_has_past then private.previous_failure(p_job) end,
    'earlier_jobs', case when v_has_past then private.earlier_jobs(p_job, v_run.sprint_id) else '[]' end,
    'earlier_attempts', case when v_has_past then private.earlier_attempts(p_job) else '[]' end,
    'findings', case when v_has_past then private.findings(p_job) else '[]' end,
    'review', private.review_payload(p_job),
    'lease_until', p_job.lease_until,
    'heartbeat_seconds', 60,
    'position', p_job.position,
    'task_id', p_job.task_id,
    'idea_id', p_job.idea_id,
    'sprint_run_id', p_job.sprint_run_id,
    'plan_snapshot', p_job.plan_snapshot,
    'plan', p_job.plan_snapshot,
    'product', json_build_object('id', v_product.id, 'code', v_product.code, 'name', v_product.name,
      'description', v_product.description, 'repo_url', v_product.repo_url,
      'definition_of_done', v_product.definition_of_done, 'auto_pr', v_product.auto_pr, 'pr_strategy', v_product.pr_strategy),
    'repo_url', coalesce(nullif(v_task.repo_url, ''), v_product.repo_url),
    'done_requires', v_product.done_requires,
    'criteria', case when not v_is_task or concat(v_story.acceptance_criteria, v_product.definition_of_done) ~ '\S'
      then private.criteria_payload(p_job) else '[]' end,
    'branch', p_job.branch,
    'base_sha', p_job.base_sha,
    'base_refs', private.base_refs(p_job),
    'awaited_heads', case when v_product.dependency_release = 'merged' then private.awaited_heads(auth.uid(), v_product.id) end,
    'conflicts', private.conflict_payload(p_job),
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', case when v_run.id is not null then json_build_object('id', v_run.id, 'status', lower(v_run.status::text),
      'branch', v_run.branch, 'pr_strategy', v_run.pr_strategy, 'previous_run_id', v_run.previous_run_id,
      'sprint_id', v_sprint.id, 'sprint_code', v_sprint.code, 'sprint_goal', v_sprint.sprint_goal) end,
    'task', case when v_is_task then json_build_object('id', v_task.id, 'code', v_task.code,
      'title', v_task.title, 'description', v_task.description, 'status', private.task_status_word(v_task.status),
      'verify_only', v_task.verify_only, 'verify_required', v_task.verify_required,
      'requires_opus', v_task.requires_opus, 'estimated_minutes', v_task.estimated_minutes) end,
    'story', case when v_is_task then json_build_object('id', v_story.id, 'code', v_story.code, 'title', v_story.title,
      'description', v_story.description, 'acceptance_criteria', v_story.acceptance_criteria,
      'pbi_id', v_pbi.id, 'pbi_code', v_pbi.code, 'pbi_title', v_pbi.title) end,
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job.sprint_run_id) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then private.idea_payload(p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then private.chat_questions(p_job) end,
    'questions', case when v_is_verified then '[]' else private.job_questions(p_job.id) end
  );
end;
$$;

comment on function private.job_payload is
  'Everything that a worker needs for a job (specification: Agent job; Product; Story; Task).';
