-- Called by the API's dependency routes and the pages of tasks and stories. Refusals: 404, 403. Definer: access is
-- checked first.
create function operations.list_dependencies(p_kind text, p_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
begin
  perform private.require_access(v_kind, p_id);
  return private.dependencies_json(v_kind, p_id);
end;
$$;

comment on function operations.list_dependencies is 'What a task or story waits for, and what waits for it.';
grant execute on function operations.list_dependencies to authenticated;
