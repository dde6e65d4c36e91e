-- Why: a story's status follows from its tasks and its sprint: failed before done, done only with at least one task,
-- else in sprint or open. Definer, so that the answer never depends on what the caller may see.
create function private.derived_story_status(p_story_id uuid, p_sprint_id uuid)
returns public.story_status
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_failed boolean;
  v_done boolean;
begin
  select bool_or(t.status = 'FAILED'), bool_and(t.status = 'DONE')
  into v_failed, v_done
  from public.tasks t
  where t.story_id = p_story_id;

  return case
    when v_failed then 'FAILED'
    when v_done then 'DONE'
    when p_sprint_id is not null then 'IN_SPRINT'
    else 'OPEN'
  end;
end;
$$;

comment on function private.derived_story_status is
  'The status that the tasks and the sprint of a story call for (specification: States and transitions, Story).';
