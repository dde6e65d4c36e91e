-- Why: a sprint that stopped at a failed task can go on without it, and the inbox says how many tasks failed and how many wait.
set local check_function_bodies = off;

DROP FUNCTION "operations"."resume_sprint"(uuid);

CREATE OR REPLACE FUNCTION operations.resume_sprint(p_sprint_id uuid, p_skip_failed boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_previous public.sprint_runs;
  v_other text;
  v_failed uuid[];
  v_task_ids uuid[];
  v_scope record;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  if v_sprint.status <> 'FAILED' then
    perform private.refuse(409, format('Only a failed sprint can be resumed; %s is %s.', v_sprint.code, lower(v_sprint.status::text)));
  end if;
  select s.code into v_other from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE';
  if found then
    perform private.refuse(409, format('Sprint %s is active. Complete it first: a product can have only one active sprint.', v_other));
  end if;

  v_failed := array(
    select t.id from public.tasks t join public.stories s on s.id = t.story_id
    where p_skip_failed and s.sprint_id = p_sprint_id and t.status = 'FAILED');
  -- Stories and PBIs follow their tasks out of failed. Taken back alone, that would fail the run that starts here.
  perform set_config('backloom.undoing', 'yes', true);
  update public.tasks t set status = 'TO_DO'
  from public.stories s
  where s.id = t.story_id and s.sprint_id = p_sprint_id and t.status = 'FAILED';
  update public.sprints s set status = 'ACTIVE' where s.id = p_sprint_id returning * into v_sprint;
  perform set_config('backloom.undoing', '', true);

  v_task_ids := array(select i from unnest(private.sprint_task_ids(p_sprint_id)) i where i <> all (v_failed));
  if v_task_ids = '{}' then
    return null;
  end if;

  select p.* into v_product from public.products p where p.id = v_product_id;
  select * into v_scope from private.settle_scope(v_sprint, v_product, v_task_ids, null, false, p_skip_failed);

  select r.* into v_previous from public.sprint_runs r
  where r.sprint_id = p_sprint_id and r.status = 'FAILED' order by r.created_at desc, r.id desc limit 1;
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, v_previous, v_scope.task_ids, v_scope.plan_first);
  return private.run_json(v_run, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_item_json(p_kind text, p_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case p_kind
    when 'question' then (
      select jsonb_build_object('question', private.question_json(q)) from public.agent_questions q where q.id = p_id
        and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q)))
    when 'review' then (
      select jsonb_build_object('code', t.code, 'title', t.title, 'story_code', s.code, 'story_title', s.title,
        -- The job that waits for a person's verdict; without one the task was put into review by hand.
        'job_id', (
          select j.id from public.agent_jobs j
          where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review'
          limit 1))
      from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_id)
    when 'run' then (
      select jsonb_build_object('code', coalesce(s.code, private.run_subject(r)), 'title', coalesce(s.sprint_goal, ''), 'sprint_id', s.id,
        'failed', x.failed, 'waiting', x.waiting, 'reason', r.failure ->> 'reason', 'task_id', r.failure ->> 'task_id', 'task_code', r.failure ->> 'task_code')
      from public.sprint_runs r
      left join public.sprints s on s.id = r.sprint_id
      cross join lateral (
        select count(*) filter (where p.status = 'FAILED') as failed, count(*) filter (where p.status in ('QUEUED', 'CANCELLED', 'PENDING')) as waiting
        from (
          select j.status::text from public.agent_jobs j where j.sprint_run_id = r.id and j.kind = 'TASK_IMPLEMENTATION'
          union all
          select e.status::text from public.task_executions e where e.sprint_run_id = r.id
        ) p
      ) x
      where r.id = p_id)
    when 'job' then (
      select jsonb_build_object('code', i.code, 'title', i.title, 'reason', j.failure_reason, 'idea_id', j.idea_id)
      from public.agent_jobs j join public.ideas i on i.id = j.idea_id where j.id = p_id)
    when 'added' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'owner_name', private.username(p.owner_id))
      from public.products p where p.id = p_id)
    when 'mention' then (
      select jsonb_build_object('code', x.code, 'title', x.title, 'author', c.author, 'excerpt', left(c.body, 500),
        'path', private.comment_path(c))
      from public.comments c
      cross join lateral (
        select t.code, t.title from public.tasks t where t.id = c.task_id
        union all
        select s.code, s.title from public.stories s where s.id = c.story_id
        union all
        select b.code, b.title from public.pbis b where b.id = c.pbi_id) x
      where c.id = p_id)
  end;
end;
$function$;

COMMENT ON FUNCTION "operations"."resume_sprint"(uuid, boolean) IS 'FAILED sprint to ACTIVE with a new run, or null when nothing is left to run (specification: States and transitions, Task and Sprint).';

REVOKE ALL ON FUNCTION "operations"."resume_sprint"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."resume_sprint"(uuid, boolean) TO "authenticated", "postgres";
