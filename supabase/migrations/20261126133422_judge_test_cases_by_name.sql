-- Why: a test that was replaced by another one was not marked as deleted, and a refused verdict on several tasks named none.
set local check_function_bodies = off;

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
    perform private.refuse(422, format('Say what should change%s: comment on a line of it, or write a summary.',
      (select ' in ' || t.code from public.tasks t where t.id = v_job.task_id)));
  end if;

  insert into public.job_reviews (job_id, product_id, attempt, verdict, summary, author_id, author, head_sha, handed_in_at, first_seen_at)
  values (p_job_id, v_job.product_id, v_job.attempt, v_verdict, v_summary, auth.uid(),
    coalesce(private.username(auth.uid()), 'someone'), v_job.head_sha, private.handed_in_at(p_job_id, private.now()), v_job.first_seen_at)
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
  perform private.emit_part_change('job', p_job_id, 'review');
  return private.review_json(v_review) || jsonb_build_object('job', private.job_json(v_job), 'waited_seconds', v_waited);
end;
$function$;

CREATE OR REPLACE FUNCTION private.deletes_tests(p_files jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from jsonb_array_elements(p_files) f
    where f ->> 'status' = 'deleted' and private.is_test_path(f ->> 'path') and cardinality(private.test_cases(f, '-')) = 0
  ) or exists (
    select unnest(private.test_cases(f, '-')) from jsonb_array_elements(p_files) f
    except
    select unnest(private.test_cases(f, '+')) from jsonb_array_elements(p_files) f);
end;
$function$;

CREATE OR REPLACE FUNCTION private.test_cases(p_file jsonb, p_sign text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select coalesce(m[1], m[2], m[3], m[4], m[5])
    from regexp_matches(p_file ->> 'patch', format('^[%s][ \t]*(?:', p_sign)
      || '(?:it|test)[.( ][^''"`\n]*(?:\n.[ \t]*)?(?:"([^"\n]+)|''([^''\n]+)|`([^`\n]+))'
      || '|(?:async )?(?:def|func) ([Tt]est\w*)'
      || '|(?:#\[[\w:]*test\M|@\w*Test\M)[^\n]*\n.[^(\n]*\m(\w+)\s*\()', 'gn') m
    where private.is_test_path(coalesce(case p_sign when '-' then p_file ->> 'old_path' end, p_file ->> 'path')));
end;
$function$;

REVOKE ALL ON FUNCTION "private"."test_cases"(jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."test_cases"(jsonb, text) TO "postgres";
