-- Called by GET /api/sprints/:id/tasks. The answer is passed through unparsed.
create function public.list_sprint_tasks(p_sprint_id uuid, p_limit integer default 10)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.list_sprint_tasks(p_sprint_id, p_limit);
end;
$$;

comment on function public.list_sprint_tasks(uuid, integer) is
  'The first tasks of a sprint, 10 by default and 50 at most (specification: GET /api/sprints/:id/tasks).';

revoke execute on function public.list_sprint_tasks(uuid, integer) from public, anon;
grant execute on function public.list_sprint_tasks(uuid, integer) to authenticated;
