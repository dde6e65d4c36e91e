-- Why: one verdict judges several attempts of a story, and an approval confirms only what its page showed.
set local check_function_bodies = off;

DROP FUNCTION "operations"."review_job"(uuid, text, text);

DROP FUNCTION "private"."pass_review"(uuid, text);

CREATE OR REPLACE FUNCTION operations.get_story_changes(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('story', p_story_id);
  return json_build_object(
    -- Tasks that are neither done nor wait for a verdict: without any, approving the rest finishes the story.
    'open_tasks', (
      select count(*) from public.tasks t
      where t.story_id = p_story_id and t.status <> 'DONE' and not exists (
        select from public.agent_jobs j where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review')),
    'attempts', (
    select coalesce(json_agg(json_build_object('task', json_build_object('id', t.id, 'code', t.code, 'title', t.title),
      'waits', j.status = 'QUEUED', 'job_id', j.id, 'attempt', d.attempt, 'base_sha', d.base_sha, 'head_sha', d.head_sha, 'files', d.files,
      'verdict', (
        select r.verdict from public.job_reviews r
        -- Without an author it is CI or the landing queue, which return work and never approve it.
        where r.job_id = j.id and r.attempt = d.attempt and (r.author_id is not null or r.verdict = 'approve')
        order by r.created_at desc, r.id limit 1)
    ) order by d.created_at, j.position, j.id), '[]')
    from public.tasks t
    join public.agent_jobs j on j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION'
      and (j.status = 'DONE' or (j.status = 'QUEUED' and j.phase = 'review'))
    join public.job_diffs d on d.job_id = j.id and d.attempt = j.attempt
    where t.story_id = p_story_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.review_job(p_job_id uuid, p_verdict text, p_summary text DEFAULT NULL::text, p_attempt integer DEFAULT NULL::integer, p_criteria jsonb DEFAULT NULL::jsonb)
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
  v_waited double precision;
begin
  perform private.require_reviewer(v_job);
  perform private.take_rate_limit('job_review', auth.uid()::text);
  if p_attempt is distinct from v_job.attempt and p_attempt is not null then
    perform private.refuse(409, format('Attempt %s has begun since you looked. Reload the page and judge what is there now.', v_job.attempt));
  end if;
  perform private.require_reviewable(v_job, v_verdict);
  if v_verdict = 'request_changes' and v_summary = '' and not exists (
    select from public.job_comments c where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null)
  then
    perform private.refuse(422, 'Say what should change: comment on a line, or write it in the summary.');
  end if;

  insert into public.job_reviews (job_id, product_id, attempt, verdict, summary, author_id, author, head_sha, handed_in_at, first_seen_at)
  values (p_job_id, v_job.product_id, v_job.attempt, v_verdict, v_summary, auth.uid(),
    coalesce(private.username(auth.uid()), 'somebody'), v_job.head_sha, private.handed_in_at(p_job_id, private.now()), v_job.first_seen_at)
  returning * into v_review;
  update public.job_comments c set review_id = v_review.id
  where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null;

  if v_job.judged_at is null then
    v_waited := extract(epoch from private.now() - v_review.handed_in_at);
    update public.agent_jobs j set judged_at = private.now() where j.id = p_job_id;
  end if;
  if v_verdict = 'request_changes' then
    perform private.void_proof(v_job), private.note_return(v_job, 'changes_requested');
  end if;
  if v_job.status = 'QUEUED' and v_verdict = 'approve' then
    perform private.pass_review(p_job_id, v_summary, p_criteria);
  elsif v_job.status = 'QUEUED' then
    perform private.reject_review(p_job_id);
  elsif v_verdict = 'request_changes' then
    perform private.reopen_job(v_job);
  end if;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  perform private.emit('product:' || v_job.product_id, jsonb_build_object('op', 'U', 'entity', 'job', 'id', p_job_id,
    'product_id', v_job.product_id, 'changed_fields', jsonb_build_array('review'), 'task_id', v_job.task_id, 'idea_id', null,
    'kind', v_job.kind, 'status', v_job.status, 'sprint_run_id', v_job.sprint_run_id));
  return private.review_json(v_review) || jsonb_build_object('job', private.job_json(v_job), 'waited_seconds', v_waited);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.review_story(p_story_id uuid, p_verdict text, p_attempts jsonb, p_summary text DEFAULT NULL::text, p_criteria jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('story', p_story_id);
  v_reviews jsonb := '[]';
  v_each record;
begin
  for v_each in
    select (a.value ->> 'job_id')::uuid as job_id, (a.value ->> 'attempt')::integer as attempt,
      exists (
        select from public.agent_jobs j join public.tasks t on t.id = j.task_id
        where j.id = (a.value ->> 'job_id')::uuid and j.product_id = v_product_id and t.story_id = p_story_id) as of_story
    from jsonb_array_elements(p_attempts) with ordinality a (value, place)
    order by case when upper(p_verdict) = 'APPROVE' then a.place else -a.place end
  loop
    if not v_each.of_story then
      perform private.refuse(422, 'This job does not belong to the story. Send those that the changes of the story list.');
    end if;
    v_reviews := v_reviews || (operations.review_job(v_each.job_id, p_verdict, p_summary, v_each.attempt, p_criteria)::jsonb - 'job');
  end loop;
  return json_build_object('reviews', v_reviews);
end;
$function$;

CREATE OR REPLACE FUNCTION private.pass_review(p_job_id uuid, p_words text, p_criteria jsonb DEFAULT NULL::jsonb)
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
    perform private.refuse(403, 'This job needs a person: sign in and approve it there. An API token can send comments and request changes.');
  end if;
  for v_criterion in
    select c.* from unnest(private.stories_to_finish(v_job)) s (id) cross join lateral private.story_proof(s.id) c
    where c.state <> 'waived' and not (c.state = 'proven' and c.grade = 'person')
  loop
    if not coalesce(p_criteria ? v_criterion.id, true) then
      perform private.refuse(409, format('This criterion has been written since you looked: "%s" Reload the page: an approval confirms what it showed.',
        left(v_criterion.text, 200)));
    end if;
    perform private.insert_evidence(v_criterion.story_id, jsonb_build_object('criterion', v_criterion.id, 'verdict', 'pass',
      'head_sha', (select h.head_sha from public.story_heads h where h.story_id = v_criterion.story_id),
      'excerpt', coalesce(nullif(left(btrim(p_words), 2000), ''), 'Approved.')), 'person', null, v_job,
      coalesce(private.username(auth.uid()), 'somebody'));
  end loop;
  update public.agent_jobs j set status = 'DONE' where j.id = p_job_id returning j.* into v_job;
  return v_job;
end;
$function$;

REVOKE ALL ON FUNCTION "operations"."get_story_changes"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."get_story_changes"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."review_job"(uuid, text, text, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."review_job"(uuid, text, text, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "operations"."review_story"(uuid, text, jsonb, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "operations"."review_story"(uuid, text, jsonb, text, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."pass_review"(uuid, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pass_review"(uuid, text, jsonb) TO "postgres";
