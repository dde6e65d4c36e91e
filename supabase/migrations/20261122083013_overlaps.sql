-- Why: the page of a run shows tasks that change the same file, why_not_moving says so, and no lane stands still for one of its own tasks.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.bring_next_in_turn(p_sprint_run_id uuid, p_lane_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_next record;
begin
  for v_look in 1 .. 2 loop
    select n.id, n.in_turn, n.attempt > 0 as comes_back, n.status = 'QUEUED' and n.attempt = 0 and n.open_blockers > 0 as waits into v_next
    from public.agent_jobs n
    where n.sprint_run_id = p_sprint_run_id and n.lane_id = p_lane_id and n.status in ('QUEUED', 'CLAIMED', 'RUNNING')
      and not (n.status = 'QUEUED' and n.phase = 'review')
    order by n.in_turn desc, n.status = 'QUEUED' and n.attempt = 0 and n.open_blockers > 0, n.position
    limit 1;
    exit when v_next.id is null or v_next.in_turn or not v_next.waits;
    perform private.lock_part('run', p_sprint_run_id);
  end loop;
  if v_next.id is null then
    return exists (
      select from public.agent_jobs w
      where w.sprint_run_id = p_sprint_run_id and w.lane_id = p_lane_id and w.status in ('QUEUED', 'CLAIMED', 'RUNNING'));
  end if;
  if not v_next.in_turn and not (v_next.comes_back and private.is_lane_held(p_sprint_run_id, p_lane_id)) then
    update public.agent_jobs j set in_turn = true where j.id = v_next.id;
    perform private.pass_turn(p_sprint_run_id, p_lane_id);
  end if;
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.conflict_reasons(p_kind text, p_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
  v_run public.sprint_runs;
  v_reasons jsonb;
begin
  if p_kind = 'run' then
    select r.* into v_run from public.sprint_runs r where r.id = p_id;
  else
    select j.* into v_job from public.agent_jobs j
    where (p_kind = 'job' and j.id = p_id or p_kind = 'task' and j.task_id = p_id) and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.created_at desc, j.id limit 1;
    select r.* into v_run from public.sprint_runs r where r.id = v_job.sprint_run_id;
  end if;
  if v_run.id is null then
    return '[]';
  end if;

  select coalesce(jsonb_agg(jsonb_build_object('code', 'conflict', 'blocking', false, 'job_id', j.id, 'task_id', j.task_id,
    'message', format('%s does not merge with %s in %s and goes back to work with both versions.', t.code,
      case c.kind when 'base' then 'the main branch' when 'branch' then 'its branch, which has moved on' else coalesce(o.code, 'another task') end,
      (select string_agg(f ->> 'path', ', ') from (select * from jsonb_array_elements(c.files) limit 5) x (f)))) order by j.position), '[]')
  into v_reasons
  from public.agent_jobs j
  join public.tasks t on t.id = j.task_id
  cross join lateral (select k.* from public.job_conflicts k where k.job_id = j.id order by k.created_at desc limit 1) c
  left join public.agent_jobs oj on oj.id = c.other_job_id
  left join public.tasks o on o.id = oj.task_id
  where j.sprint_run_id = v_run.id and j.status = 'QUEUED' and c.decision = 'home' and c.attempt = j.attempt
    and (p_kind = 'run' or j.id = v_job.id);

  return v_reasons || (
    select coalesce(jsonb_agg(jsonb_build_object('code', 'overlap', 'blocking', false, 'tasks', p -> 'tasks', 'files', p -> 'files',
      'message', format('%s and %s both change %s.', p -> 'tasks' -> 0 ->> 'code', p -> 'tasks' -> 1 ->> 'code',
        (select string_agg(f, ', ') from jsonb_array_elements_text(p -> 'files') f)))), '[]')
    from jsonb_array_elements(private.run_overlaps(v_run)) p
    where p_kind = 'run' or v_job.task_id::text in (p -> 'tasks' -> 0 ->> 'id', p -> 'tasks' -> 1 ->> 'id'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.pass_turn(p_sprint_run_id uuid, p_lane_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_next_id uuid;
begin
  select n.id into v_next_id
  from public.agent_jobs n
  where n.sprint_run_id = p_sprint_run_id and n.lane_id = p_lane_id
    and n.status = 'QUEUED' and not n.in_turn and n.open_blockers = 0 and n.phase <> 'review'
  order by n.position
  limit 1;
  if v_next_id is null then
    return;
  end if;

  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = p_sprint_run_id and j.lane_id = p_lane_id
    and j.in_turn and j.status = 'QUEUED' and j.open_blockers > 0
    and (j.attempt = 0 or exists (
      select from private.task_blockers b
      join public.tasks t on b.blocker_id in (t.id, t.story_id)
      join public.agent_jobs w on w.task_id = t.id and w.sprint_run_id = j.sprint_run_id and w.lane_id = j.lane_id
      where b.task_id = j.task_id and not b.resolved and w.status = 'QUEUED'));
  if found then
    update public.agent_jobs j set in_turn = true where j.id = v_next_id;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.resume_batch_run(p_run public.sprint_runs)
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
begin
  perform private.end_run(p_run, 'CANCELLED', 'The run was resumed as a new one.', null);

  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, started_by)
  values (p_run.sprint_id, p_run.product_id, p_run.pr_strategy, p_run.branch, p_run.id, auth.uid())
  returning * into v_run;

  insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
  select v_run.id, e.task_id, e.position,
    case when t.implementation_plan ~ '\S' then t.implementation_plan else e.plan_snapshot end, t.verify_required
  from public.task_executions e
  join public.tasks t on t.id = e.task_id
  where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED');
  -- What was at work keeps its place in the old run; here it is to do again, and comes after what it waits for by now.
  perform private.order_runs(v_run.product_id);
  perform private.create_batch_job(v_run);
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_json(p_run public.sprint_runs, p_with_jobs boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_totals jsonb;
  v_run jsonb;
  v_costs jsonb := private.costs_of(p_run.product_id, p_run.id);
begin
  select jsonb_build_object(
    'jobs_total', count(*),
    'counts', jsonb_build_object(
      'queued', count(*) filter (where j.status = 'QUEUED'),
      'claimed', count(*) filter (where j.status = 'CLAIMED'),
      'running', count(*) filter (where j.status = 'RUNNING'),
      'done', count(*) filter (where j.status = 'DONE'),
      'failed', count(*) filter (where j.status = 'FAILED'),
      'cancelled', count(*) filter (where j.status = 'CANCELLED'),
      'skipped', count(*) filter (where j.status = 'SKIPPED')),
    'input_tokens', sum(j.input_tokens),
    'output_tokens', sum(j.output_tokens),
    'cache_read_tokens', sum(j.cache_read_tokens),
    'cache_write_tokens', sum(j.cache_write_tokens),
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end)
  into v_totals
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id;

  v_run := to_jsonb(p_run) || v_totals || jsonb_build_object(
    'status', lower(p_run.status::text),
    'sprint_code', (select s.code from public.sprints s where s.id = p_run.sprint_id),
    'started_by_name', private.username(p_run.started_by));
  if not p_with_jobs then
    return v_run;
  end if;

  return v_run || jsonb_build_object(
    'jobs', (
      select coalesce(jsonb_agg(private.job_json(j) order by j.position, j.id), '[]')
      from public.agent_jobs j where j.sprint_run_id = p_run.id),
    'executions', (
      select coalesce(jsonb_agg(private.execution_json(e) order by e.position), '[]')
      from public.task_executions e where e.sprint_run_id = p_run.id),
    'overlaps', private.run_overlaps(p_run),
    'pause_question', (
      select private.question_json(q) from public.agent_questions q where q.id = p_run.pause_question_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_overlaps(p_run public.sprint_runs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_run.finished_at is not null or p_run.pr_strategy <> 'STORY' or not exists (
    select from public.agent_jobs j where j.sprint_run_id = p_run.id and j.status in ('CLAIMED', 'RUNNING'))
  then
    return '[]';
  end if;
  return (
    with jobs as (
      select j.id, j.branch, j.attempt, j.position, j.status in ('CLAIMED', 'RUNNING') as at_work, t.id as task_id, t.code
      from public.agent_jobs j join public.tasks t on t.id = j.task_id
      where j.sprint_run_id = p_run.id and j.attempt > 0 and j.status in ('QUEUED', 'CLAIMED', 'RUNNING', 'DONE')
      order by at_work desc, j.updated_at desc
      limit 50
    ), files as (
      select j.id, f.file ->> 'path' as path
      from jobs j
      cross join lateral (select d.files from public.job_diffs d where d.job_id = j.id order by d.attempt desc limit 1) d
      cross join lateral jsonb_array_elements(d.files) f (file)
      union
      select j.id, o.path
      from jobs j join public.job_outputs o on o.job_id = j.id and o.attempt = j.attempt
      where j.at_work and o.kind = 'edit' and o.path <> ''
    ), pairs as (
      select a.position, b.position as other_position, a.task_id, a.code, b.task_id as other_id, b.code as other_code,
        (array_agg(x.path order by x.path))[:10] as paths, count(*) as count
      from jobs a
      join jobs b on (a.position, a.id) < (b.position, b.id) and a.branch <> b.branch and (a.at_work or b.at_work)
      join files x on x.id = a.id
      join files y on y.id = b.id and y.path = x.path
      group by a.position, a.id, b.position, b.id, a.task_id, a.code, b.task_id, b.code
      order by a.position, b.position
      limit 20
    )
    select coalesce(jsonb_agg(jsonb_build_object('tasks', jsonb_build_array(
        jsonb_build_object('id', p.task_id, 'code', p.code), jsonb_build_object('id', p.other_id, 'code', p.other_code)),
      'files', p.paths, 'files_total', p.count) order by p.position, p.other_position), '[]')
    from pairs p
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__pass_turn()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.pass_turn(new.sprint_run_id, new.lane_id);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.why_not_moving(p_kind text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := lower(private.require_choice('kind', p_kind, array['JOB', 'TASK', 'RUN']));
  v_job public.agent_jobs;
  v_run public.sprint_runs;
  v_status text;
  v_reasons jsonb;
begin
  if v_kind = 'job' then
    perform private.require_job(p_id);
    select j.* into v_job from public.agent_jobs j where j.id = p_id;
    v_status := lower(v_job.status::text);
    v_reasons := private.job_reasons(v_job);
  elsif v_kind = 'run' then
    perform private.require_run(p_id);
    select r.* into v_run from public.sprint_runs r where r.id = p_id;
    v_status := lower(v_run.status::text);
    v_reasons := private.run_reasons(v_run);
  else
    perform private.require_access('task', p_id);
    select private.task_status_word(t.status) into v_status from public.tasks t where t.id = p_id;
    v_reasons := private.task_reasons(p_id);
  end if;
  v_reasons := v_reasons || private.conflict_reasons(v_kind, p_id);
  return json_build_object('kind', v_kind, 'id', p_id, 'status', v_status,
    'moving', exists (select from jsonb_array_elements(v_reasons) r where r ->> 'code' = 'lease'),
    'reasons', v_reasons,
    'text', (select string_agg(r ->> 'message', ' ') from jsonb_array_elements(v_reasons) r));
end;
$function$;

CREATE TRIGGER _605_pass_turn AFTER UPDATE OF status ON public.agent_jobs FOR EACH ROW WHEN (((new.status = 'QUEUED'::public.agent_job_status) AND (old.status = ANY (ARRAY['CLAIMED'::public.agent_job_status, 'RUNNING'::public.agent_job_status])) AND (new.open_blockers > 0) AND new.in_turn AND (new.sprint_run_id IS NOT NULL))) EXECUTE FUNCTION private.tg_agent_jobs__pass_turn();

COMMENT ON FUNCTION "private"."conflict_reasons"(text, uuid) IS 'conflict and overlap of why_not_moving (docs/troubleshooting.md).';

COMMENT ON FUNCTION "private"."run_overlaps"(public.sprint_runs) IS 'Pairs of tasks of a run that change the same file at the moment: [{ tasks, files, files_total }].';

COMMENT ON FUNCTION "private"."tg_agent_jobs__pass_turn"() IS 'Lets a lane go on when its job comes back and waits (specification: Agent job).';

REVOKE ALL ON FUNCTION "private"."conflict_reasons"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."conflict_reasons"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."run_overlaps"(public.sprint_runs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."run_overlaps"(public.sprint_runs) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."tg_agent_jobs__pass_turn"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_agent_jobs__pass_turn"() TO "postgres";
