-- Why: a search looks through its own products alone, what a worker follows is its user's, a permission nobody can give is the owner's to dismiss, and tries to sign in count by account.
set local check_function_bodies = off;

REVOKE ALL ON TABLE "public"."agent_workers" FROM "authenticated";

DROP INDEX "public"."ideas_search_idx";

DROP INDEX "public"."pbis_search_idx";

DROP INDEX "public"."stories_search_idx";

DROP INDEX "public"."tasks_search_idx";

DROP FUNCTION "private"."is_online"(public.agent_workers);

CREATE OR REPLACE FUNCTION private.answer_question(p_question_id uuid, p_answer text, p_option integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_question public.agent_questions := private.lock_question(p_question_id);
  v_status public.agent_question_status := private.question_status(v_question);
  v_answer text;
begin
  perform private.take_rate_limit('answer', auth.uid()::text);
  if v_question.reader_id <> auth.uid() then
    perform private.refuse(403, format('%s has left the product, so nobody can give this permission. Dismiss the question to let the job continue without it.',
      coalesce(private.username(v_question.reader_id), 'The user of the worker')));
  end if;
  if p_option not between 0 and jsonb_array_length(v_question.options) - 1 then
    perform private.refuse(422, 'option is the index of one of the options, from 0.');
  end if;
  v_answer := concat_ws(': ', v_question.options -> p_option ->> 'label', nullif(btrim(p_answer), ''));
  if v_answer = '' or char_length(v_answer) > 4000 then
    perform private.refuse(422, 'Answer with an option, a text of at most 4000 characters, or both.');
  end if;
  if v_status <> 'OPEN' then
    perform private.refuse(409, case v_status
      when 'ANSWERED' then format('This question was already answered by %s.', coalesce(private.username(v_question.answered_by), 'somebody'))
      when 'CANCELLED' then 'This question was cancelled; the agent does not wait for it any more.'
      else 'This question has expired.' end);
  end if;

  update public.agent_questions q
  set status = 'ANSWERED', answer = v_answer, answered_by = auth.uid(), answered_at = private.now()
  where q.id = p_question_id
  returning q.* into v_question;
  perform private.unpark_job(v_question);
  perform private.act_on_budget_answer(v_question, p_option);
  perform private.act_on_reach_answer(v_question, p_option);
  return private.question_json(v_question);
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_agent_job(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_job(p_job_id);
  return (
    select private.job_json(j) || jsonb_build_object('attempts', private.attempts_json(j.id), 'questions', (
      select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = j.id and private.may_read_talk(j)
        and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))))
    from public.agent_jobs j where j.id = p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_notifications_state()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  return json_build_object('questions', (
    select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now
      and q.product_id in (select private.writable_product_ids())
      and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))));
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
      select jsonb_build_object('code', s.code, 'title', s.sprint_goal, 'sprint_id', s.id,
        'reason', r.failure ->> 'reason', 'task_id', r.failure ->> 'task_id', 'task_code', r.failure ->> 'task_code')
      from public.sprint_runs r join public.sprints s on s.id = r.sprint_id where r.id = p_id)
    when 'job' then (
      select jsonb_build_object('code', i.code, 'title', i.title, 'reason', j.failure_reason, 'idea_id', j.idea_id)
      from public.agent_jobs j join public.ideas i on i.id = j.idea_id where j.id = p_id)
    when 'added' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'owner_name', private.username(p.owner_id))
      from public.products p where p.id = p_id)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_items()
 RETURNS TABLE(kind text, id uuid, product_id uuid, at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_since timestamptz := v_now - interval '14 days';
  v_products uuid[] := array(select private.writable_product_ids());
begin
  return query
    select 'question', q.id, q.product_id, q.created_at
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now and q.product_id = any (v_products)
      and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))
    union all
    select 'review', w.task_id, w.product_id, w.since
    from public.tasks_in_review w
    where w.product_id = any (v_products)
    union all
    select 'run', r.id, r.product_id, r.finished_at
    from public.sprint_runs r
    where r.status = 'FAILED' and r.product_id = any (v_products) and r.finished_at > v_since
      and not exists (select from public.sprint_runs n where n.sprint_id = r.sprint_id and n.created_at > r.created_at)
    union all
    -- A job of a task is told by its run; a talk about an idea is its owner's alone.
    select 'job', j.id, j.product_id, j.finished_at
    from public.agent_jobs j
    where j.status = 'FAILED' and j.finished_at > v_since and j.product_id = any (v_products) and j.idea_id is not null
      and j.created_by = auth.uid()
      and not exists (select from public.agent_jobs n where n.idea_id = j.idea_id and n.created_at > j.created_at)
    union all
    select 'added', m.product_id, m.product_id, m.created_at
    from public.product_members m
    where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and m.product_id = any (v_products);
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_host(p_text text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_name text := regexp_replace(p_text, ':[0-9]{1,5}$', '');
begin
  if char_length(p_text) > 260
    or p_text !~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?$'
    or substring(p_text from ':([0-9]{1,5})$')::integer not between 1 and 65535
  then
    return false;
  end if;
  if v_name ~ '^\[' then
    return family(trim(both '[]' from v_name)::inet) = 6;
  elsif v_name ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$' then
    return host(v_name::inet) = v_name;
  end if;
  return true;
exception
  when invalid_text_representation then
    return false;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_left_to_owner(p_question public.agent_questions)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select p_question.kind = 'permission'
    and p_question.product_id in (select private.owned_product_ids())
    and not exists (
      select from public.product_members m where m.product_id = p_question.product_id and m.user_id = p_question.reader_id);
$function$;

CREATE OR REPLACE FUNCTION private.is_online(p_last_seen_at timestamp with time zone, p_stopped_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select p_stopped_at is null and p_last_seen_at > private.now() - interval '2 minutes';
$function$;

CREATE OR REPLACE FUNCTION private.list_questions(p_product_id uuid, p_state text, p_job_id uuid, p_limit integer, p_cursor uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_state text := private.require_choice('state', p_state, array['OPEN', 'ANSWERED', 'CANCELLED', 'EXPIRED']);
  v_questions jsonb;
  v_count integer;
  v_last uuid;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.question_json(q) order by q.created_at desc, q.id desc), '[]'), count(*),
    (array_agg(q.id order by q.created_at, q.id))[1]
  into v_questions, v_count, v_last
  from (
    select x.* from public.agent_questions x
    where x.product_id in (select m.product_id from public.product_members m where m.user_id = auth.uid())
      and (x.reader_id is null or x.reader_id = auth.uid() or private.is_left_to_owner(x))
      and (x.status <> 'OPEN' or x.expires_at <= v_now or x.product_id in (select private.writable_product_ids()))
      and (p_product_id is null or x.product_id = p_product_id)
      and (p_job_id is null or x.job_id = p_job_id)
      and (v_state is null or v_state = case when x.status = 'OPEN' and x.expires_at <= v_now then 'EXPIRED' else x.status::text end)
      and (p_cursor is null or (x.created_at, x.id) < (select c.created_at, c.id from public.agent_questions c where c.id = p_cursor))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) q;
  return json_build_object('questions', v_questions, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.question_json(p_question public.agent_questions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_status public.agent_question_status := private.question_status(p_question);
begin
  return to_jsonb(p_question) || jsonb_build_object(
    'status', lower(v_status::text),
    'product_code', (select p.code from public.products p where p.id = p_question.product_id),
    'product_name', (select p.name from public.products p where p.id = p_question.product_id),
    'story_code', (select s.code from public.stories s where s.id = p_question.story_id),
    'story_title', (select s.title from public.stories s where s.id = p_question.story_id),
    'task_code', (select t.code from public.tasks t where t.id = p_question.task_id),
    'idea_code', (select i.code from public.ideas i where i.id = p_question.idea_id),
    'asked_by_name', private.username(p_question.asked_by),
    'assignee_name', private.username(p_question.assignee_id),
    'reader_name', private.username(p_question.reader_id),
    'reader_left', private.is_left_to_owner(p_question),
    'answered_by_name', private.username(p_question.answered_by),
    'effective_answer', case
      when v_status = 'ANSWERED' then p_question.answer
      when v_status = 'EXPIRED' and p_question.on_expiry = 'RECOMMENDED'
        then p_question.options -> p_question.recommended_option ->> 'label'
    end,
    'taken_by_policy', v_status = 'EXPIRED' and p_question.on_expiry = 'RECOMMENDED'
  );
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
    perform private.refuse(404, 'No such question.');
  end if;
  perform private.refuse(403, format('Only %s can answer this: an agent asks what it may do on their machine.',
    coalesce(private.username(p_question.reader_id), 'the user of the worker')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.scope_of_words(p_scope uuid)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select left(p_scope::text, 13) || ' ';
$function$;

CREATE OR REPLACE FUNCTION private.scoped_words(p_scope uuid, p_code text, p_title text, p_description text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_scope text := private.scope_of_words(p_scope);
begin
  return array_to_tsvector(array(
    select v_scope || left(w, 300)
    from unnest(tsvector_to_array(to_tsvector('simple', p_code || ' ' || p_title || ' ' || left(p_description, 20000)))) w));
end;
$function$;

CREATE OR REPLACE FUNCTION private.search(p_query text, p_product_id uuid, p_kind text, p_limit integer, p_offset integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_user_id uuid := auth.uid();
  v_code text := replace(replace(replace(trim(p_query), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_products uuid[];
  v_words text[];
  v_query tsquery;
  v_in_products tsquery;
  v_in_ideas tsquery;
  v_ranked integer := 200;
  v_most integer := greatest(v_ranked, p_offset + p_limit + 1);
  v_found json[];
begin
  select array_agg(distinct l) into v_words
  from regexp_split_to_table(lower(p_query), '[^[:alnum:]]+') w, unnest(tsvector_to_array(to_tsvector('simple', w))) l;
  select coalesce(array_agg(m.product_id), '{}') into v_products
  from public.product_members m
  where m.user_id = v_user_id and (p_product_id is null or m.product_id = p_product_id);
  v_query := private.words_in_scopes('{""}', v_words);
  v_in_products := private.words_in_scopes(array(select private.scope_of_words(i) from unnest(v_products) i), v_words);
  v_in_ideas := private.words_in_scopes(array[private.scope_of_words(v_user_id)], v_words);

  select array_agg(row_to_json(r))
  into v_found
  from (
    select h.kind, h.id, h.code, h.title, left(h.description, 200) as excerpt, h.status, h.product_id, p.code as product_code
    from (
      select m.*, row_number() over (order by m.by_code desc, m.created_at desc, m.id) as place
      from (
        (select 'pbi' as kind, b.id, b.product_id, b.code, b.title, b.description, lower(b.status::text) as status, b.created_at,
          b.code ilike v_code as by_code
        from public.pbis b
        where (p_kind is null or p_kind = 'pbi') and b.product_id = any (v_products)
          and b.id in (
            select x.id from public.pbis x where x.code ilike v_code and x.product_id = any (v_products)
            union
            select x.id from public.pbis x
            where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ v_in_products)
        order by by_code desc, b.created_at desc, b.id
        limit v_most)
        union all
        (select 'story', s.id, s.product_id, s.code, s.title, s.description, lower(s.status::text), s.created_at,
          s.code ilike v_code as by_code
        from public.stories s
        where (p_kind is null or p_kind = 'story') and s.product_id = any (v_products)
          and s.id in (
            select x.id from public.stories x where x.code ilike v_code and x.product_id = any (v_products)
            union
            select x.id from public.stories x
            where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ v_in_products)
        order by by_code desc, s.created_at desc, s.id
        limit v_most)
        union all
        (select 'task', t.id, t.product_id, t.code, t.title, t.description, private.task_status_word(t.status), t.created_at,
          t.code ilike v_code as by_code
        from public.tasks t
        where (p_kind is null or p_kind = 'task') and t.product_id = any (v_products)
          and t.id in (
            select x.id from public.tasks x where x.code ilike v_code and x.product_id = any (v_products)
            union
            select x.id from public.tasks x
            where private.scoped_words(x.product_id, x.code, x.title, x.description) @@ v_in_products)
        order by by_code desc, t.created_at desc, t.id
        limit v_most)
        union all
        (select 'idea', i.id, i.product_id, i.code, i.title, i.description, lower(i.status::text), i.created_at,
          i.code ilike v_code as by_code
        from public.ideas i
        where (p_kind is null or p_kind = 'idea') and (p_product_id is null or i.product_id = p_product_id)
          and i.user_id = v_user_id
          and i.id in (
            select x.id from public.ideas x where x.code ilike v_code and x.user_id = v_user_id
            union
            select x.id from public.ideas x
            where private.scoped_words(x.user_id, x.code, x.title, x.description) @@ v_in_ideas)
        order by by_code desc, i.created_at desc, i.id
        limit v_most)
      ) m
    ) h
    join public.products p on p.id = h.product_id
    order by h.by_code desc,
      case when h.place <= v_ranked then ts_rank(to_tsvector('simple', h.code || ' ' || h.title || ' ' || left(h.description, 1000)), v_query) end
        desc nulls last,
      h.created_at desc, h.id
    limit p_limit + 1
    offset p_offset
  ) r;

  return json_build_object(
    'items', array_to_json(coalesce(v_found[1:p_limit], '{}')),
    'next_cursor', case when cardinality(v_found) > p_limit then (p_offset + p_limit)::text end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_questions__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_event jsonb := private.change_event(tg_op, 'question', to_jsonb(old), to_jsonb(new));
  v_row public.agent_questions := coalesce(new, old);
  v_status text;
begin
  if v_event is null then
    return null;
  end if;

  v_status := lower(v_row.status::text);
  if tg_op = 'DELETE' then
    if old.status <> 'OPEN' then
      return null;
    end if;
    v_status := 'cancelled';
    v_event := v_event || '{"op": "U"}';
  end if;

  v_event := v_event || jsonb_build_object(
    'story_id', v_row.story_id,
    'idea_id', v_row.idea_id,
    'task_id', v_row.task_id,
    'assignee_id', v_row.assignee_id,
    'status', v_status
  );
  if v_row.reader_id is null then
    perform private.emit_to_members(v_row.product_id, v_event);
  elsif exists (select from public.product_members m where m.product_id = v_row.product_id and m.user_id = v_row.reader_id) then
    perform private.emit('user:' || v_row.reader_id, v_event);
  elsif v_row.kind = 'permission' then
    perform private.emit('user:' || (select p.owner_id from public.products p where p.id = v_row.product_id), v_event);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_questions__notices()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_subject text := coalesce((select t.code from public.tasks t where t.id = new.task_id),
    (select s.code from public.stories s where s.id = new.story_id),
    (select i.code from public.ideas i where i.id = new.idea_id));
begin
  if tg_op = 'INSERT' then
    perform private.queue_notices('question_opened', new.product_id, new.assignee_id, true,
      format(case new.kind when 'permission' then 'An agent asks your permission: %s' else 'A question about %s' end, v_subject), concat_ws(': ', new.reach, new.question), '/questions?question=' || new.id, private.question_json(new), new.reader_id);
  elsif new.status = 'ANSWERED' then
    perform private.queue_notices('question_answered', new.product_id, null, false,
      format('Answered: %s', v_subject), new.answer, '/questions?question=' || new.id, private.question_json(new), new.reader_id);
  elsif new.status = 'EXPIRED' then
    perform private.queue_notices('question_expired', new.product_id, coalesce(new.escalate_to, new.assignee_id), true,
      format('Nobody answered in time: %s', v_subject), new.question, '/questions?question=' || new.id, private.question_json(new), new.reader_id);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.words_in_scopes(p_scopes text[], p_words text[])
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select coalesce(string_agg(q.words, ' | '), '')::tsquery
  from (
    select '(' || string_agg(quote_literal(s.scope || w.word) || ':*', ' & ') || ')' as words
    from unnest(p_scopes) s (scope)
    cross join unnest(p_words) w (word)
    group by s.scope) q;
$function$;

CREATE OR REPLACE FUNCTION private.worker_json(p_worker public.agent_workers)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_minimum integer := (select u.min_quota_pct from public.users u where u.id = p_worker.user_id);
  v_online boolean := private.is_online(p_worker.last_seen_at, p_worker.stopped_at);
begin
  return to_jsonb(p_worker) - 'also_repos' || jsonb_build_object(
    'current_job_id', private.current_job_id(p_worker.id),
    'username', private.username(p_worker.user_id),
    'online', v_online,
    'min_quota_pct', v_minimum,
    'quota_ok', coalesce(p_worker.last_quota_pct >= v_minimum, true));
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
  v_confined integer;
  v_following integer;
  v_able integer;
  v_place record;
begin
  select p.requires_sandbox, regexp_replace(t.repo_url, '://[^/?#]*@', '://') as repo_url, u.username as written_by
  into v_place
  from public.products p
  left join public.tasks t on t.id = p_job.task_id and t.repo_url <> p.repo_url
  left join public.users u on u.id = t.repo_url_by
  where p.id = p_job.product_id;
  select count(*) filter (where m.workers_allowed),
    count(*) filter (where m.workers_allowed and (w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)),
    string_agg(distinct u.username, ', ') filter (where not m.workers_allowed),
    count(*) filter (where m.workers_allowed and x.is_confined),
    count(*) filter (where m.workers_allowed and x.is_following),
    count(*) filter (where m.workers_allowed and x.is_confined and x.is_following)
  into v_online, v_with_quota, v_without_consent, v_confined, v_following, v_able
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id
  cross join lateral (
    select not v_place.requires_sandbox or w.confinement <> 'none' as is_confined,
      v_place.repo_url is null or private.is_followed(v_place.repo_url, w.also_repos) as is_following) x
  where private.is_online(w.last_seen_at, w.stopped_at)
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
  if v_able > 0 then
    return '[]';
  end if;
  return case when v_following > 0 or v_confined = 0 then jsonb_build_array(jsonb_build_object('code', 'sandbox',
      'message', format('The product asks for a sandbox, and no worker online that could take the job has one. %s', private.sandbox_advice())))
      else '[]' end
    || case when v_following = 0 then jsonb_build_array(jsonb_build_object('code', 'repository',
      'message', format('The task names a repository of its own, %s%s, and no worker online follows it: %s', v_place.repo_url,
        ' (written by ' || v_place.written_by || ')', private.repository_advice(v_place.repo_url)),
      'repo_url', v_place.repo_url, 'written_by', v_place.written_by))
      else '[]' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.workers_online(p_product_ids uuid[])
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select count(*) from public.agent_workers w
    where private.is_online(w.last_seen_at, w.stopped_at) and exists (
      select from public.product_members m where m.user_id = w.user_id and m.product_id = any (p_product_ids)));
end;
$function$;

CREATE OR REPLACE FUNCTION public.find_login_identity(p_identifier text, p_session_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_given text := lower(p_identifier);
  v_user public.users;
  v_is_known boolean;
begin
  if position('@' in p_identifier) > 0 then
    select * into v_user from public.users u where lower(u.email) = v_given limit 1;
  else
    select * into v_user from public.users u where lower(u.username) = v_given;
  end if;

  if v_user.id is null then
    return json_build_object('user_id', null, 'limit_key', 'name:' || v_given, 'account_key', 'account:' || v_given,
      'email', coalesce((select u.email from public.users u order by u.id limit 1), 'nobody@example.invalid'));
  end if;
  v_is_known := exists (select from public.user_sessions s where s.id = p_session_id and s.user_id = v_user.id);
  return json_build_object('user_id', v_user.id, 'email', v_user.email,
    'limit_key', case when v_is_known then 'session:' || p_session_id else 'name:' || v_given end,
    'account_key', case when not v_is_known then 'account:' || v_user.id end);
end;
$function$;

COMMENT ON FUNCTION "private"."is_left_to_owner"(public.agent_questions) IS 'Whether the caller owns the product and the reader of a permission has left it (specification: Agent question).';

COMMENT ON FUNCTION "private"."is_online"(timestamp with time zone, timestamp with time zone) IS 'Seen in two minutes and not stopped (specification: Agent worker).';

COMMENT ON FUNCTION "private"."scope_of_words"(uuid) IS 'What every word of a product, or of a user''s ideas, begins with in the search indexes.';

COMMENT ON FUNCTION "private"."scoped_words"(uuid, text, text, text) IS 'The words of an item for its search index, each with its product or user.';

COMMENT ON FUNCTION "private"."words_in_scopes"(text[], text[]) IS 'A search for words within products, or within the ideas of a user.';

COMMENT ON FUNCTION "public"."find_login_identity"(text, uuid) IS 'User id, e-mail address and limit keys behind a user name or address, with a decoy for unknown ones. Service only.';

REVOKE ALL ON FUNCTION "private"."is_left_to_owner"(public.agent_questions) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_left_to_owner"(public.agent_questions) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."is_online"(timestamp with time zone, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_online"(timestamp with time zone, timestamp with time zone) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."scope_of_words"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."scope_of_words"(uuid) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."scoped_words"(uuid, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."scoped_words"(uuid, text, text, text) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."words_in_scopes"(text[], text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."words_in_scopes"(text[], text[]) TO "authenticated", "postgres", "service_role";

REVOKE ALL ("agents") ON TABLE "public"."agent_workers" FROM "authenticated";

GRANT SELECT ("agents") ON TABLE "public"."agent_workers" TO "authenticated";

REVOKE ALL ("confinement") ON TABLE "public"."agent_workers" FROM "authenticated";

GRANT SELECT ("confinement") ON TABLE "public"."agent_workers" TO "authenticated";

REVOKE ALL ("created_at") ON TABLE "public"."agent_workers" FROM "authenticated";

GRANT SELECT ("created_at") ON TABLE "public"."agent_workers" TO "authenticated";

REVOKE ALL ("hostname") ON TABLE "public"."agent_workers" FROM "authenticated";

GRANT SELECT ("hostname") ON TABLE "public"."agent_workers" TO "authenticated";

REVOKE ALL ("id") ON TABLE "public"."agent_workers" FROM "authenticated";

GRANT SELECT ("id") ON TABLE "public"."agent_workers" TO "authenticated";

REVOKE ALL ("last_quota_check_at") ON TABLE "public"."agent_workers" FROM "authenticated";

GRANT SELECT ("last_quota_check_at") ON TABLE "public"."agent_workers" TO "authenticated";

REVOKE ALL ("last_quota_pct") ON TABLE "public"."agent_workers" FROM "authenticated";

GRANT SELECT ("last_quota_pct") ON TABLE "public"."agent_workers" TO "authenticated";

REVOKE ALL ("last_seen_at") ON TABLE "public"."agent_workers" FROM "authenticated";

GRANT SELECT ("last_seen_at") ON TABLE "public"."agent_workers" TO "authenticated";

REVOKE ALL ("name") ON TABLE "public"."agent_workers" FROM "authenticated";

GRANT SELECT ("name") ON TABLE "public"."agent_workers" TO "authenticated";

REVOKE ALL ("stopped_at") ON TABLE "public"."agent_workers" FROM "authenticated";

GRANT SELECT ("stopped_at") ON TABLE "public"."agent_workers" TO "authenticated";

REVOKE ALL ("user_id") ON TABLE "public"."agent_workers" FROM "authenticated";

GRANT SELECT ("user_id") ON TABLE "public"."agent_workers" TO "authenticated";

REVOKE ALL ("version") ON TABLE "public"."agent_workers" FROM "authenticated";

GRANT SELECT ("version") ON TABLE "public"."agent_workers" TO "authenticated";

CREATE INDEX ideas_search_idx ON public.ideas USING gin (private.scoped_words(user_id, code, title, description));

CREATE INDEX pbis_search_idx ON public.pbis USING gin (private.scoped_words(product_id, code, title, description));

CREATE INDEX stories_search_idx ON public.stories USING gin (private.scoped_words(product_id, code, title, description));

CREATE INDEX tasks_search_idx ON public.tasks USING gin (private.scoped_words(product_id, code, title, description));
