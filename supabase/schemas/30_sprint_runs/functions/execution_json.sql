-- Why: one form of an execution record.
create function private.execution_json(p_execution public.task_executions)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_task record;
begin
  select t.code, t.title, t.story_id, t.verify_only, s.code as story_code
  into v_task
  from public.tasks t
  join public.stories s on s.id = t.story_id
  where t.id = p_execution.task_id;

  return to_jsonb(p_execution) || jsonb_build_object(
    'status', lower(p_execution.status::text),
    'task_code', v_task.code,
    'task_title', v_task.title,
    'verify_only', v_task.verify_only,
    'story_id', v_task.story_id,
    'story_code', v_task.story_code
  );
end;
$$;

comment on function private.execution_json is
  'A sprint task execution as the contract shows it (specification: Sprint run).';
