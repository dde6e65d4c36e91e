-- Why: names before a run starts the blockers that it cannot release, each with a one-click remedy: a blocker that is
-- neither done nor in the run, or one that failed elsewhere. The run orders what it contains itself. It contains a
-- story if no open task of it is left out. What waits for a review in the same sprint is waited for, not done again. p_sprint_id is null for a run without a sprint.
create function private.dependency_blockers(p_sprint_id uuid, p_task_ids uuid[], p_story_ids uuid[])
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
        case when e.failed then 'failed' when e.is_empty then 'has no task'
          when e.is_of_sprint or p_sprint_id is null then 'is neither done nor in this run' else 'is neither done nor in this sprint' end),
      'task_id', e.task_id, 'task_code', e.task_code, 'story_id', e.story_id, 'story_code', e.story_code,
      'pbi_id', null, 'pbi_code', null, 'question_id', null, 'sprint_run_id', null,
      'dependency', jsonb_build_object('kind', e.kind, 'id', e.id, 'code', e.code, 'blocker_id', e.blocker_id, 'blocker_code', e.blocker_code,
        'joining_story_id', case when e.may_join then e.joining_story_id end, 'joining_story_code', case when e.may_join then e.joining_story_code end)
    ) order by e.sort_order, e.code, e.blocker_code), '[]')
    from (
      select 'task' as kind, t.id, t.code, t.sort_order, t.id as task_id, t.code as task_code, s.id as story_id, s.code as story_code,
        b.id as blocker_id, b.code as blocker_code, b.status = 'FAILED' as failed, false as is_empty, bs.sprint_id = p_sprint_id as is_of_sprint,
        bs.id as joining_story_id, bs.code as joining_story_code,
        p_sprint_id is not null and bs.sprint_id is null and b.status <> 'FAILED' as may_join
      from unnest(p_task_ids) i (id)
      cross join lateral (select k.* from public.tasks k where k.id = i.id offset 0) t
      join public.stories s on s.id = t.story_id
      join public.task_dependencies d on d.blocked_id = t.id
      join public.tasks b on b.id = d.blocker_id and b.status <> 'DONE' and b.id <> all (p_task_ids)
      join public.stories bs on bs.id = b.story_id
      where b.status <> 'REVIEW' or bs.sprint_id is distinct from p_sprint_id
      union all
      select 'story', s.id, s.code, s.sort_order, null, null, s.id, s.code, b.id, b.code,
        b.status = 'FAILED', b.id = any (p_story_ids) and v.tasks = 0, b.sprint_id = p_sprint_id,
        b.id, b.code, p_sprint_id is not null and b.sprint_id is null and b.status <> 'FAILED' and v.tasks > 0
      from public.stories s
      join public.story_dependencies d on d.blocked_id = s.id
      join public.stories b on b.id = d.blocker_id and b.status <> 'DONE'
      cross join lateral (
        select count(*) as tasks, count(*) filter (where i.status = 'REVIEW') as in_review,
          count(*) filter (where i.status <> 'DONE' and i.id <> all (p_task_ids) and (i.status <> 'REVIEW' or b.sprint_id is distinct from p_sprint_id)) as left_out
        from public.tasks i where i.story_id = b.id) v
      where s.id = any (p_story_ids) and s.status <> 'DONE'
        and (v.tasks = 0 or v.left_out > 0 or (b.id <> all (p_story_ids) and v.in_review = 0))
        and exists (select from public.tasks t where t.story_id = s.id and t.id = any (p_task_ids))
    ) e
  );
end;
$$;

comment on function private.dependency_blockers is
  'dependency_outside and dependency_failed before a start (specification: Starting a sprint run 1).';
