-- Why: gives a task, a story or several tasks to agents without a sprint, with the same jobs, budgets and proof. The
-- tasks are of one product; p_story_id stands for all tasks of a story that are neither done nor in review. Each story
-- has a branch that its next run continues. Failed tasks are retried. p_stop_at works as for a sprint; the other
-- options are remedies for blockers (private.settle_scope). Refusals: 404, 403, 422, 429, 409 with `blockers` in the
-- detail. Definer: runs and jobs are written by functions only.
create function operations.start_run(
  p_task_ids jsonb default null, p_story_id uuid default null, p_strategy text default null, p_plan_first boolean default null,
  p_use_description boolean default false, p_leave_out boolean default false, p_stop_at jsonb default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_task_ids uuid[];
  v_product_id uuid;
  v_product public.products;
  v_scope record;
  v_run public.sprint_runs;
begin
  if p_story_id is not null then
    v_product_id := private.require_write('story', p_story_id);
  end if;
  if (p_story_id is null) = (p_task_ids is null) then
    perform private.refuse(422, 'Name task_ids or story_id, one of them.');
  end if;
  if p_story_id is null then
    v_task_ids := private.task_ids_of(p_task_ids);
    v_product_id := private.require_write('task', v_task_ids[1]);
    perform private.require_one_product(v_task_ids, v_product_id);
  else
    v_task_ids := private.tasks_to_start(array(select t.id from public.tasks t where t.story_id = p_story_id));
  end if;
  perform private.refuse_triage(array(
    select distinct t.story_id from public.tasks t where t.id = any (v_task_ids)
    union select p_story_id where p_story_id is not null));
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select p.* into v_product from public.products p where p.id = v_product_id;
  v_product.pr_strategy := coalesce(private.require_choice('strategy', p_strategy, array['SPRINT', 'STORY', 'SPRINT_BATCH']), 'STORY');

  -- Stories and PBIs follow their tasks out of failed; what is refused below takes this back. Taken back alone, it would fail the run.
  perform set_config('backloom.undoing', 'yes', true);
  update public.tasks t set status = 'TO_DO'
  where t.id = any (v_task_ids) and t.status = 'FAILED'
    and t.id not in (select h.task_id from private.held_by_runs(v_product_id, false) h);
  perform set_config('backloom.undoing', '', true);

  select * into v_scope from private.settle_scope(null, v_product, v_task_ids, p_plan_first, p_use_description, p_leave_out);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(null, v_product, null, v_scope.task_ids, v_scope.plan_first);
  perform private.stop_run_at(v_run, p_stop_at);
  return json_build_object('run', private.run_json(v_run, false), 'left_out', v_scope.left_out);
end;
$$;

comment on function operations.start_run is
  'Starts a run of its own over chosen tasks, or PT409 with all blockers (docs/users.md).';
grant execute on function operations.start_run to authenticated;

-- Why: removes duplicate tasks.
create function private.task_ids_of(p_task_ids jsonb)
returns uuid[]
language plpgsql
stable
set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  if jsonb_typeof(p_task_ids) <> 'array' or jsonb_array_length(p_task_ids) not between 1 and 500 then
    perform private.refuse(422, 'task_ids takes 1 to 500 tasks.');
  end if;
  v_ids := array(select distinct x::uuid from jsonb_array_elements_text(p_task_ids) x);
  return v_ids;
end;
$$;

comment on function private.task_ids_of is 'The tasks of a list, each once.';

-- Why: a run belongs to one product: one lock, one repository, one set of rules. A task the caller cannot access is
-- refused as such first.
create function private.require_one_product(p_task_ids uuid[], p_product_id uuid)
returns void
language plpgsql
stable
set search_path = ''
as $$
declare
  v_task_id uuid;
begin
  foreach v_task_id in array p_task_ids loop
    if private.product_of('task', v_task_id) <> p_product_id then
      perform private.require_access('task', v_task_id);
      perform private.refuse(422, 'The tasks of a run are of one product.',
        '{"issues":[{"path":"task_ids","message":"Choose tasks of one product."}]}');
    end if;
  end loop;
end;
$$;

comment on function private.require_one_product is 'PT422 for tasks of several products, PT404 and PT403 before that.';

-- Why: no agent works on suggested stories before a person has accepted them.
create function private.refuse_triage(p_story_ids uuid[])
returns void
language plpgsql
stable
set search_path = ''
as $$
declare
  v_story public.stories;
begin
  select s.* into v_story from public.stories s where s.id = any (p_story_ids) and s.in_triage order by s.sort_order limit 1;
  if v_story.is_template then
    perform private.refuse(409, format('%s is a template. Give the stories it makes to agents.', v_story.code));
  end if;
  if found then
    perform private.refuse(409, format('%s is in triage. Accept it before you give it to agents.', v_story.code));
  end if;
end;
$$;

comment on function private.refuse_triage is 'PT409 for stories that nobody has accepted yet.';
