-- Why: some refusals said what is wrong and not what to do next.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.ask_question(p_question text, p_story_id uuid, p_idea_id uuid, p_task_id uuid, p_options jsonb, p_recommended_option integer, p_assignee_id uuid, p_expires_in_seconds integer, p_on_expiry text, p_escalate_to uuid, p_park boolean, p_job_id uuid, p_attempt integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_target record;
  v_on_expiry text := coalesce(private.require_choice('on_expiry', p_on_expiry, array['STOP', 'RECOMMENDED', 'ESCALATE']), 'STOP');
  v_options jsonb;
  v_job public.agent_jobs;
  v_question public.agent_questions;
begin
  v_target := private.question_target(p_story_id, p_idea_id, p_task_id);
  perform private.lock_product(v_target.p_product);
  perform private.require_product_write(v_target.p_product);
  perform private.take_rate_limit('question', auth.uid()::text);
  v_options := private.check_question(p_question, p_options, p_recommended_option, p_expires_in_seconds, v_on_expiry,
    p_escalate_to, v_target.p_product);
  if p_assignee_id is not null and not exists (
    select from public.product_members m where m.product_id = v_target.p_product and m.user_id = p_assignee_id
  ) then
    perform private.refuse(422, 'assignee_id must be a member of the product.');
  end if;
  if p_park and p_job_id is null then
    perform private.refuse(422, 'park needs the job_id and attempt that wait for the answer.');
  end if;
  if p_job_id is not null then
    v_job := private.hold_job(p_job_id, p_attempt);
    if v_job.product_id <> v_target.p_product then
      perform private.refuse(422, 'The job belongs to another product than the question. Ask about what its own product holds.');
    end if;
  end if;

  insert into public.agent_questions (product_id, story_id, idea_id, task_id, assignee_id, job_id, sprint_run_id, asked_by,
    question, options, recommended_option, expires_at, on_expiry, escalate_to, park)
  values (v_target.p_product, v_target.p_story, p_idea_id, p_task_id, p_assignee_id, v_job.id, v_job.sprint_run_id, auth.uid(),
    p_question, v_options, p_recommended_option,
    private.now() + make_interval(secs => coalesce(p_expires_in_seconds, 604800)),
    v_on_expiry::public.question_expiry, p_escalate_to, coalesce(p_park, false))
  returning * into v_question;
  if v_question.park then
    perform private.park_job(v_job, v_question.id);
  end if;
  return private.question_json(v_question);
end;
$function$;

CREATE OR REPLACE FUNCTION private.pause_sprint_run(p_sprint_run_id uuid, p_reason text, p_pr_url text, p_conflict_files jsonb, p_job_id uuid, p_attempt integer, p_release boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs := private.lock_run(p_sprint_run_id);
  v_reason text := btrim(coalesce(p_reason, 'paused_by_person'));
  v_job public.agent_jobs;
begin
  perform private.require_link('pr_url', p_pr_url);
  if v_reason = '' or char_length(v_reason) > 500 then
    perform private.refuse(422, 'reason takes 1 to 500 characters.');
  end if;
  if p_job_id is not null then
    v_job := private.hold_job(p_job_id, p_attempt);
    if v_job.sprint_run_id is distinct from p_sprint_run_id then
      perform private.refuse(422, 'This job does not belong to the run. Name one of its jobs, or none.');
    end if;
  end if;
  if v_run.status not in ('QUEUED', 'RUNNING') then
    perform private.refuse(409, format('Only a run that is queued or running can be paused; this one is %s.', lower(v_run.status::text)));
  end if;

  v_run := private.pause_run(v_run, v_reason, p_pr_url, p_conflict_files, v_job.id);
  if v_job.id is not null and p_release then
    update public.agent_jobs j
    set status = 'QUEUED', failure_class = null, pr_url = coalesce(p_pr_url, j.pr_url)
    where j.id = v_job.id;
  end if;
  return private.run_json(v_run, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.promote_idea(p_idea_id uuid, p_product_id uuid, p_title text, p_description text, p_code text, p_priority integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := coalesce(p_product_id, private.require_idea_write(p_idea_id));
  v_idea public.ideas;
  v_pbi_id uuid := gen_random_uuid();
begin
  perform private.require_idea_write(p_idea_id);
  perform private.require_write('product', v_product_id);
  select i.* into v_idea from public.ideas i where i.id = p_idea_id for update;

  if v_idea.status = 'PLANNED' then
    raise exception using errcode = 'PT409', message = format('Idea %s was promoted already. Go on with %s.', v_idea.code,
      coalesce((select b.code from public.pbis b where b.idea_id = p_idea_id limit 1), 'another idea'));
  end if;
  if v_idea.archived_at is not null then
    raise exception using errcode = 'PT409', message = format('Idea %s is archived. Restore it first.', v_idea.code);
  end if;

  insert into public.pbis (id, product_id, code, title, description, priority, idea_id)
  values (v_pbi_id, v_product_id, p_code, coalesce(p_title, v_idea.title), coalesce(p_description, v_idea.description),
    coalesce(p_priority, 3), p_idea_id);
  update public.ideas i set status = 'PLANNED', pbi_id = v_pbi_id where i.id = p_idea_id;

  return json_build_object(
    'idea', (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id),
    'pbi', (select row_to_json(b) from private.pbi_shape b where b.id = v_pbi_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.question_target(p_story_id uuid, p_idea_id uuid, p_task_id uuid, OUT p_story uuid, OUT p_product uuid)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  p_story := p_story_id;
  if p_task_id is not null then
    perform private.require_access('task', p_task_id);
    p_story := coalesce(p_story_id, (select t.story_id from public.tasks t where t.id = p_task_id));
  end if;
  if num_nonnulls(p_story, p_idea_id) <> 1 then
    perform private.refuse(422, 'A question is bound to exactly one of story_id and idea_id (a task_id stands for its story).');
  end if;
  if p_idea_id is not null then
    p_product := private.require_own_idea(p_idea_id);
    perform private.require_product_access(p_product);
    return;
  end if;
  p_product := private.require_access('story', p_story);
  if p_task_id is not null and not exists (select from public.tasks t where t.id = p_task_id and t.story_id = p_story) then
    perform private.refuse(422, 'The task does not belong to the story. Leave story_id out: task_id stands for its story.');
  end if;
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
    perform private.refuse(409, format('The work of this job stands at %s now. Say it of that, once it is on the main branch.',
      coalesce(left(v_job.head_sha, 8), 'no commit')));
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

CREATE OR REPLACE FUNCTION private.require_admin()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not private.is_admin() then
    raise exception using errcode = 'PT403', message = 'Only administrators may do this. Ask one of them.';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_own_idea(p_idea_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_idea public.ideas;
begin
  select i.* into v_idea from public.ideas i where i.id = p_idea_id;

  if v_idea.id is null then
    raise exception using errcode = 'PT404', message = 'No such idea.';
  end if;

  if v_idea.user_id is distinct from auth.uid() then
    raise exception using errcode = 'PT403', message = 'This idea belongs to somebody else. Ask them, or note one of your own.';
  end if;

  return v_idea.product_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_product_owner(p_product_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);

  if not exists (
    select from public.product_members m
    where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'OWNER'
  ) then
    raise exception using errcode = 'PT403', message = 'Only the owner of the product may do this. Ask them.';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_reviewer(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'PLAN_CHAT' then
    perform private.refuse(422, 'A talk about an idea has no changes to review. Go on with it on the page of the idea.');
  end if;
  if private.is_token() and exists (
    select from public.job_attempts a join public.agent_workers w on w.id = a.worker_id
    where a.job_id = p_job.id and w.user_id = auth.uid())
  then
    perform private.refuse(403, 'A worker does not review its own work. Sign in and review it on its page.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.save_job_diff(p_job_id uuid, p_attempt integer, p_diff jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_files jsonb := p_diff -> 'files';
  v_job public.agent_jobs := private.lock_job(p_job_id, true);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_additions bigint;
  v_deletions bigint;
begin
  if v_job.kind = 'PLAN_CHAT' then
    perform private.refuse(422, 'A talk about an idea changes no files. Report it without a diff.');
  end if;
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  perform private.take_rate_limit('job_diff', p_job_id::text);
  select coalesce(sum((f ->> 'additions')::bigint), 0), coalesce(sum((f ->> 'deletions')::bigint), 0)
  into v_additions, v_deletions
  from jsonb_array_elements(v_files) f;
  if v_additions > 2147483647 or v_deletions > 2147483647 then
    perform private.refuse(422, 'Nobody can look at so many lines. Send the changes without their patches.');
  end if;

  insert into public.job_diffs as d
    (job_id, attempt, product_id, base_sha, head_sha, additions, deletions, files, bytes, created_at)
  values (p_job_id, p_attempt, v_job.product_id, p_diff ->> 'base_sha', p_diff ->> 'head_sha', v_additions, v_deletions,
    v_files, octet_length(v_files::text), private.now())
  on conflict (job_id, attempt) do update
  set base_sha = excluded.base_sha, head_sha = excluded.head_sha, additions = excluded.additions,
      deletions = excluded.deletions, files = excluded.files, bytes = excluded.bytes, created_at = excluded.created_at;
  perform private.make_room_for_diffs(v_job.product_id);

  update public.agent_jobs j
  set additions = v_additions, deletions = v_deletions,
      lease_until = case when v_state = 'held' then private.now() + private.lease() else j.lease_until end
  where j.id = p_job_id;
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_session(p_user_id uuid, p_user_agent text DEFAULT NULL::text, p_ip text DEFAULT NULL::text, p_previous_session_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_user public.users;
  v_session public.user_sessions;
begin
  select * into v_user from public.users u where u.id = p_user_id for share;
  if not found then
    raise exception using errcode = 'PT401', message = 'This account no longer exists. Sign in with another one.';
  end if;

  delete from public.user_sessions s
  where s.user_id = p_user_id and least(s.expires_at, s.revoked_at) < v_now - interval '30 days';
  update public.user_sessions set revoked_at = v_now
  where id = p_previous_session_id and revoked_at is null;

  insert into public.user_sessions (user_id, user_agent, ip, expires_at, last_seen_at, created_at)
  values (p_user_id, left(p_user_agent, 255), left(p_ip, 45), v_now + interval '30 days', v_now, v_now)
  returning * into v_session;
  -- The same browser and the same person: it goes on being told.
  update public.push_subscriptions set session_id = v_session.id
  where session_id = p_previous_session_id and user_id = p_user_id;

  perform private.audit(p_user_id, p_user_id, 'session.started',
    jsonb_build_object('session_id', v_session.id, 'user_agent', v_session.user_agent), p_ip);
  return json_build_object('session_id', v_session.id, 'user_id', v_user.id, 'is_demo', v_user.is_demo,
    'must_reset_password', v_user.must_reset_password, 'theme', v_user.theme);
end;
$function$;

CREATE OR REPLACE FUNCTION public.update_profile(p_username text DEFAULT NULL::text, p_min_quota_pct integer DEFAULT NULL::integer, p_theme text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_no_demo();
  if p_min_quota_pct not between 1 and 100 then
    raise exception using errcode = 'PT422', message = 'The worker quota threshold is a whole number from 1 to 100.',
      detail = '{"issues":[{"path":"min_quota_pct","message":"Enter a whole number from 1 to 100"}]}';
  end if;
  if p_username !~ '^[A-Za-z0-9][A-Za-z0-9._-]{1,39}$' then
    raise exception using errcode = 'PT422', message = 'This user name cannot be used. Choose another one.',
      detail = '{"issues":[{"path":"username","message":"Use 2 to 40 letters, digits, dots, underscores or hyphens"}]}';
  end if;

  perform private.update_profile(p_username, p_min_quota_pct, p_theme::public.user_theme);
  return private.get_profile();
exception when unique_violation then
  raise exception using errcode = 'PT422', message = 'This user name is taken. Choose another one.',
    detail = '{"issues":[{"path":"username","message":"This user name is taken"}]}';
end;
$function$;

CREATE OR REPLACE FUNCTION public.update_sprint(p_sprint_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
begin
  perform private.require_write('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;

  if v_sprint.status in ('COMPLETED', 'CANCELLED') then
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s and does not change any more. Plan another one.', v_sprint.code, lower(v_sprint.status::text));
  end if;

  v_sprint.sprint_goal := coalesce(p_changes ->> 'sprint_goal', v_sprint.sprint_goal);
  if p_changes ? 'start_date' then
    v_sprint.start_date := (p_changes ->> 'start_date')::date;
  end if;
  if p_changes ? 'end_date' then
    v_sprint.end_date := (p_changes ->> 'end_date')::date;
  end if;
  perform private.require_dates_in_order(v_sprint.start_date, v_sprint.end_date);

  update public.sprints s
  set sprint_goal = v_sprint.sprint_goal, start_date = v_sprint.start_date, end_date = v_sprint.end_date
  where s.id = p_sprint_id;
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$function$;
