-- Called by the dependency addresses and the pages of tasks and stories. Refusals: 404, 403. Definer: access is checked first.
create function private.list_dependencies(p_kind text, p_id uuid)
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

grant execute on function private.list_dependencies to authenticated;

create function public.list_dependencies(p_kind text, p_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.list_dependencies(p_kind, p_id);
end;
$$;

comment on function public.list_dependencies is 'What a task or story waits for, and what waits for it.';

grant execute on function public.list_dependencies to authenticated;
