-- Why: refusals and table comments say "comment" and "cannot" like everything else, and a job without a worker has its command apart from the sentence.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.add_job_comment(p_job_id uuid, p_attempt integer, p_path text, p_line integer, p_side text, p_line_text text, p_body text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id, true);
  v_comment public.job_comments;
begin
  perform private.require_reviewer(v_job);
  perform private.take_rate_limit('job_comment', auth.uid()::text);
  if not exists (select from public.job_diffs d where d.job_id = p_job_id and d.attempt = p_attempt) then
    perform private.refuse(409, 'These changes are gone. Load the page again.');
  end if;
  if (select count(*) from public.job_comments c
      where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null) >= 300 then
    perform private.refuse(422, 'Send these 300 comments first.');
  end if;
  insert into public.job_comments
    (job_id, product_id, attempt, path, line, side, line_text, body, author_id, author)
  values (p_job_id, v_job.product_id, p_attempt, p_path, p_line, p_side, left(p_line_text, 2000), p_body, auth.uid(),
    coalesce(private.username(auth.uid()), 'somebody'))
  returning * into v_comment;
  return private.comment_json(v_comment);
end;
$function$;

CREATE OR REPLACE FUNCTION private.blockers_sentence(p_blockers jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return 'The run cannot start. '
    || (
      select string_agg(b.value ->> 'message', ' ' order by b.ordinality)
      from jsonb_array_elements(p_blockers) with ordinality b
      where b.ordinality <= 3
    )
    || case when jsonb_array_length(p_blockers) > 3
      then format(' And %s more.', jsonb_array_length(p_blockers) - 3) else '' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.delete_job_comment(p_job_id uuid, p_comment_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_comment public.job_comments;
begin
  perform private.lock_job(p_job_id, true);
  select c.* into v_comment from public.job_comments c
  where c.id = p_comment_id and c.job_id = p_job_id and (c.review_id is not null or c.author_id = auth.uid());
  if not found then
    perform private.refuse(404, 'No such comment.');
  end if;
  if v_comment.review_id is not null then
    perform private.refuse(409, 'This comment was sent already. It stays with its review.');
  end if;
  delete from public.job_comments c where c.id = p_comment_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.insert_dependency(p_kind text, p_product_id uuid, p_blocked_id uuid, p_blocker_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_blocked_id = p_blocker_id then
    perform private.refuse(422, format('A %s cannot wait for itself.', p_kind),
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'blocked_by',
        'message', format('Name another %s.', p_kind)))));
  end if;
  perform private.refuse_cycle(p_kind, p_blocked_id, p_blocker_id);

  if p_kind = 'task' then
    insert into public.task_dependencies (blocked_id, blocker_id, product_id)
    values (p_blocked_id, p_blocker_id, p_product_id) on conflict do nothing;
  else
    insert into public.story_dependencies (blocked_id, blocker_id, product_id)
    values (p_blocked_id, p_blocker_id, p_product_id) on conflict do nothing;
  end if;
  if (select count(*) from public.task_dependencies d where p_kind = 'task' and d.blocked_id = p_blocked_id)
    + (select count(*) from public.story_dependencies d where p_kind = 'story' and d.blocked_id = p_blocked_id) > 100 then
    perform private.refuse(422, format('A %s waits for at most 100 others.', p_kind));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pass_review(p_job_id uuid, p_words text)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_criterion private.proven_criterion;
