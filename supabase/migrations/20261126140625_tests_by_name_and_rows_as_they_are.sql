-- Why: a test that was replaced by another one was not marked as deleted, a refused verdict on several tasks named none, and exports and imports of rows listed their columns.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.import_stories(p_product_id uuid, p_owner_id uuid, p_stories jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_stories jsonb;
  v_tasks jsonb;
begin
  perform private.lock_product(p_product_id);

  select jsonb_agg(e.story || jsonb_build_object('id', gen_random_uuid()) order by e.place)
  into v_stories
  from jsonb_array_elements(p_stories) with ordinality e (story, place);

  perform private.insert_rows('public.stories', (
    select jsonb_agg(e.story - 'status' || jsonb_build_object('product_id', p_product_id, 'pbi_id', b.id, 'sprint_id', s.id,
      'assignee_id', m.user_id, 'label_ids', private.label_ids_named(p_product_id, e.story -> 'labels'),
      'in_triage', e.story ->> 'status' is not distinct from 'TRIAGE',
      'created_at', coalesce(e.story ->> 'created_at', private.now()::text)) order by e.place)
    from jsonb_array_elements(v_stories) with ordinality e (story, place)
    join public.pbis b on b.product_id = p_product_id and b.code = e.story ->> 'pbi'
    left join public.sprints s on s.product_id = p_product_id and s.code = e.story ->> 'sprint'
    left join public.users u on lower(u.username) = lower(e.story ->> 'assignee')
    left join public.product_members m on m.product_id = p_product_id and m.user_id = u.id and m.role <> 'VIEWER'));

  select jsonb_agg(t.task || jsonb_build_object('id', gen_random_uuid(), 'product_id', p_product_id, 'story_id', e.story -> 'id',
    'label_ids', private.label_ids_named(p_product_id, t.task -> 'labels'),
    'created_at', coalesce(t.task ->> 'created_at', private.now()::text)) order by e.place, t.place)
  into v_tasks
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'tasks') with ordinality t (task, place);

  perform private.insert_rows('public.tasks', v_tasks);

  perform private.insert_rows('public.story_logs', (
    select jsonb_agg(l || jsonb_build_object('story_id', e.story -> 'id', 'product_id', p_product_id, 'user_id', coalesce(u.id, p_owner_id),
      'created_at', coalesce(l ->> 'created_at', private.now()::text)))
    from jsonb_array_elements(v_stories) e (story)
    cross join lateral jsonb_array_elements(e.story -> 'log') l
    left join public.users u on lower(u.username) = lower(l ->> 'username')));

  perform private.import_proof(p_product_id, v_stories);
  perform private.import_reviews(p_product_id, v_tasks);
  perform private.import_comments(p_product_id, 'story', v_stories);
  perform private.import_comments(p_product_id, 'task', v_tasks);

  return json_build_object(
    'story_codes', (
      select coalesce(json_agg(s.code order by e.place), '[]')
      from jsonb_array_elements(v_stories) with ordinality e (story, place)
      join public.stories s on s.id = (e.story ->> 'id')::uuid),
    'task_codes', (
      select coalesce(json_agg(t.code order by e.place), '[]')
      from jsonb_array_elements(v_tasks) with ordinality e (task, place)
      join public.tasks t on t.id = (e.task ->> 'id')::uuid));
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

