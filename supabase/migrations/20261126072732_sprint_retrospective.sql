-- Why: the sprint review says what came back, what waited for people, and how estimates compare.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.get_sprint_review(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
  v_runs uuid[] := array(
    select r.id from public.sprint_runs r where r.sprint_id = p_sprint_id order by r.created_at desc limit 50);
  v_stories uuid[] := array(
    select s.id from public.stories s
    where s.sprint_id = p_sprint_id
      or (s.product_id = v_product and s.id in (
        select l.story_id from public.sprint_leftovers l where l.sprint_id = p_sprint_id
        union all
        select c.story_id from public.task_status_changes c
        where c.sprint_id = p_sprint_id and c.from_status is distinct from c.to_status
        union all
        select t.story_id from public.agent_jobs j join public.tasks t on t.id = j.task_id where j.sprint_run_id = any(v_runs)))
    order by s.sprint_id is distinct from p_sprint_id, s.sort_order, s.created_at, s.id
    limit 200);
begin
  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'product', (
      select json_build_object('name', p.name, 'done_requires', p.done_requires) from public.products p where p.id = v_product),
    'burndown', private.get_sprint_burndown(p_sprint_id),
    'review_times', private.sprint_review_times(p_sprint_id),
    'retrospective', private.sprint_retrospective(p_sprint_id, v_runs, v_stories),
    'stories', (
      select coalesce(json_agg(private.reviewed_story(s, p_sprint_id, v_runs) order by x.place), '[]')
      from unnest(v_stories) with ordinality as x (id, place)
      join public.stories s on s.id = x.id),
    'costs', private.review_costs(v_runs, null),
    'whole_sprint', (
      select coalesce(json_agg(private.reviewed_job(j) order by j.created_at), '[]')
      from public.agent_jobs j where j.sprint_run_id = any(v_runs) and j.kind = 'SPRINT_IMPLEMENTATION'),
    'runs', (
      select coalesce(json_agg(json_build_object('id', r.id, 'status', lower(r.status::text), 'created_at', r.created_at)
        order by r.created_at), '[]')
      from public.sprint_runs r where r.id = any(v_runs)),
    'questions', (
      select coalesce(json_agg(json_build_object('id', q.id, 'question', q.question, 'story_id', q.story_id,
        'story_code', q.story_code) order by q.created_at), '[]')
      from (
        select q.id, left(q.question, 400) as question, q.story_id, s.code as story_code, q.created_at
        from public.agent_questions q
        join public.stories s on s.id = q.story_id
        where q.story_id = any(v_stories) and q.status = 'OPEN' and q.expires_at > private.now()
          and (q.reader_id is null or q.reader_id = auth.uid())
        order by q.created_at limit 50
      ) q),
    'failed_jobs', (
      select coalesce(json_agg(json_build_object('id', f.id, 'task_code', f.code, 'task_title', f.title, 'reason', f.reason)
        order by f.finished_at), '[]')
      from (
        select distinct on (t.id) j.id, t.code, t.title, left(j.failure_reason, 400) as reason, j.finished_at
        from public.agent_jobs j
        join public.tasks t on t.id = j.task_id
        where j.sprint_run_id = any(v_runs) and j.status = 'FAILED' and t.status <> 'DONE'
        order by t.id, j.finished_at desc limit 50
      ) f),
    'waivers', (
      select coalesce(json_agg(json_build_object('story_id', w.story_id, 'story_code', w.code, 'criterion', w.criterion,
        'text', w.text, 'reason', w.reason, 'waived_by', w.waived_by, 'created_at', w.created_at) order by w.created_at), '[]')
      from (
        select w.story_id, s.code, w.criterion, left(w.criterion_text, 400) as text, w.reason, w.waived_by, w.created_at
        from public.waivers w
        join public.stories s on s.id = w.story_id
        where w.story_id = any(v_stories)
        order by w.created_at limit 100
      ) w));
end;
$function$;

CREATE OR REPLACE FUNCTION private.sprint_retrospective(p_sprint_id uuid, p_runs uuid[], p_stories uuid[])
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
$function$;

REVOKE ALL ON FUNCTION "private"."sprint_retrospective"(uuid, uuid[], uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sprint_retrospective"(uuid, uuid[], uuid[]) TO "authenticated", "postgres";