begin
  perform private.require_review(v_job);
  if private.is_token() then
    perform private.refuse(403, 'This job waits for a person: sign in and approve it there. An API token can send comments and request changes.');
  end if;
  for v_criterion in
    select c.* from unnest(private.stories_to_finish(v_job)) s (id) cross join lateral private.story_proof(s.id) c
    where c.state <> 'waived' and not (c.state = 'proven' and c.grade = 'person')
  loop
    perform private.insert_evidence(v_criterion.story_id, jsonb_build_object('criterion', v_criterion.id, 'verdict', 'pass',
      'excerpt', coalesce(nullif(left(btrim(p_words), 2000), ''), 'Approved.')), 'person', null, v_job,
      coalesce(private.username(auth.uid()), 'somebody'));
  end loop;
  update public.agent_jobs j set status = 'DONE' where j.id = p_job_id returning j.* into v_job;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_job(p_job_id uuid, p_verdict text, p_summary text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_verdict text := lower(private.require_choice('verdict', p_verdict, array['APPROVE', 'REQUEST_CHANGES']));
  v_summary text := coalesce(btrim(p_summary), '');
  v_review public.job_reviews;
begin
  perform private.require_reviewer(v_job);
  perform private.take_rate_limit('job_review', auth.uid()::text);
  perform private.require_reviewable(v_job, v_verdict);
  if v_verdict = 'request_changes' and v_summary = '' and not exists (
    select from public.job_comments c where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null)
  then
    perform private.refuse(422, 'Say what should change: comment on a line, or write it into the summary.');
  end if;

  insert into public.job_reviews (job_id, product_id, attempt, verdict, summary, author_id, author)
  values (p_job_id, v_job.product_id, v_job.attempt, v_verdict, v_summary, auth.uid(),
    coalesce(private.username(auth.uid()), 'somebody'))
  returning * into v_review;
  update public.job_comments c set review_id = v_review.id
  where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null;

  if v_job.status = 'QUEUED' and v_verdict = 'approve' then
    perform private.pass_review(p_job_id, v_summary);
  elsif v_job.status = 'QUEUED' then
    perform private.reject_review(p_job_id);
  elsif v_verdict = 'request_changes' then
    perform private.reopen_job(v_job);
  end if;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  perform private.emit('product:' || v_job.product_id, jsonb_build_object('op', 'U', 'entity', 'job', 'id', p_job_id,
    'product_id', v_job.product_id, 'changed_fields', jsonb_build_array('review'), 'task_id', v_job.task_id, 'idea_id', null,
    'kind', v_job.kind, 'status', v_job.status, 'sprint_run_id', v_job.sprint_run_id));
  return private.review_json(v_review) || jsonb_build_object('job', private.job_json(v_job));
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__keep_product()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  raise exception using errcode = 'PT422', message = 'This cannot move to another product.',
    detail = '{"issues":[{"path":"product_id","message":"The product of this cannot change."}]}';
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_stories__copy_product()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.product_id := private.product_of('pbi', new.pbi_id);

  if tg_op = 'UPDATE' and new.product_id <> old.product_id then
    raise exception using errcode = 'PT422', message = 'A story cannot move to a PBI of another product.',
      detail = '{"issues":[{"path":"pbi_id","message":"Choose a PBI of the same product."}]}';
  end if;

  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__copy_product()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.product_id := private.product_of('story', new.story_id);

  if tg_op = 'UPDATE' and new.product_id <> old.product_id then
    raise exception using errcode = 'PT422', message = 'A task cannot move to a story of another product.',
      detail = '{"issues":[{"path":"story_id","message":"Choose a story of the same product."}]}';
  end if;

  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.undo_change()
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_session_id uuid := (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id')::uuid;
  v_transaction_id xid8;
  v_product_id uuid;
  v_change private.changes;
  v_changes private.changes[];
  v_reason text;
begin
  perform private.take_rate_limit('undo', auth.uid()::text);
  select c.transaction_id into v_transaction_id
  from private.changes c
  where c.session_id = v_session_id and c.changed_at > private.now() - interval '30 seconds'
  order by c.id desc limit 1;

  for v_product_id in
    select distinct c.product_id from private.changes c
    where c.session_id = v_session_id and c.transaction_id = v_transaction_id order by c.product_id
  loop
    perform private.require_product_access(v_product_id);
    perform private.lock_product(v_product_id);
    perform private.require_product_write(v_product_id);
  end loop;

  with taken as (
    delete from private.changes c
    where c.session_id = v_session_id and c.transaction_id = v_transaction_id
    returning c.*
  )
  select array_agg(taken::private.changes) into v_changes from taken;
  if v_changes is null then
    perform private.refuse(409, 'Nothing to take back: a change can be taken back for 30 seconds.');
  end if;

  select c.* into v_change from unnest(v_changes) c where c.lost is not null order by c.id limit 1;
  if found then
    perform private.refuse(409, format('%s had %s, which cannot be brought back. Nothing was taken back.',
      v_change.code, v_change.lost));
  end if;

  perform set_config('backloom.undoing', 'yes', true);
  for v_change in
    select c.* from unnest(v_changes) c
    -- What was deleted comes back from the top; what was changed twice goes back from the end.
    order by c.after is not null, case when c.after is null then array_position('{pbi,story,task}', c.kind) end, c.id desc
  loop
    begin
      v_reason := null;
      if v_change.after is null then
        perform private.restore_thing(v_change);
      end if;
    exception when foreign_key_violation then
      v_reason := 'has lost its place';
    end;
    if v_reason is null and v_change.after is not null then
      v_reason := private.restore_fields(v_change);
    end if;
    if v_reason is not null then
      perform private.refuse(409, format('%s %s, so nothing was taken back.', v_change.code, v_reason));
    end if;
  end loop;
  perform set_config('backloom.undoing', '', true);

  return json_build_object('changes', (
    select json_agg(json_build_object('kind', c.kind, 'id', c.thing_id, 'code', c.code, 'is_back', c.after is null, 'fields',
      case when c.after is null then '[]'::jsonb else (select jsonb_agg(f.key order by f.key) from jsonb_each(c.before) f) end)
      order by c.after is not null, array_position('{pbi,story,task}', c.kind), c.id)
    from unnest(v_changes) c));
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_online integer;
  v_with_quota integer;
  v_without_consent text;
begin
  select count(*) filter (where m.workers_allowed),
    count(*) filter (where m.workers_allowed and (w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)),
    string_agg(distinct u.username, ', ') filter (where not m.workers_allowed)
  into v_online, v_with_quota, v_without_consent
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id
  where private.is_online(w)
    and (p_job.kind <> 'PLAN_CHAT' or w.user_id = p_job.created_by)
    and (p_job.phase <> 'verify' or w.id is distinct from p_job.author_worker_id);

  if v_online = 0 and p_job.phase = 'verify' and v_without_consent is null then
    return jsonb_build_array(jsonb_build_object('code', 'needs_other_worker',
      'message', format('The work is done and has to be looked at by another worker than %s: start one under another name.',
        coalesce((select w.name from public.agent_workers w where w.id = p_job.author_worker_id), 'the one that did it'))));
  end if;
  if v_online = 0 and v_without_consent is not null then
    return jsonb_build_array(jsonb_build_object('code', 'consent',
      'message', format('Workers of %s are online and may not work here yet: each of them switches on "My workers may work here" on the members page, or names the product to the worker.',
        v_without_consent)));
  end if;
  if v_online = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'no_worker',
      'message', 'No worker is online. Start one: the page Connect has the command.',
      'command', 'node backloom-worker.mjs --url <address> --token <token> --repo <folder> --agent <agent>'));
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want kept (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  return '[]';
end;
$function$;

COMMENT ON FUNCTION "private"."check_question"(text, jsonb, integer, integer, text, uuid, uuid) IS 'Refuses what a question cannot be (specification: Agent question).';

COMMENT ON FUNCTION "private"."check_webhook"(text, jsonb) IS 'Refuses what a webhook cannot be.';

COMMENT ON FUNCTION "private"."comment_json"(public.job_comments) IS 'A comment on a line (docs/review.md).';

COMMENT ON FUNCTION "private"."restore_fields"(private.changes) IS 'Takes one change of fields back, or says why it cannot.';

COMMENT ON FUNCTION "public"."add_job_comment"(uuid, integer, text, integer, text, text, text) IS 'Collects a comment on a line (docs/review.md).';

COMMENT ON FUNCTION "public"."delete_job_comment"(uuid, uuid) IS 'Takes a draft of a comment back (docs/review.md).';

COMMENT ON FUNCTION "public"."list_job_comments"(uuid) IS 'Reviews and comments of a job (docs/review.md).';

COMMENT ON TABLE "public"."job_comments" IS 'Comments on lines of diffs; drafts until they are sent with a review (docs/review.md).';
