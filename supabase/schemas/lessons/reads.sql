-- What a product has learned, with what each lesson did: those in force first, then those that wait, then the
-- rest, newest first. Lessons of one cause and the same labels share one count. Refusals: 404, 403. Definer: access is
-- checked first (docs/running.md).
create function operations.list_lessons(p_product_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_product_access(p_product_id);
  return (
    with shown as materialized (
      select l.*, array_position(array['accepted', 'proposed', 'retired', 'declined'], l.status) as place
      from public.lessons l where l.product_id = p_product_id
      order by place, l.created_at desc, l.id limit 1000
    ), known as materialized (
      select k.cause, k.label_ids, private.lesson_effect(p_product_id, k.cause, k.label_ids, '-infinity') as before
      from (select distinct s.cause, s.label_ids from shown s where s.status = 'proposed') k
    )
    select json_build_object('files', private.upkeep_states(p_product_id), 'lessons', coalesce(json_agg(
      private.lesson_json(l, coalesce(k.before, l.before), case when l.status = 'accepted' then private.effect_since(l) else l.after end)
      order by s.place, s.created_at desc, s.id), '[]'))
    from shown s
    join public.lessons l on l.id = s.id
    left join known k on s.status = 'proposed' and k.cause = s.cause and k.label_ids = s.label_ids);
end;
$$;
grant execute on function operations.list_lessons to authenticated;

-- The only way from lessons to agents: accepted by a person, oldest first. Null without any: answers stay as they were.
create function private.accepted_lessons(p_product_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  return (select json_agg(l.text order by l.since, l.id) from public.lessons l where l.product_id = p_product_id and l.status = 'accepted');
end;
$$;

-- One form of a lesson for all readers.
create function private.lesson_json(p_lesson public.lessons, p_before integer[], p_after integer[])
returns json language plpgsql stable set search_path = '' as $$
begin
  return json_build_object('id', p_lesson.id, 'text', p_lesson.text, 'status', p_lesson.status,
    'source', json_build_object('job_id', p_lesson.job_id, 'task', (
      select json_build_object('id', t.id, 'code', t.code, 'title', t.title) from public.tasks t where t.id = p_lesson.task_id),
      'cause', p_lesson.cause),
    'accepted_by', p_lesson.accepted_by, 'since', p_lesson.since, 'before', p_before, 'after', p_after,
    'proposes_end', p_lesson.status = 'accepted' and p_lesson.has_effect is false);
end;
$$;

-- Before its verdict a lesson is shown with all that came back for its cause until now.
create function private.effect_until_now(p_lesson public.lessons)
returns integer[] language sql stable set search_path = '' as $$
  select private.lesson_effect(p_lesson.product_id, p_lesson.cause, p_lesson.label_ids, '-infinity');
$$;

-- The effect since a lesson was accepted, added to the counts that an import brought.
create function private.effect_since(p_lesson public.lessons)
returns integer[] language sql stable set search_path = '' as $$
  select array[p_lesson.after[1] + e.count[1], p_lesson.after[2] + e.count[2]]
  from (select private.lesson_effect(p_lesson.product_id, p_lesson.cause, p_lesson.label_ids, p_lesson.counted_from) as count) e;
$$;

-- Tasks that came back for a cause, of those handed in; among tasks that share a label, where there are some. Attempts
-- that began earlier did not know the lesson, so they do not count. A thousand attempts are enough.
create function private.lesson_effect(p_product_id uuid, p_cause text, p_label_ids uuid[], p_from timestamptz)
returns integer[] language plpgsql stable set search_path = '' as $$
begin
  return (
    with handed_in as (
      select a.job_id from public.job_attempts a
      where a.product_id = p_product_id and a.started_at >= p_from and a.outcome = 'done'
      order by a.started_at desc limit 1000
    ), returned as materialized (
      select r.task_id, r.cause from public.task_returns r
      where r.product_id = p_product_id and r.begun_at >= p_from
      order by r.begun_at desc limit 1000
    ), worked as (
      select j.task_id from handed_in h join public.agent_jobs j on j.id = h.job_id and j.kind = 'TASK_IMPLEMENTATION'
      union
      select e.task_id from handed_in h
      join public.agent_jobs j on j.id = h.job_id and j.kind = 'SPRINT_IMPLEMENTATION'
      join public.task_executions e on e.sprint_run_id = j.sprint_run_id and e.status = 'DONE'
      union
      select r.task_id from returned r
    )
    select array[count(*) filter (where w.task_id in (select r.task_id from returned r where r.cause = p_cause)), count(*)]::integer[]
    from worked w
    join public.tasks t on t.id = w.task_id
    join public.stories s on s.id = t.story_id
    where p_label_ids = '{}' or t.label_ids || s.label_ids && p_label_ids);
end;
$$;
