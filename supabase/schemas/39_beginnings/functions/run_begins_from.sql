-- Why: before a run starts, people see where it would begin, story by story: the newest head of each branch not known
-- to be on the main branch. If stories share the run's branch, finished ones count too.
create function private.run_begins_from(p_sprint_id uuid, p_strategy public.pr_strategy)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_story_ids uuid[] := array(
    select s.id from public.stories s
    where s.sprint_id = p_sprint_id
      and (p_strategy <> 'STORY' or exists (select from public.tasks t where t.story_id = s.id and t.status <> 'DONE')));
begin
  return private.beginnings(v_story_ids);
end;
$$;

comment on function private.run_begins_from is 'From what a run of a sprint would begin (specification: Starting a sprint run).';
