-- Why: pages and agents see all blockers before a start. The start checks the same again.
-- Definer: reads for a member what RLS would read row by row; access is checked first.
create function operations.preflight_sprint_run(p_sprint_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_sprint public.sprints;
  v_product public.products;
  v_blockers jsonb;
  v_task_ids uuid[] := private.sprint_task_ids(p_sprint_id);
  v_tasks integer := cardinality(v_task_ids);
begin
  perform private.require_access('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_sprint.product_id;
  v_blockers := private.run_blockers(v_sprint, v_product, v_task_ids,
    array(select s.id from public.stories s where s.sprint_id = p_sprint_id), private.plans_first(v_product, null), false);
  return json_build_object(
    'sprint_id', p_sprint_id,
    'sprint_code', v_sprint.code,
    'pr_strategy', v_product.pr_strategy,
    'plan_first', v_product.plan_first,
    'ready', v_blockers = '[]',
    'tasks_total', v_tasks,
    'jobs_total', case when v_product.pr_strategy = 'SPRINT_BATCH' then least(1, v_tasks) else v_tasks end,
    'stories_without_tasks', (
      select count(*) from public.stories s
      where s.sprint_id = p_sprint_id and s.status <> 'DONE' and not exists (select from public.tasks t where t.story_id = s.id)),
    'blockers', v_blockers,
    'begins_from', private.run_begins_from(p_sprint_id, v_product.pr_strategy),
    'warnings', private.budget_warnings(v_sprint));
end;
$$;

comment on function operations.preflight_sprint_run is
  'What would prevent the start of a run (specification: Starting a sprint run 1).';
grant execute on function operations.preflight_sprint_run to authenticated;
