-- Why: before a run is created, the remedies the caller chose are applied, and the remaining blockers are reported all
-- at once. Tasks without a plan are planned by their agent (p_plan_first, or the product's setting), or use their
-- description as plan. With p_leave_out the run starts with what is ready, and says why the rest is left out. PT409
-- with `blockers` when nothing is left, or when a blocker affects all tasks. Called under the product lock.
create function private.settle_scope(
  p_sprint public.sprints, p_product public.products, inout task_ids uuid[], p_plan_first boolean, p_use_description boolean,
  p_leave_out boolean, out plan_first boolean, out left_out jsonb)
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_task_ids uuid[] := task_ids;
  v_story_ids uuid[] := case when p_sprint.id is null then private.stories_of_tasks(task_ids)
    else array(select s.id from public.stories s where s.sprint_id = p_sprint.id) end;
  v_plan_first boolean := private.plans_first(p_product, p_plan_first);
  v_all jsonb;
  v_blockers jsonb;
  v_next jsonb;
  v_left_out jsonb := '[]';
begin
  loop
    v_blockers := private.run_blockers(p_sprint, p_product, v_task_ids, v_story_ids, v_plan_first, coalesce(p_use_description, false));
    exit when v_blockers = '[]';
    v_all := coalesce(v_all, v_blockers);
    v_next := case when p_leave_out then private.kept_back(v_blockers, v_task_ids) else '[]' end;
    if v_next = '[]' then
      perform private.refuse(409, private.blockers_sentence(v_blockers), jsonb_build_object('blockers', v_blockers));
    end if;
    v_left_out := v_left_out || v_next;
    v_task_ids := array(
      select i from unnest(v_task_ids) i
      where i not in (select (x ->> 'task_id')::uuid from jsonb_array_elements(v_next) x));
    if v_task_ids = '{}' then
      perform private.refuse(409, private.blockers_sentence(v_all), jsonb_build_object('blockers', v_all));
    end if;
    v_story_ids := private.stories_of_tasks(v_task_ids);
  end loop;

  if p_use_description then
    update public.tasks t
    set implementation_plan = t.description
    where t.id = any (v_task_ids) and coalesce(t.implementation_plan, '') !~ '\S' and t.description ~ '\S';
  end if;
  task_ids := v_task_ids;
  plan_first := v_plan_first;
  left_out := v_left_out;
end;
$$;

comment on function private.settle_scope is 'What a run works on once its blockers are cured or left out (specification: Starting a sprint run 1).';

-- Why: a blocker keeps out its task, or all tasks of its story or PBI. Each task gets the first of its reasons, in run
-- order.
create function private.kept_back(p_blockers jsonb, p_task_ids uuid[])
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('task_id', k.task_id, 'task_code', k.task_code, 'type', k.type, 'reason', k.message)
      order by k.place), '[]')
    from (
      select distinct on (sc.place) sc.place, sc.task_id, sc.task_code, b.value ->> 'type' as type, b.value ->> 'message' as message
      from jsonb_array_elements(p_blockers) with ordinality b
      join private.tasks_in_order(p_task_ids) sc on case
        when (b.value ->> 'task_id')::uuid = any (p_task_ids) then sc.task_id = (b.value ->> 'task_id')::uuid
        when b.value ->> 'pbi_code' is not null then sc.pbi_id = (b.value ->> 'pbi_id')::uuid
        else sc.story_id = (b.value ->> 'story_id')::uuid end
      order by sc.place, b.ordinality
    ) k
  );
end;
$$;

comment on function private.kept_back is 'The tasks that blockers keep back, each with a reason.';

-- Why: the message of a refused start: the first three blockers in full, then how many more.
create function private.blockers_sentence(p_blockers jsonb)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return 'The run cannot start. '
    || (
      select string_agg(b.value ->> 'message', ' ' order by b.ordinality)
      from jsonb_array_elements(p_blockers) with ordinality b
      where b.ordinality <= 3
    )
    || case when jsonb_array_length(p_blockers) > 3
      then format(' And %s more.', jsonb_array_length(p_blockers) - 3) else '' end;
end;
$$;

comment on function private.blockers_sentence is 'Blockers in words (specification: Starting a sprint run 1).';
