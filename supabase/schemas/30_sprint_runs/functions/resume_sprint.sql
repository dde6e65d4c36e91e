-- Why: resumes a failed sprint: failed tasks return to todo, and their stories and PBIs follow; the sprint is active
-- again, and a new run starts on the failed run's branch, all in one transaction with the pre-flight (specification:
-- Task, failed, resume-sprint). The new run begins as the failed one did, unless the caller says otherwise: its agents
-- plan first, and what was blocked stays out. With p_skip_failed it also leaves out failed tasks and what they block. If
-- people have finished everything by hand there is nothing to run: the sprint becomes active, so that it can be
-- completed, and the answer is null. Refusals: 404, 403, 429, 409 (not failed, another active sprint, blockers).
-- Definer: runs and jobs are written by functions only.
create function operations.resume_sprint(
  p_sprint_id uuid, p_skip_failed boolean default false, p_plan_first boolean default null, p_use_description boolean default false,
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
  v_previous public.sprint_runs;
  v_other text;
  v_failed uuid[];
  v_task_ids uuid[];
  v_scope record;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  if v_sprint.status <> 'FAILED' then
    perform private.refuse(409, format('Only a failed sprint can be resumed; %s is %s.', v_sprint.code, lower(v_sprint.status::text)));
  end if;
  select s.code into v_other from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE';
  if found then
    perform private.refuse(409, format('Sprint %s is active. Complete it first: a product can have only one active sprint.', v_other));
  end if;

  v_failed := array(
    select t.id from public.tasks t join public.stories s on s.id = t.story_id
    where p_skip_failed and s.sprint_id = p_sprint_id and t.status = 'FAILED');
  -- Stories and PBIs follow their tasks out of failed. Taken back alone, that would fail the run that starts here.
  perform set_config('backloom.undoing', 'yes', true);
  update public.tasks t set status = 'TO_DO'
  from public.stories s
  where s.id = t.story_id and s.sprint_id = p_sprint_id and t.status = 'FAILED';
  update public.sprints s set status = 'ACTIVE' where s.id = p_sprint_id returning * into v_sprint;
  perform set_config('backloom.undoing', '', true);

  v_task_ids := array(select i from unnest(private.sprint_task_ids(p_sprint_id)) i where i <> all (v_failed));
  if v_task_ids = '{}' then
    return null;
  end if;

  select r.* into v_previous from public.sprint_runs r
  where r.sprint_id = p_sprint_id and r.status = 'FAILED' order by r.created_at desc, r.id desc limit 1;
  select p.* into v_product from public.products p where p.id = v_product_id;
  select * into v_scope from private.settle_scope(v_sprint, v_product, v_task_ids, coalesce(p_plan_first, nullif(v_previous.plan_first, false)),
    p_use_description, p_skip_failed or p_leave_out or exists (
      select from unnest(v_task_ids) i where i not in (select x.task_id from private.run_tasks(v_previous.id) x)));
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, v_previous, v_scope.task_ids, v_scope.plan_first);
  return private.run_json(v_run, false) || jsonb_build_object('left_out', v_scope.left_out);
end;
$$;

comment on function operations.resume_sprint is
  'FAILED sprint to ACTIVE with a new run, or null when nothing is left to run (specification: States and transitions, Task and Sprint).';
grant execute on function operations.resume_sprint to authenticated;
