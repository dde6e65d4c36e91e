-- Why: removes a dependency; a missing one is no error. Returns the remaining ones. Refusals: 404, 403.
-- Definer: dependencies are written by functions only.
create function operations.remove_dependency(p_kind text, p_id uuid, p_blocker text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_write(v_kind, p_id);
  v_blocker_id uuid := private.find_blocker(v_kind, v_product_id, p_blocker);
begin
  if v_kind = 'task' then
    delete from public.task_dependencies d where d.blocked_id = p_id and d.blocker_id = v_blocker_id;
  else
    delete from public.story_dependencies d where d.blocked_id = p_id and d.blocker_id = v_blocker_id;
  end if;
  return private.dependencies_json(v_kind, p_id);
end;
$$;

comment on function operations.remove_dependency is 'Lets a task or story wait for another no more.';
grant execute on function operations.remove_dependency to authenticated;
