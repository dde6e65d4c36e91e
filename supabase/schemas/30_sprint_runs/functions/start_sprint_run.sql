-- Why: pre-flight and start in one transaction under the product lock, so that nothing comes between them; of fifty
-- concurrent starts one wins (specification: Starting a sprint run). p_stop_at gives the run a budget of that amount
-- and unit; the other options are remedies for blockers (private.settle_scope). Refusals: 404, 403, 429, 409 with
-- `blockers` in the detail.
-- Definer: runs and jobs are written by functions only.
create function operations.start_sprint_run(
  p_sprint_id uuid, p_stop_at jsonb default null, p_plan_first boolean default null, p_use_description boolean default false,
  p_leave_out boolean default false)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_scope record;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_product_id;

  select * into v_scope from private.settle_scope(v_sprint, v_product, private.sprint_task_ids(p_sprint_id), p_plan_first, p_use_description,
    p_leave_out);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, null, v_scope.task_ids, v_scope.plan_first);
  perform private.stop_run_at(v_run, p_stop_at);
  return private.run_json(v_run, false) || case when p_leave_out then jsonb_build_object('left_out', v_scope.left_out) else '{}' end;
end;
$$;

comment on function operations.start_sprint_run is
  'Starts a run of an active sprint, or PT409 with all blockers (specification: Starting a sprint run).';
grant execute on function operations.start_sprint_run to authenticated;
