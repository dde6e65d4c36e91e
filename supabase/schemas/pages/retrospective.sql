-- A retrospective begins with facts: what came back and why, what waited for people, how estimates compare with what
-- tasks took, and the sprint's lessons. Without a model. Definer: access is checked once, first (docs/planning.md).
create function private.sprint_retrospective(p_sprint_id uuid, p_runs uuid[], p_stories uuid[])
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
  v_from timestamptz;
  v_to timestamptz;
begin
  select coalesce(s.started_at, s.created_at), coalesce(s.completed_at, private.now()) into v_from, v_to
  from public.sprints s where s.id = p_sprint_id;
  return json_build_object(
    'returns', (
      select coalesce(json_agg(json_build_object('cause', x.cause, 'tasks', x.tasks, 'times', x.times) order by x.times desc, x.cause), '[]')
      from (
        select r.cause, count(distinct r.task_id) as tasks, count(*) as times
        from public.tasks t join public.task_returns r on r.task_id = t.id
        where t.story_id = any (p_stories) and r.created_at between v_from and v_to
        group by r.cause
      ) x),
    'waits', (
      select coalesce(json_agg(json_build_object('reason', x.reason, 'times', x.times, 'seconds', x.seconds) order by x.reason), '[]')
      from (
        select w.reason, count(*) as times, round(sum(w.seconds)) as seconds
        from (
          select 'question' as reason, extract(epoch from q.answered_at - q.created_at) as seconds
          from public.agent_questions q
          where q.story_id = any (p_stories) and q.answered_at between v_from and v_to
          union all
          select 'review', private.waited_seconds(j.id, j.judged_at)
          from public.agent_jobs j where j.sprint_run_id = any (p_runs)
        ) w
        where w.seconds is not null
        group by w.reason
      ) x),
    'estimates', (
      select json_build_object('tasks', count(*), 'estimated_minutes', coalesce(sum(t.estimated_minutes), 0),
        'actual_minutes', coalesce(round(sum(a.minutes)), 0))
      from public.agent_jobs j
      join public.tasks t on t.id = j.task_id and t.estimated_minutes > 0
      cross join lateral (
        select extract(epoch from sum(x.ended_at - x.started_at)) / 60 as minutes
        from public.job_attempts x where x.job_id = j.id and x.ended_at is not null) a
      where j.sprint_run_id = any (p_runs) and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'DONE' and a.minutes is not null),
    'lessons', (
      select coalesce(json_agg(l.text order by l.since), '[]')
      from public.lessons l where l.product_id = v_product and l.since between v_from and v_to));
end;
$$;
grant execute on function private.sprint_retrospective to authenticated;
