-- Why: the hot write of agents. Definer, so that row level security does not check a row whose product was just
-- checked. Only the board sets `review`, and only jobs set `failed` (specification: PATCH /api/tasks/:id).
-- Called by PATCH /api/tasks/:id and the MCP tools update_task_status and update_task_plan. Passed through unparsed.
create function operations.update_task(
  p_task_id uuid,
  p_status text default null,
  p_implementation_plan text default null,
  p_verify_only boolean default null,
  p_verify_required text default null,
  p_labels jsonb default null,
  p_expected_version jsonb default null
)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_status public.task_status;
  v_label_ids uuid[];
  v_answer jsonb;
begin
  if p_status is null and p_implementation_plan is null and p_labels is null then
    raise exception using errcode = 'PT422', message = 'Give at least one of status and implementation_plan.',
      detail = '{"issues":[{"path":"","message":"At least one of status and implementation_plan is required."}]}';
  end if;
  perform private.parse_choice('status', p_status, '{todo,in_progress,done}');
  perform private.parse_choice('verify_required', p_verify_required, '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  v_label_ids := private.require_labels(private.require_write('task', p_task_id), p_labels);
  if p_expected_version is not null then
    perform private.require_version('task', p_task_id, jsonb_strip_nulls(jsonb_build_object('status', p_status,
      'implementation_plan', p_implementation_plan, 'verify_only', p_verify_only, 'verify_required', p_verify_required,
      'labels', p_labels, 'expected_version', p_expected_version)));
  end if;
  v_status := private.parse_task_status(p_status);
  perform private.require_proof(p_task_id, v_status), private.heed_waiting(p_task_id, v_status, false);

  update public.tasks t
  set status = coalesce(v_status, t.status),
      implementation_plan = coalesce(p_implementation_plan, t.implementation_plan),
      label_ids = coalesce(v_label_ids, t.label_ids),
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

comment on function operations.update_task is 'Status or plan of a task (specification: PATCH /api/tasks/:id).';
grant execute on function operations.update_task to authenticated;
