-- Without a code it gets the next T-<n>.
create function operations.create_task(
  p_story_id uuid, p_title text, p_description text default '', p_code text default null,
  p_implementation_plan text default null, p_priority integer default 3, p_repo_url text default null,
  p_verify_only boolean default false, p_verify_required text default 'ALIGNED_OR_PARTIAL',
  p_requires_opus boolean default false, p_estimated_minutes integer default null, p_blocked_by jsonb default null,
  p_labels jsonb default null, p_refuse_similar boolean default false, p_agent text default null,
  p_model text default null, p_effort text default null
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_id uuid := gen_random_uuid();
  v_label_ids uuid[] := private.require_labels(private.require_write('story', p_story_id), p_labels);
begin
  if p_refuse_similar then
    perform private.refuse_similar('task', p_story_id, p_title);
  end if;

  insert into public.tasks
    (id, story_id, code, title, description, implementation_plan, priority, repo_url, verify_only, verify_required,
      requires_opus, estimated_minutes, label_ids, agent, model, effort)
  values
    (v_id, p_story_id, p_code, p_title, coalesce(p_description, ''), p_implementation_plan, coalesce(p_priority, 3),
      p_repo_url, coalesce(p_verify_only, false),
      coalesce(p_verify_required, 'ALIGNED_OR_PARTIAL')::public.verify_required, coalesce(p_requires_opus, false),
      p_estimated_minutes, coalesce(v_label_ids, '{}'), p_agent, p_model, p_effort);
  perform private.add_dependencies('task', v_id, p_blocked_by);
  return private.task_json(v_id);
end;
$$;
grant execute on function operations.create_task to authenticated;

-- For the task page after a confirmation (specification: Task).
create function operations.delete_task(p_task_id uuid) returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_write('task', p_task_id);
  delete from public.tasks t where t.id = p_task_id;
  return json_build_object('id', p_task_id);
end;
$$;
grant execute on function operations.delete_task to authenticated;

-- People can edit every field. `labels` are names or ids and replace all. In `p_changes` null clears what can be null;
-- `confirmed` starts a blocked task anyway. A new code changes the sort_order (specification: Task).
create function operations.edit_task(p_task_id uuid, p_changes jsonb)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_status public.task_status := private.parse_task_status(p_changes ->> 'status');
  v_label_ids uuid[];
begin
  perform private.parse_choice('verify_required', p_changes ->> 'verify_required', '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  v_label_ids := private.require_labels(private.require_write('task', p_task_id), p_changes -> 'labels');
  perform private.require_version('task', p_task_id, p_changes);
  perform private.require_proof(p_task_id, v_status);
  perform private.require_unblocked(p_task_id, v_status, (p_changes ->> 'confirmed')::boolean);

  perform private.set_fields('public.tasks', p_task_id,
    p_changes - 'story_id' || jsonb_build_object('status', v_status, 'label_ids', v_label_ids));
  return private.task_json(p_task_id)::jsonb || private.released();
end;
$$;
grant execute on function operations.edit_task to authenticated;

-- Agents work on tasks, and a story that came from elsewhere may have none: one press makes one of each such story,
-- with its title and description. Stories that are done or have tasks are passed over. Counts as one change. Returns how many were made
-- (docs/board.md).
create function operations.make_story_tasks(p_product_id uuid, p_story_ids jsonb)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_made integer;
begin
  perform private.require_write('product', p_product_id);
  perform private.count_once('task');
  insert into public.tasks (story_id, title, description, priority)
  select s.id, s.title, s.description, s.priority
  from public.stories s
  where s.product_id = p_product_id and s.id in (select x::uuid from jsonb_array_elements_text(p_story_ids) x)
    and s.status <> 'DONE' and not s.is_template and not exists (select from public.tasks t where t.story_id = s.id)
  order by s.sort_order, s.created_at, s.id;
  get diagnostics v_made = row_count;
  perform private.count_once(null);
  return json_build_object('made', v_made);
end;
$$;
grant execute on function operations.make_story_tasks to authenticated;

-- Moves the task to another story of its product; code and sort_order stay (specification: Entity codes 5).
create function operations.move_task(p_task_id uuid, p_story_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_write('task', p_task_id);
  perform private.require_access('story', p_story_id);
  update public.tasks t set story_id = p_story_id where t.id = p_task_id and t.story_id <> p_story_id;
  return private.task_json(p_task_id);
end;
$$;
grant execute on function operations.move_task to authenticated;

-- The caller holds the product's lock.
create function operations.set_task_status(p_task_id uuid, p_status text, p_confirmed boolean default false)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_status public.task_status := private.parse_task_status(coalesce(p_status, ''));
begin
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, v_status);
  perform private.require_unblocked(p_task_id, v_status, p_confirmed);
  update public.tasks t set status = v_status where t.id = p_task_id and t.status <> v_status;
  return (select private.with_labels(row_to_json(t), k.label_ids)::jsonb || private.released()
    from private.task_shape t join public.tasks k on k.id = t.id where t.id = p_task_id);
end;
$$;
grant execute on function operations.set_task_status to authenticated;
comment on function operations.set_task_status is 'scope plan or work';

-- The hot write of agents. Definer, so that row level security does not check a row whose product was just checked.
-- Refuses `failed`, and `review` but where a person or CI decides what is done (specification: PATCH /api/tasks/:id).
-- p_who holds agent, model and effort as far as they change, and null removes one. Passed through unparsed.
create function operations.update_task(
  p_task_id uuid, p_status text default null, p_implementation_plan text default null,
  p_verify_only boolean default null, p_verify_required text default null, p_labels jsonb default null,
  p_expected_version jsonb default null, p_who jsonb default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_status public.task_status;
  v_label_ids uuid[];
  v_answer jsonb;
begin
  if p_status is null and p_implementation_plan is null
    and ((p_labels is null and coalesce(p_who, '{}') = '{}') or p_verify_only is not null or p_verify_required is not null)
  then
    perform private.refuse(422, 'Give at least one of status and implementation_plan.',
      '{"issues":[{"path":"","message":"At least one of status and implementation_plan is required."}]}');
  end if;
  perform private.parse_choice('status', p_status, '{todo,in_progress,review,done}');
  perform private.parse_choice('verify_required', p_verify_required, '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  v_label_ids := private.require_labels(private.require_write('task', p_task_id), p_labels);
  if p_expected_version is not null then
    perform private.require_version('task', p_task_id, jsonb_strip_nulls(jsonb_build_object('status', p_status,
      'implementation_plan', p_implementation_plan, 'verify_only', p_verify_only, 'verify_required', p_verify_required,
      'labels', p_labels, 'expected_version', p_expected_version)) || coalesce(p_who, '{}'));
  end if;
  v_status := private.parse_task_status(p_status);
  if v_status = 'REVIEW' and not exists (
    select from public.tasks t join public.products p on p.id = t.product_id
    where t.id = p_task_id and p.done_requires in ('ci', 'person'))
  then
    perform private.parse_choice('status', p_status, '{todo,in_progress,done}');
  end if;
  perform private.require_proof(p_task_id, v_status), private.require_unblocked(p_task_id, v_status, false);

  update public.tasks t
  set status = coalesce(v_status, t.status),
      implementation_plan = coalesce(p_implementation_plan, t.implementation_plan),
      label_ids = coalesce(v_label_ids, t.label_ids),
      agent = case when p_who ? 'agent' then p_who ->> 'agent' else t.agent end,
      model = case when p_who ? 'model' then p_who ->> 'model' else t.model end,
      effort = case when p_who ? 'effort' then p_who ->> 'effort' else t.effort end,
      verify_only = coalesce(p_verify_only, t.verify_only),
      verify_required = coalesce(p_verify_required::public.verify_required, t.verify_required)
  where t.id = p_task_id
  returning jsonb_build_object(
    'id', t.id,
    'status', case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end,
    'implementation_plan', t.implementation_plan,
    'version', t.version
  ) || case when p_labels is null then '{}' else private.with_labels('{"of":0}', t.label_ids)::jsonb - 'of' end
  into v_answer;
  return v_answer || private.released();
end;
$$;
grant execute on function operations.update_task to authenticated;
comment on function operations.update_task is 'scope plan or work';

-- The REST API's todo is the database's TO_DO (specification: Conventions). Null stays null.
create function private.parse_task_status(p_status text)
returns public.task_status language plpgsql immutable set search_path = '' as $$
begin
  if p_status = 'todo' then
    return 'TO_DO';
  end if;
  return upper(private.parse_choice('status', p_status, '{todo,in_progress,review,done,failed}'));
end;
$$;
grant execute on function private.parse_task_status to authenticated;
