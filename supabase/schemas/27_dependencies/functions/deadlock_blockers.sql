-- Why: a run orders itself, so nothing in it is blocked forever, with one exception: if work must be on the main branch
-- to release others and each story has its own branch, two branches whose tasks block each other can never be merged:
-- neither is complete before the other is merged. Returns each dependency of such a cycle, so that a person can remove
-- it. Looks at stories, each by its tasks that are not done; work already on the main branch blocks nothing.
create function private.deadlock_blockers(p_product public.products, p_task_ids uuid[], p_story_ids uuid[])
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_product.dependency_release <> 'merged' or p_product.pr_strategy <> 'STORY' then
    return '[]';
  end if;
  return (
    with recursive edges as materialized (
      select k.kind, k.blocker_id, k.code as blocker_code, t.id as task_id, t.code as task_code, s.id as story_id, s.code as story_code,
        s.sort_order, bs.id as blocker_story_id, bs.code as blocker_story_code
      from unnest(p_task_ids) i (id)
      cross join lateral (select x.* from public.tasks x where x.id = i.id offset 0) t
      join public.stories s on s.id = t.story_id
      join private.task_blockers k on k.task_id = t.id and not k.resolved
      left join public.tasks b on b.id = k.blocker_id
      join public.stories bs on bs.id = coalesce(b.story_id, k.blocker_id) and bs.id = any (p_story_ids) and bs.id <> s.id
    ), reach (from_id, to_id) as (
      select e.story_id, e.blocker_story_id from edges e
      union
      select r.from_id, e.blocker_story_id from reach r join edges e on e.story_id = r.to_id
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'type', 'dependency_deadlock',
      'message', format('%s needs the code of %s, but the branches of %s and %s depend on each other: neither can be merged first.',
        c.code, c.blocker_code, c.story_code, c.blocker_story_code),
      'task_id', c.task_id, 'task_code', c.task_code, 'story_id', c.story_id, 'story_code', c.story_code,
      'pbi_id', null, 'pbi_code', null, 'question_id', null, 'sprint_run_id', null,
      'dependency', jsonb_build_object('kind', c.kind, 'id', c.id, 'code', c.code, 'blocker_id', c.blocker_id, 'blocker_code', c.blocker_code,
        'joining_story_id', null, 'joining_story_code', null)
    ) order by c.sort_order, c.code, c.blocker_code), '[]')
    from (
      select distinct e.kind, case e.kind when 'task' then e.task_id else e.story_id end as id,
        case e.kind when 'task' then e.task_code else e.story_code end as code, e.blocker_id, e.blocker_code,
        case e.kind when 'task' then e.task_id end as task_id, case e.kind when 'task' then e.task_code end as task_code,
        e.story_id, e.story_code, e.sort_order, e.blocker_story_code
      from edges e
      where exists (select from reach r where r.from_id = e.blocker_story_id and r.to_id = e.story_id)
    ) c
  );
end;
$$;

comment on function private.deadlock_blockers is 'dependency_deadlock before a start (docs/dependencies.md).';
