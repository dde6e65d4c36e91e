-- Why: a run that holds what can never be freed within it is told before it starts, each with what one press cures: a blocker that is
-- neither done nor in the sprint, or one that failed elsewhere. Inside the sprint the run orders itself.
create function private.dependency_blockers(p_sprint_id uuid)
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'type', case when e.failed then 'dependency_failed' else 'dependency_outside' end,
      'message', format('%s is blocked by %s, which %s.', e.code, e.blocker_code,
        case when e.failed then 'failed' when e.is_inside then 'has no task' else 'is neither done nor in this sprint' end),
      'task_id', e.task_id, 'task_code', e.task_code, 'story_id', e.story_id, 'story_code', e.story_code,
      'pbi_id', null, 'pbi_code', null, 'question_id', null, 'sprint_run_id', null,
      'dependency', jsonb_build_object('kind', e.kind, 'id', e.id, 'code', e.code, 'blocker_id', e.blocker_id, 'blocker_code', e.blocker_code,
        'joining_story_id', case when e.may_join then e.joining_story_id end, 'joining_story_code', case when e.may_join then e.joining_story_code end)
    ) order by e.sort_order, e.code, e.blocker_code), '[]')
    from (
      select 'task' as kind, t.id, t.code, t.sort_order, t.id as task_id, t.code as task_code, s.id as story_id, s.code as story_code,
        b.id as blocker_id, b.code as blocker_code, b.status = 'FAILED' as failed, false as is_inside,
        bs.id as joining_story_id, bs.code as joining_story_code, bs.sprint_id is null and b.status <> 'FAILED' as may_join
      from public.stories s
      join public.tasks t on t.story_id = s.id and t.status <> 'DONE'
      join public.task_dependencies d on d.blocked_id = t.id
      join public.tasks b on b.id = d.blocker_id and b.status <> 'DONE'
      join public.stories bs on bs.id = b.story_id and bs.sprint_id is distinct from p_sprint_id
      where s.sprint_id = p_sprint_id
      union all
      select 'story', s.id, s.code, s.sort_order, null, null, s.id, s.code, b.id, b.code,
        b.status = 'FAILED', b.sprint_id is not distinct from p_sprint_id,
        b.id, b.code, b.sprint_id is null and b.status <> 'FAILED' and exists (select from public.tasks i where i.story_id = b.id)
      from public.stories s
      join public.story_dependencies d on d.blocked_id = s.id
      join public.stories b on b.id = d.blocker_id and b.status <> 'DONE'
      where s.sprint_id = p_sprint_id and s.status <> 'DONE'
        and (b.sprint_id is distinct from p_sprint_id or not exists (select from public.tasks i where i.story_id = b.id))
        and exists (select from public.tasks t where t.story_id = s.id and t.status <> 'DONE')
    ) e
  );
end;
$$;

comment on function private.dependency_blockers is
  'dependency_outside and dependency_failed before a start (specification: Starting a sprint run 1).';
