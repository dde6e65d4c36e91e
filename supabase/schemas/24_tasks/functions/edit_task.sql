-- Called by the task page and tools: people can edit every field. `labels` are names or ids and replace the current
-- ones. `p_changes` holds the fields to change; null clears implementation_plan, repo_url and estimated_minutes;
-- `confirmed` starts a blocked task anyway. A new code changes the sort_order.
create function operations.edit_task(p_task_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_status public.task_status := private.parse_task_status(p_changes ->> 'status');
  v_label_ids uuid[];
begin
  perform private.parse_choice('verify_required', p_changes ->> 'verify_required', '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  v_label_ids := private.require_labels(private.require_write('task', p_task_id), p_changes -> 'labels');
  perform private.require_version('task', p_task_id, p_changes);
  perform private.require_proof(p_task_id, v_status);
  perform private.heed_waiting(p_task_id, v_status, (p_changes ->> 'confirmed')::boolean);

  update public.tasks t
  set title = coalesce(p_changes ->> 'title', t.title),
      description = coalesce(p_changes ->> 'description', t.description),
      code = coalesce(p_changes ->> 'code', t.code),
      label_ids = coalesce(v_label_ids, t.label_ids),
      priority = coalesce((p_changes ->> 'priority')::integer, t.priority),
      status = coalesce(v_status, t.status),
      verify_only = coalesce((p_changes ->> 'verify_only')::boolean, t.verify_only),
      verify_required = coalesce((p_changes ->> 'verify_required')::public.verify_required, t.verify_required),
      requires_opus = coalesce((p_changes ->> 'requires_opus')::boolean, t.requires_opus),
      implementation_plan = case when p_changes ? 'implementation_plan' then p_changes ->> 'implementation_plan' else t.implementation_plan end,
      repo_url = case when p_changes ? 'repo_url' then p_changes ->> 'repo_url' else t.repo_url end,
      estimated_minutes = case when p_changes ? 'estimated_minutes' then (p_changes ->> 'estimated_minutes')::integer else t.estimated_minutes end
  where t.id = p_task_id;
  return private.task_json(p_task_id)::jsonb || private.released();
end;
$$;

comment on function operations.edit_task is 'Edits a task (specification: Task).';
grant execute on function operations.edit_task to authenticated;
