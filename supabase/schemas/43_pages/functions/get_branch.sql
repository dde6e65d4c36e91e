-- Why: shows where the work of an item is in git: the branch of the newest job that has one, else the branch of the
-- story's next run. Definer: its name depends on other products of the owner; access is checked first.
create function operations.get_branch(p_kind text, p_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_story_id uuid;
begin
  perform private.require_access(v_kind, p_id);
  if v_kind = 'task' then
    select t.story_id into v_story_id from public.tasks t where t.id = p_id;
  else
    v_story_id := p_id;
  end if;
  return json_build_object('branch', coalesce(
    (
      select j.branch
      from public.agent_jobs j
      join public.tasks t on t.id = j.task_id
      where t.story_id = v_story_id and (v_kind = 'story' or t.id = p_id)
        and j.kind = 'TASK_IMPLEMENTATION' and j.branch is not null
      order by j.created_at desc, j.id desc
      limit 1),
    private.story_branch(v_story_id)));
end;
$$;

comment on function operations.get_branch is 'The branch on which the work of a task or story is (specification: Sprint run, branch).';
grant execute on function operations.get_branch to authenticated;