CREATE OR REPLACE FUNCTION private.export_comments(p_item_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(private.exported(to_jsonb(c), '{pbi_id,story_id,task_id,author_id}')
      order by c.created_at, c.author, c.body), '[]')
    from public.comments c
    where c.pbi_id = p_item_id or c.story_id = p_item_id or c.task_id = p_item_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_files(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(private.exported(to_jsonb(f), '{story_id,task_id,comment_id,job_id,created_by}') || jsonb_build_object(
      'id', f.id, 'of_comment', f.comment_id is not null,
      'story', (select s.code from public.stories s where s.id = f.story_id),
      'task', (select t.code from public.tasks t where t.id = f.task_id)
    ) order by f.created_at, f.id), '[]')
    from public.files f
    where f.product_id = p_product_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_ideas(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(private.exported(to_jsonb(i), '{user_id,pbi_id}') || jsonb_build_object(
      'username', u.username,
      'pbi', (select b.code from public.pbis b where b.id = i.pbi_id and b.product_id = p_product_id),
      'linked_products', (
        select coalesce(json_agg(p.code order by p.code), '[]')
        from public.idea_products ip
        join public.products p on p.id = ip.product_id
        where ip.idea_id = i.id
      ),
      'log', (
        select coalesce(json_agg(private.exported(to_jsonb(l), '{idea_id,user_id}') || jsonb_build_object('username', private.username(l.user_id))
          order by l.created_at, l.kind, l.content, l.id), '[]')
        from public.idea_logs l
        where l.idea_id = i.id
      )
    ) order by u.username, i.code), '[]')
    from public.ideas i
    join public.users u on u.id = i.user_id
    where i.product_id = p_product_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_reviews(p_task_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(private.exported(to_jsonb(r), '{job_id,task_id,author_id,head_sha}') || jsonb_build_object(
      'comments', (
        select coalesce(json_agg(private.exported(to_jsonb(c), '{job_id,review_id,author_id}')
          order by c.created_at, c.path, c.line, c.side, c.body), '[]')
        from public.job_comments c where c.review_id = r.id)
    ) order by r.created_at, r.attempt, r.author, r.summary), '[]')
    from (
      select i.* from public.job_reviews i where i.task_id = p_task_id
      union all
      select i.* from public.agent_jobs j join public.job_reviews i on i.job_id = j.id
      where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION'
      union all
      select i.*
      from public.task_executions e
      join public.agent_jobs j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION'
      join public.job_reviews i on i.job_id = j.id
      where e.task_id = p_task_id and not exists (
        select from public.task_executions f
        where f.sprint_run_id = e.sprint_run_id and (f.position, f.id) < (e.position, e.id))
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_stories(p_pbi_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(private.exported(to_jsonb(s),
      '{pbi_id,sprint_id,assignee_id,label_ids,in_triage,is_template,template_id,external_id,external_url,origin}') || jsonb_build_object(
      'status', case when s.status = 'TEMPLATE' then 'TRIAGE' else s.status end,
      'sprint', (select sp.code from public.sprints sp where sp.id = s.sprint_id),
      'assignee', (select u.username from public.users u where u.id = s.assignee_id),
      'labels', private.label_names(s.label_ids),
      'blocked_by', private.export_blocked_by('story', s.id),
      'tasks', private.export_tasks(s.id),
      'log', (
        select coalesce(json_agg(private.exported(to_jsonb(l), '{story_id,user_id,job_id}') || jsonb_build_object(
          'username', private.username(l.user_id)) order by l.created_at, l.type, l.content, l.id), '[]')
        from public.story_logs l
        where l.story_id = s.id),
      'head_sha', (select h.head_sha from public.story_heads h where h.story_id = s.id),
      'evidence', (
        select coalesce(json_agg(
          private.exported(to_jsonb(e), '{story_id,seq,criterion_text,file_id,base_file_id,job_id,attempt,worker_id,user_id}')
          || jsonb_build_object('criterion', e.criterion_text, 'file', e.file_id, 'base_file', e.base_file_id) order by e.seq), '[]')
        from public.evidence e
        where e.story_id = s.id),
      'waivers', (
        select coalesce(json_agg(private.exported(to_jsonb(w), '{story_id,criterion_text,user_id}')
          || jsonb_build_object('criterion', w.criterion_text) order by w.created_at, w.criterion), '[]')
        from public.waivers w
        where w.story_id = s.id),
      'comments', private.export_comments(s.id)
    ) order by s.sort_order, s.created_at, s.code), '[]')
    from public.stories s
    where s.pbi_id = p_pbi_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_comments(p_product_id uuid, p_kind text, p_items jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.insert_rows('public.comments', (
    select jsonb_agg(l.c || jsonb_build_object('product_id', p_product_id, p_kind || '_id', e.item -> 'id',
      'created_at', coalesce(l.c ->> 'created_at', private.now()::text)) order by e.place, l.place)
    from jsonb_array_elements(p_items) with ordinality e (item, place)
    cross join lateral jsonb_array_elements(e.item -> 'comments') with ordinality l (c, place)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_reviews(p_product_id uuid, p_tasks jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reviews jsonb;
begin
  select jsonb_agg(r.review || jsonb_build_object('id', gen_random_uuid(), 'product_id', p_product_id, 'task_id', t -> 'id',
    'created_at', coalesce(r.review ->> 'created_at', private.now()::text)))
  into v_reviews
  from jsonb_array_elements(p_tasks) t
  cross join lateral jsonb_array_elements(t -> 'reviews') r (review);

  perform private.insert_rows('public.job_reviews', v_reviews);
  perform private.insert_rows('public.job_comments', (
    select jsonb_agg(c || jsonb_build_object('product_id', p_product_id, 'review_id', r -> 'id',
      'created_at', coalesce(c ->> 'created_at', private.now()::text)))
    from jsonb_array_elements(v_reviews) r
    cross join lateral jsonb_array_elements(r -> 'comments') c));
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
