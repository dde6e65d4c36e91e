-- Why: pre-flight and start in one transaction under the product lock, so that nothing can come between them; of fifty
-- starts at once one wins (specification: Starting a sprint run). With p_stop_at the run has a budget of that amount and unit. Refusals: 404, 403, 429, 409 with `blockers` in the detail.
-- Definer: runs and jobs are written by functions only.
create function operations.start_sprint_run(p_sprint_id uuid, p_stop_at jsonb default null)
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
  v_blockers jsonb;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_product_id;

  v_blockers := private.run_blockers(v_sprint, v_product);
  if v_blockers <> '[]' then
    perform private.refuse(409, private.blockers_sentence(v_blockers), jsonb_build_object('blockers', v_blockers));
  end if;

  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, null);
  if p_stop_at is not null then
    perform private.require_person();
    perform private.put_budget(v_product_id, 'run', null, v_run.id, p_stop_at ->> 'unit', (p_stop_at ->> 'amount')::numeric);
  end if;
  return private.run_json(v_run, false);
end;
$$;

comment on function operations.start_sprint_run is
  'Starts a run of an active sprint, or PT409 with all blockers (specification: Starting a sprint run).';
grant execute on function operations.start_sprint_run to authenticated;
