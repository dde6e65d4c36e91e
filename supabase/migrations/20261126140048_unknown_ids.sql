-- Why: every operation refuses unknown ids in the same words, also those of landings, issue notes and kept files; a page of
-- reviews leaves out no row when rows before it were judged in the meantime.
set local check_function_bodies = off;

DROP FUNCTION "private"."waiting_reviews"(uuid[]);

CREATE OR REPLACE FUNCTION operations.answer_user_question(p_user_question_id uuid, p_answer text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_question public.user_questions;
  v_product_id uuid;
begin
  select u.* into v_question from public.user_questions u where u.id = p_user_question_id;
  if not found then
    perform private.refuse_unknown('user question');
  end if;
  v_product_id := private.require_own_idea(v_question.idea_id);
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  if coalesce(char_length(p_answer), 0) not between 1 and 20000 or p_answer !~ '\S' then
    perform private.refuse(422, 'answer takes 1 to 20000 characters.');
  end if;

  update public.user_questions u
  set status = 'ANSWERED', answer = p_answer, answered_at = private.now()
  where u.id = p_user_question_id and u.status = 'PENDING'
  returning u.* into v_question;
  if not found then
    select u.* into v_question from public.user_questions u where u.id = p_user_question_id;
    if v_question.answer is distinct from p_answer then
      perform private.refuse(409, 'This question was already answered. Read the answer on the page of the idea.');
    end if;
  end if;
  return private.user_question_json(v_question);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.decide_lesson(p_lesson_id uuid, p_verdict text, p_text text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_verdict text;
  v_lesson public.lessons;
  v_text text;
begin
  perform private.require_write('lesson', p_lesson_id);
  if private.is_token() then
    perform private.refuse(403, 'A lesson needs a person: sign in and decide it there.');
  end if;
  perform private.take_rate_limit('lesson', auth.uid()::text);
  v_verdict := lower(private.require_choice('verdict', p_verdict, array['ACCEPT', 'DECLINE', 'RETIRE']));
  select l.* into v_lesson from public.lessons l where l.id = p_lesson_id for update;
  if v_lesson.status is distinct from (case v_verdict when 'retire' then 'accepted' else 'proposed' end) then
    perform private.refuse(409, format('This lesson is %s. Reload the page.', v_lesson.status), jsonb_build_object('status', v_lesson.status));
  end if;
  if p_text is not null and v_verdict <> 'accept' then
    perform private.refuse(422, 'Only a lesson that is accepted takes another text.');
  end if;
  v_text := case when p_text is null then v_lesson.text else private.require_lesson_text(p_text) end;
  if v_verdict = 'accept' and (
    select count(*) >= 50 from public.lessons l where l.product_id = v_lesson.product_id and l.status = 'accepted')
  then
    perform private.refuse(409, 'This product has 50 lessons, which is the most that agents can heed. Retire one first.');
  end if;

  update public.lessons l
  set text = v_text,
    status = case v_verdict when 'accept' then 'accepted' when 'decline' then 'declined' else 'retired' end,
    accepted_by = case v_verdict when 'accept' then coalesce(private.username(auth.uid()), 'someone') else l.accepted_by end,
    since = case v_verdict when 'accept' then private.now() else l.since end,
    counted_from = case v_verdict when 'accept' then private.now() end,
    before = case when v_verdict = 'retire' then l.before else private.effect_until_now(l) end,
    after = case when v_verdict = 'retire' then private.effect_since(l) else l.after end
  where l.id = p_lesson_id
  returning l.* into v_lesson;
  if v_verdict = 'accept' then
    update public.lessons l set status = 'declined'
    where l.product_id = v_lesson.product_id and l.status = 'proposed' and l.text = v_text;
  end if;
  return private.lesson_json(v_lesson, v_lesson.before, v_lesson.after);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_forecast(p_product_id uuid, p_sprint_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_tasks integer := 1;
  v_seconds numeric[];
  v_tokens numeric[];
  v_costs jsonb;
begin
  perform private.require_product_access(p_product_id);
  if p_sprint_id is not null then
    if not exists (select from public.sprints s where s.id = p_sprint_id and s.product_id = p_product_id) then
      perform private.refuse_unknown('sprint');
    end if;
    v_tasks := cardinality(private.sprint_task_ids(p_sprint_id));
  end if;
  select array_agg(f.seconds), array_agg(f.tokens) filter (where f.tokens > 0) into v_seconds, v_tokens
  from private.finished_tasks(p_product_id) f;
  select coalesce(jsonb_agg(private.spread_of(x.used, v_tasks) || jsonb_build_object('currency', x.currency) order by x.currency)
    filter (where cardinality(x.used) >= 5 and v_tasks > 0), '[]')
  into v_costs
  from (
    select c.currency, array_agg(c.used) as used
    from (
      select k.currency, f.job_id, sum(k.cost) as used
      from private.finished_tasks(p_product_id) f
      join private.known_usage k on k.job_id = f.job_id and k.cost is not null
      group by k.currency, f.job_id
    ) c
    group by c.currency
  ) x;
  return json_build_object('product_id', p_product_id, 'sprint_id', p_sprint_id, 'tasks', v_tasks,
    'finished', coalesce(cardinality(v_seconds), 0), 'too_few', coalesce(cardinality(v_seconds), 0) < 5,
    'seconds', private.spread_of(v_seconds, v_tasks), 'tokens', private.spread_of(v_tokens, v_tasks), 'costs', v_costs)::jsonb
    || private.estimates_of(p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_insights(p_product_id uuid, p_sprint_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
begin
  perform private.require_product_access(p_product_id);
  select s.* into v_sprint from public.sprints s
  where s.product_id = p_product_id and (p_sprint_id is null or s.id = p_sprint_id)
  order by (s.status = 'ACTIVE') desc, s.started_at desc nulls last, s.created_at desc
  limit 1;
  if p_sprint_id is not null and v_sprint.id is null then
    perform private.refuse_unknown('sprint');
  end if;
  return jsonb_build_object(
    'product_id', p_product_id,
    'sprint', case when v_sprint.id is not null then jsonb_build_object('id', v_sprint.id, 'code', v_sprint.code,
      'sprint_goal', v_sprint.sprint_goal, 'status', lower(v_sprint.status::text), 'start_date', v_sprint.start_date,
      'end_date', v_sprint.end_date, 'started_at', v_sprint.started_at, 'completed_at', v_sprint.completed_at) end,
    'burndown', case when v_sprint.id is not null then private.burndown(v_sprint) else '[]' end)
    || private.usage_by(p_product_id, p_sprint_id) || private.cost_insights(p_product_id)
    || jsonb_build_object('landing', private.landing_insights(p_product_id), 'review_times', private.review_times(p_product_id));
end;
$function$;

CREATE OR REPLACE FUNCTION operations.get_question(p_question_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_question public.agent_questions;
begin
  select q.* into v_question from public.agent_questions q where q.id = p_question_id;
  if not found then
    perform private.refuse_unknown('question');
  end if;
  perform private.require_question_reader(v_question);
  return private.question_json(v_question);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.list_reviews(p_product_id uuid DEFAULT NULL::uuid, p_cursor text DEFAULT NULL::text, p_limit integer DEFAULT 50)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 100);
  v_after text[] := case when p_cursor ~ '^\d{1,16}(_-?\d{1,16}){4}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then string_to_array(p_cursor, '_') end;
  v_asked bigint := coalesce(v_after[1]::bigint, extract(epoch from private.now()) * 1000000);
  v_products uuid[];
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
    perform private.require_no_viewer(p_product_id);
  end if;
  v_products := array(
    select w.id from private.writable_product_ids() w (id) where p_product_id is null or w.id = p_product_id);
  return (
    with page as (
      select r.*, -r.frees_tasks as frees, -r.hours as ago, (extract(epoch from r.waiting_since) * 1000000)::bigint as since
      from private.waiting_reviews(v_products, 'epoch'::timestamptz + v_asked * interval '1 microsecond') r
      where v_after is null or (-r.frees_tasks, -r.hours, r.lines, (extract(epoch from r.waiting_since) * 1000000)::bigint, r.job_id)
        > (v_after[2]::bigint, v_after[3]::bigint, v_after[4]::bigint, v_after[5]::bigint, v_after[6]::uuid)
      order by frees, ago, r.lines, since, r.job_id limit v_limit + 1
    ), placed as (
      select p.*, row_number() over (order by p.frees, p.ago, p.lines, p.since, p.job_id) as place from page p
    )
    select json_build_object(
      'reviews', coalesce(json_agg(private.waiting_review_json(p.job_id, p.waiting_since, p.frees_tasks, p.frees_jobs) order by p.place)
        filter (where p.place <= v_limit), '[]'),
      'next_cursor', case when count(*) > v_limit then
        max(concat_ws('_', v_asked, p.frees, p.ago, p.lines, p.since, p.job_id)) filter (where p.place = v_limit) end)
    from placed p);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_issue_note(p_issue_note_id uuid, p_lease uuid, p_state text, p_words text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_note public.issue_notes;
begin
  perform private.require_access('issue note', p_issue_note_id);
  perform private.take_rate_limit('issue_notes', auth.uid()::text);
  perform private.require_write('issue note', p_issue_note_id);
  select n.* into v_note from public.issue_notes n where n.id = p_issue_note_id;
  perform private.hear_worker(v_note.product_id, case when p_state in ('written', 'refused') then
    jsonb_build_object('url', v_note.url, 'deed', v_note.deed, 'state', p_state) end);
  if v_note.lease is distinct from p_lease or v_note.state <> 'working' then
    perform private.refuse(409, 'Another worker has taken this note over, or it has ended. Ask for the next one.');
  end if;
  if p_state = 'put_off' and v_note.tries >= 4 then
    p_state := 'refused';
  end if;
  update public.issue_notes n
  set state = case when p_state in ('written', 'refused') then p_state else 'working' end,
      words = left(p_words, 1000), tries = n.tries + (p_state = 'put_off')::integer,
      lease = case when p_state = 'put_off' then gen_random_uuid() else n.lease end,
      lease_until = private.now() + case p_state when 'put_off' then interval '1 minute' * 4 ^ n.tries else interval '5 minutes' end,
      finished_at = case when p_state in ('written', 'refused') then private.now() end
  where n.id = p_issue_note_id
  returning n.* into v_note;
  return json_build_object('id', v_note.id, 'state', v_note.state);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_landing(p_landing_id uuid, p_lease uuid, p_state text, p_head_sha text DEFAULT NULL::text, p_words text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_landing public.landings;
  v_words text := left(p_words, 10000);
begin
  perform private.require_access('landing', p_landing_id);
  perform private.take_rate_limit('landings', auth.uid()::text);
  perform private.require_write('landing', p_landing_id);
  select l.* into v_landing from public.landings l where l.id = p_landing_id;
  perform private.hear_worker(v_landing.product_id, case when p_state in ('landed', 'conflict', 'test_failed', 'refused') then
    jsonb_build_object('branch', v_landing.branch, 'state', p_state, 'head_sha', p_head_sha) end);
  if v_landing.lease is distinct from p_lease or v_landing.state <> 'working' then
    perform private.refuse(409, 'Another worker has taken this landing over, or it has ended. Ask for the next one.');
  end if;
  if p_state = 'put_off' and v_landing.tries >= 4
    or p_state = 'untested' and v_landing.created_at < private.now() - interval '30 minutes'
  then
    p_state := 'refused';
  end if;
  case
    when p_state in ('working', 'put_off', 'untested', 'waiting_ci') then
      update public.landings l
      set state = case p_state when 'waiting_ci' then 'waiting_ci' else 'working' end,
          head_sha = coalesce(p_head_sha, l.head_sha), words = v_words, tries = l.tries + (p_state = 'put_off')::integer,
          lease_until = private.now() + case p_state when 'put_off' then interval '1 minute' when 'untested' then interval '10 seconds'
            else interval '5 minutes' end,
          lease = case when p_state in ('put_off', 'untested') then gen_random_uuid() else l.lease end
      where l.id = p_landing_id
      returning l.* into v_landing;
    else
      v_landing := private.end_landing(v_landing, p_state, v_words, p_head_sha);
  end case;
  return private.landing_json(v_landing);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_upkeep(p_upkeep_id uuid, p_lease uuid, p_state text, p_digest text DEFAULT NULL::text, p_url text DEFAULT NULL::text, p_words text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_upkeep public.upkeeps;
begin
  perform private.require_access('upkeep', p_upkeep_id);
  perform private.take_rate_limit('upkeeps', auth.uid()::text);
  perform private.require_write('upkeep', p_upkeep_id);
  select u.* into v_upkeep from public.upkeeps u where u.id = p_upkeep_id;
  perform private.hear_worker(v_upkeep.product_id, case when p_state <> 'put_off' then
    jsonb_build_object('kind', v_upkeep.kind, 'state', p_state, 'url', coalesce(p_url, v_upkeep.url)) end, array_remove(array[p_url], null));
  update public.upkeeps u
  set state = case p_state when 'put_off' then u.state else p_state end,
      digest = case p_state when 'put_off' then u.digest else p_digest end,
      url = case when p_state in ('open', 'branch', 'conflict') then p_url else coalesce(p_url, u.url) end,
      words = left(p_words, 1000), lease = gen_random_uuid(),
      lease_until = private.now() + case p_state when 'put_off' then interval '5 minutes' else interval '0' end,
      look_at = case when p_state in ('open', 'branch', 'conflict') then private.now() + interval '5 minutes' end,
      landed_at = case when p_state <> 'merged' then u.landed_at when p_digest <> md5('') then coalesce(u.landed_at, private.now()) end
  where u.id = p_upkeep_id and u.lease = p_lease
  returning u.* into v_upkeep;
  if not found then
    perform private.refuse(409, 'Another worker has taken this file over, or it was reported. Ask for the next one.');
  end if;
  return json_build_object('id', v_upkeep.id, 'state', v_upkeep.state);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.resolve_reference(p_kind text, p_reference text, p_product_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_found json[];
begin
  perform private.parse_choice('kind', coalesce(p_kind, ''), '{product,pbi,story,task,sprint,idea}');
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;

  if p_reference ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    if p_kind = 'idea' then
      perform private.require_own_idea(p_reference::uuid);
    else
      perform private.require_access(p_kind, p_reference::uuid);
    end if;
    v_found := private.find_reference(p_kind, null, p_reference::uuid, null);
  else
    v_found := private.find_reference(p_kind, p_reference, null, p_product_id);
    if v_found is null then
      v_found := private.find_reference(p_kind, upper(p_reference), null, p_product_id);
    end if;
  end if;

  if v_found is null then
    perform private.refuse_unknown(p_kind);
  end if;

  if cardinality(v_found) > 1 then
    raise exception using errcode = 'PT422',
      message = format('%s names more than one %s. Give the id, or name the product.', p_reference, case p_kind when 'pbi' then 'PBI' else p_kind end),
      detail = json_build_object('candidates', array_to_json(v_found))::text;
  end if;

  return v_found[1];
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_job(p_job_id uuid, p_share boolean DEFAULT false)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  if not found then
    perform private.refuse_unknown('agent job');
  end if;
  perform private.require_product_access(v_job.product_id);
  if p_share and v_job.kind = 'TASK_IMPLEMENTATION' then
    perform private.share_product(v_job.product_id);
    -- Read under the lock: a task may have moved to another story until then.
    perform private.lock_part('story', (select t.story_id from public.tasks t where t.id = v_job.task_id));
  else
    perform private.lock_product(v_job.product_id);
  end if;
  perform private.require_product_write(v_job.product_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id for update;
  if not found then
    perform private.refuse_unknown('agent job');
  end if;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_question(p_question_id uuid)
 RETURNS public.agent_questions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_question public.agent_questions;
begin
  select q.* into v_question from public.agent_questions q where q.id = p_question_id;
  if not found then
    perform private.refuse_unknown('question');
  end if;
  perform private.require_question_reader(v_question);
  perform private.lock_product(v_question.product_id);
  perform private.require_product_write(v_question.product_id);
  if v_question.plan is not null then
    perform private.refuse(409, 'A person approves this plan or sends it back on the page of its job, not with an answer.');
  end if;
  select q.* into v_question from public.agent_questions q where q.id = p_question_id for update;
  if not found then
    perform private.refuse_unknown('question');
  end if;
  return v_question;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_work(p_job_id uuid)
 RETURNS private.works
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_work private.works;
begin
  select w.* into v_work from private.works w where w.id = p_job_id;
  if not found then
    perform private.refuse_unknown('agent job');
  end if;
  perform private.require_product_access(v_work.product_id);
  perform private.lock_product(v_work.product_id);
  perform private.require_product_write(v_work.product_id);
  select w.* into v_work from private.works w where w.id = p_job_id;
  return v_work;
end;
$function$;

CREATE OR REPLACE FUNCTION private.product_of(p_kind text, p_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid;
begin
  case p_kind
    when 'task' then
      select t.product_id into v_product_id from public.tasks t where t.id = p_id;
    when 'story' then
      select s.product_id into v_product_id from public.stories s where s.id = p_id;
    when 'pbi' then
      select b.product_id into v_product_id from public.pbis b where b.id = p_id;
    when 'sprint' then
      select s.product_id into v_product_id from public.sprints s where s.id = p_id;
    when 'product' then
      select p.id into v_product_id from public.products p where p.id = p_id;
    when 'lesson' then
      select l.product_id into v_product_id from public.lessons l where l.id = p_id;
    when 'landing' then
      select l.product_id into v_product_id from public.landings l where l.id = p_id;
    when 'issue note' then
      select n.product_id into v_product_id from public.issue_notes n where n.id = p_id;
    when 'upkeep' then
      select u.product_id into v_product_id from public.upkeeps u where u.id = p_id;
  end case;

  if v_product_id is null then
    perform private.refuse_unknown(p_kind);
  end if;

  return v_product_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_unknown(p_kind text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.refuse(404, format('No such %s. %s', case p_kind when 'pbi' then 'PBI' else p_kind end, case p_kind
    when 'product' then 'List products to see yours.'
    when 'agent job' then 'Check the ID: failed and cancelled jobs are deleted after seven days.'
    else 'Check the ID: it may have been deleted.' end));
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_job(p_job_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid;
begin
  select j.product_id into v_product_id from public.agent_jobs j where j.id = p_job_id;
  if v_product_id is null then
    perform private.refuse_unknown('agent job');
  end if;
  perform private.require_product_access(v_product_id);
  return v_product_id;
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
    perform private.refuse_unknown('idea');
  end if;

  if v_idea.user_id is distinct from auth.uid() then
    raise exception using errcode = 'PT403', message = 'This idea belongs to someone else. Ask them, or add your own.';
  end if;

  if not private.is_open_to_token(v_idea.product_id) then
    raise exception using errcode = 'PT403',
      message = 'This token is limited to other products. Use a token that includes the product of this idea.';
  end if;

  return v_idea.product_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_product_access(p_product_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_member boolean;
begin
  select exists (select from public.product_members m where m.product_id = p.id and m.user_id = auth.uid())
  into v_member
  from public.products p
  where p.id = p_product_id;

  if v_member is null then
    perform private.refuse_unknown('product');
  end if;

  if not v_member then
    raise exception using errcode = 'PT403',
      message = 'You have no access to this product. Ask its owner to add you as a member.';
  end if;

  if not private.is_open_to_token(p_product_id) then
    raise exception using errcode = 'PT403',
      message = 'This token is limited to other products. Use a token that includes this product.';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_question_reader(p_question public.agent_questions)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_question.product_id);
  if p_question.reader_id is null or p_question.reader_id = auth.uid() or private.is_left_to_owner(p_question) then
    return;
  end if;
  if p_question.idea_id is not null then
    perform private.refuse_unknown('question');
  end if;
  perform private.refuse(403, format('Only %s can answer this: an agent asks what it may do on their machine.',
    coalesce(private.username(p_question.reader_id), 'the user of the worker')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.waiting_reviews(p_products uuid[], p_asked timestamp with time zone)
 RETURNS TABLE(job_id uuid, waiting_since timestamp with time zone, hours integer, lines integer, frees_tasks integer, frees_jobs integer)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    with w as materialized (
      select j.id, j.task_id, t.story_id, coalesce(i.since, j.updated_at) as since, coalesce(j.additions + j.deletions, 0) as lines
      from public.agent_jobs j
      join public.products p on p.id = j.product_id and p.done_requires <> 'ci'
      join public.tasks t on t.id = j.task_id
      left join public.tasks_in_review i on i.task_id = j.task_id
      where j.product_id = any (p_products) and j.status = 'QUEUED' and j.phase = 'review'
    ), before_stories as materialized (
      select w.id, w.task_id, w.story_id, d.blocked_id from w join public.story_dependencies d on d.blocker_id = w.story_id
    ), behind as (
      select w.id, w.task_id as blocker_id, w.story_id, d.blocked_id as task_id
      from w join public.task_dependencies d on d.blocker_id = w.task_id
      union
      select s.id, s.task_id, s.story_id, t.id
      from before_stories s join public.tasks t on t.story_id = s.blocked_id
      where private.finishes_story(s.task_id)
    ), freed as (
      select b.id, count(*)::integer as tasks, count(q.id)::integer as jobs
      from behind b
      join public.tasks t on t.id = b.task_id and t.status in ('TO_DO', 'FAILED')
      left join public.agent_jobs q on q.task_id = b.task_id and q.status = 'QUEUED'
      where not exists (
        select from private.task_blockers o
        where o.task_id = b.task_id and not o.resolved and o.blocker_id not in (b.blocker_id, b.story_id))
      group by b.id
    )
    select w.id, w.since, floor(extract(epoch from p_asked - w.since) / 3600)::integer, w.lines,
      coalesce(f.tasks, 0), coalesce(f.jobs, 0)
    from w left join freed f on f.id = w.id;
end;
$function$;

REVOKE ALL ON FUNCTION "private"."refuse_unknown"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_unknown"(text) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."waiting_reviews"(uuid[], timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."waiting_reviews"(uuid[], timestamp with time zone) TO "postgres";
