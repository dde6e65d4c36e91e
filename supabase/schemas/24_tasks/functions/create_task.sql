-- Called by the backlog page and tools. Without a code it gets the next T-<n>.
create function operations.create_task(
  p_story_id uuid,
  p_title text,
  p_description text default '',
  p_code text default null,
  p_implementation_plan text default null,
  p_priority integer default 3,
  p_repo_url text default null,
  p_verify_only boolean default false,
  p_verify_required text default 'ALIGNED_OR_PARTIAL',
  p_requires_opus boolean default false,
  p_estimated_minutes integer default null,
  p_blocked_by jsonb default null,
  p_labels jsonb default null,
  p_refuse_similar boolean default false
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
  v_label_ids uuid[] := private.require_labels(private.require_write('story', p_story_id), p_labels);
begin
  if p_refuse_similar then
    perform private.refuse_similar('task', p_story_id, p_title);
  end if;

  insert into public.tasks
    (id, story_id, code, title, description, implementation_plan, priority, repo_url, verify_only, verify_required,
      requires_opus, estimated_minutes, label_ids)
  values
    (v_id, p_story_id, p_code, p_title, coalesce(p_description, ''), p_implementation_plan, coalesce(p_priority, 3),
      p_repo_url, coalesce(p_verify_only, false),
      coalesce(p_verify_required, 'ALIGNED_OR_PARTIAL')::public.verify_required, coalesce(p_requires_opus, false),
      p_estimated_minutes, coalesce(v_label_ids, '{}'));
  perform private.add_dependencies('task', v_id, p_blocked_by);
  return private.task_json(v_id);
end;
$$;

comment on function operations.create_task is 'Creates a task (specification: Task, Entity codes). 100 per minute.';
grant execute on function operations.create_task to authenticated;
