-- Why: the owner's "It is on the main branch" can be taken back for a moment, as other changes of people, unless an agent has begun what it freed.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.code_of(p_kind text, p_id uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select case p_kind
    when 'task' then (select t.code from public.tasks t where t.id = p_id)
    when 'story' then (select s.code from public.stories s where s.id = p_id)
    when 'pbi' then (select b.code from public.pbis b where b.id = p_id)
    when 'job' then (select t.code from public.agent_jobs j join public.tasks t on t.id = j.task_id where j.id = p_id)
  end;
$function$;

CREATE OR REPLACE FUNCTION private.report_merged(p_job_id uuid, p_head_sha text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
begin
  if not private.is_token() then
    perform private.require_product_owner(v_job.product_id);
  elsif p_head_sha is null then
    perform private.refuse(422, 'head_sha names the commit that you found on the main branch.');
  end if;
  perform private.take_rate_limit('job_merged', p_job_id::text);
  if v_job.kind = 'PLAN_CHAT' or v_job.finished_at is null or (v_job.kind = 'TASK_IMPLEMENTATION' and v_job.status <> 'DONE') then
    perform private.refuse(409, 'The work of this job is not done, so it cannot have been merged.');
  end if;
  if p_head_sha is not null and p_head_sha is distinct from v_job.head_sha then
    perform private.refuse(409, format('The work of this job stands at %s now.', coalesce(left(v_job.head_sha, 8), 'no commit')));
  end if;
  if v_job.merged_at is null then
    update public.agent_jobs j set merged_at = private.now() where j.id = p_job_id returning j.* into v_job;
    if not private.is_token() then
      perform private.audit(auth.uid(), auth.uid(), 'job.merged', jsonb_build_object('product_id', v_job.product_id, 'job_id', v_job.id,
        'code', (select t.code from public.tasks t where t.id = v_job.task_id), 'head_sha', v_job.head_sha));
      perform private.remember_change('job', v_job.id, v_job.product_id, private.code_of('job', v_job.id),
        '{"merged_at": null}', jsonb_build_object('merged_at', v_job.merged_at));
    end if;
  end if;
  return jsonb_build_object('job_id', v_job.id, 'merged_at', v_job.merged_at) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_fields(p_change private.changes)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now jsonb;
  v_task public.tasks;
  v_story public.stories;
  v_pbi public.pbis;
begin
  if p_change.kind = 'job' then
    return private.restore_unmerged(p_change);
  end if;

  case p_change.kind
    when 'task' then
      select t.* into v_task from public.tasks t where t.id = p_change.thing_id;
      v_now := private.own_fields('task', to_jsonb(v_task));
    when 'story' then
      select s.* into v_story from public.stories s where s.id = p_change.thing_id;
      v_now := private.own_fields('story', to_jsonb(v_story));
    else
      select b.* into v_pbi from public.pbis b where b.id = p_change.thing_id;
      v_now := private.own_fields('pbi', to_jsonb(v_pbi));
  end case;
  if v_now is null or v_now ->> 'code' is null then
    return 'was deleted since';
  end if;
  if exists (select from jsonb_each(p_change.after) a where a.value is distinct from v_now -> a.key) then
    return 'was changed since';
  end if;

  case p_change.kind
    when 'task' then
      v_task := jsonb_populate_record(v_task, p_change.before);
      update public.tasks t
      set (story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only, verify_required,
          requires_opus, estimated_minutes) =
        (v_task.story_id, v_task.code, v_task.title, v_task.description, v_task.implementation_plan, v_task.priority,
          v_task.status, v_task.repo_url, v_task.verify_only, v_task.verify_required, v_task.requires_opus,
          v_task.estimated_minutes)
      where t.id = p_change.thing_id;
    when 'story' then
      v_story := jsonb_populate_record(v_story, p_change.before);
      update public.stories s
      set (pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id) =
        (v_story.pbi_id, v_story.code, v_story.title, v_story.description, v_story.acceptance_criteria, v_story.priority,
          v_story.sprint_id, v_story.assignee_id)
      where s.id = p_change.thing_id;
    else
      v_pbi := jsonb_populate_record(v_pbi, p_change.before);
      -- READY lifts a block; what the stories call for is put.
      v_pbi.status := case p_change.before ->> 'is_blocked' when 'true' then 'BLOCKED' when 'false' then 'READY'
        else v_pbi.status::text end::public.pbi_status;
      update public.pbis b
      set (code, title, description, priority, sort_order, status) =
        (v_pbi.code, v_pbi.title, v_pbi.description, v_pbi.priority, v_pbi.sort_order, v_pbi.status)
      where b.id = p_change.thing_id;
  end case;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_unmerged(p_change private.changes)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
  v_begun text;
begin
  select j.* into v_job from public.agent_jobs j where j.id = p_change.thing_id for update;
  if not found then
    return 'was deleted since';
  end if;
  perform private.require_product_owner(v_job.product_id);
  if v_job.merged_at is distinct from (p_change.after ->> 'merged_at')::timestamptz then
    return 'was changed since';
  end if;

  select string_agg(distinct private.code_of('job', a.id), ', ') into v_begun
  from public.agent_jobs a
  where a.product_id = v_job.product_id and a.status in ('CLAIMED', 'RUNNING') and a.claimed_at >= p_change.changed_at
    and private.tasks_of_job(a) && private.waiting_for(private.tasks_of_job(v_job));
  if v_begun is not null then
    return format('freed what an agent has begun since (%s)', v_begun);
  end if;

  update public.agent_jobs j set merged_at = null where j.id = v_job.id;
  perform private.audit(auth.uid(), auth.uid(), 'job.merge_taken_back', jsonb_build_object('product_id', v_job.product_id,
    'job_id', v_job.id, 'code', p_change.code, 'head_sha', v_job.head_sha));
  return null;
end;
$function$;

COMMENT ON FUNCTION "private"."code_of"(text, uuid) IS 'The code of a task, story, PBI or job.';

COMMENT ON FUNCTION "private"."restore_unmerged"(private.changes) IS 'Takes the owner''s word back that work is on the main branch, or says why it cannot.';

REVOKE ALL ON FUNCTION "private"."restore_unmerged"(private.changes) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."restore_unmerged"(private.changes) TO "postgres";
