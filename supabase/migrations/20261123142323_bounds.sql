-- Why: one account cannot keep the others waiting: search ranks the newest 200 matches, what could be waited for is found in one walk,
-- both are limited by user, and a job has at most 2,000 comments.
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
  if (select count(*) from public.job_comments c where c.job_id = p_job_id) >= 2000 then
    perform private.refuse(422, 'This job has 2,000 comments, and takes no more. Write what is left into the summary of your review.');
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

CREATE OR REPLACE FUNCTION private.list_candidates(p_kind text, p_id uuid, p_query text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_access(v_kind, p_id);
  v_pattern text := '%' || replace(replace(replace(trim(coalesce(p_query, '')), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_near record;
  v_found jsonb;
begin
  perform private.take_rate_limit('candidates', auth.uid()::text);
  select t.story_id, s.sprint_id, s.pbi_id into v_near
  from public.stories s left join public.tasks t on t.id = p_id
  where s.id = coalesce(t.story_id, p_id);
  with recursive reach (kind, id) as (
    select n.kind, n.id from private.followers(case v_kind when 'task' then 'task' else 'start' end, p_id) n
    union
    select n.kind, n.id from reach r cross join lateral private.followers(r.kind, r.id) n
  ),
  later (id) as (
    select r.id from reach r where r.kind = case v_kind when 'task' then 'task' else 'end' end
  ),
  candidates as (
    select t.id, t.code, t.title, private.task_status_word(t.status) as status,
      t.story_id = v_near.story_id as is_near, s.sprint_id is not distinct from v_near.sprint_id as is_beside, t.created_at
    from public.tasks t join public.stories s on s.id = t.story_id
    where v_kind = 'task' and t.product_id = v_product_id and t.status <> 'DONE' and (t.code ilike v_pattern or t.title ilike v_pattern)
    union all
    select s.id, s.code, s.title, lower(s.status::text),
      s.sprint_id = v_near.sprint_id, s.pbi_id = v_near.pbi_id, s.created_at
    from public.stories s
    where v_kind = 'story' and s.product_id = v_product_id and s.status <> 'DONE' and (s.code ilike v_pattern or s.title ilike v_pattern)
  ),
  nearest as (
    select * from candidates c
    where c.id <> p_id
      and c.id not in (select l.id from later l)
      and not exists (select from public.task_dependencies d where d.blocked_id = p_id and d.blocker_id = c.id)
      and not exists (select from public.story_dependencies d where d.blocked_id = p_id and d.blocker_id = c.id)
    order by c.is_near desc nulls last, c.is_beside desc, c.created_at, c.id
    limit 8
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', n.id, 'code', n.code, 'title', n.title, 'status', n.status)
    order by n.is_near desc nulls last, n.is_beside desc, n.created_at, n.id), '[]')
  into v_found from nearest n;
  return v_found;
end;
$function$;

CREATE OR REPLACE FUNCTION private.rate_limit(p_action text, OUT p_max integer, OUT p_seconds integer)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  select l.max_count, l.seconds
  into p_max, p_seconds
  from (
    values
      -- per client address (login also the failed tries of an account, or of a browser it was signed in on)
      ('login', 10, 60),
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('member_lookup', 10, 3600),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('dependency', 120, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('change', 120, 60),
      ('undo', 60, 60),
      ('api_token', 10, 3600),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      ('inbox', 240, 60),
      ('saved_view', 60, 60),
      ('search', 240, 60),
      ('candidates', 240, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      -- per job
      ('job_output', 240, 60),
      ('job_diff', 30, 60),
      ('job_conflict', 30, 60),
      ('job_merged', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search(p_query text, p_product_id uuid, p_kind text, p_limit integer, p_offset integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := auth.uid();
  v_code text := replace(replace(replace(trim(p_query), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_words text;
  v_query tsquery;
  v_ranked integer := 200;
  v_most integer := greatest(v_ranked, p_offset + p_limit + 1);
  v_found json[];
begin
  select string_agg(quote_literal(w) || ':*', ' & ')
  into v_words
  from regexp_split_to_table(lower(p_query), '[^[:alnum:]]+') w
  where w <> '';
  v_query := to_tsquery('simple', coalesce(v_words, ''));

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
        where (p_kind is null or p_kind = 'pbi') and (p_product_id is null or b.product_id = p_product_id)
          and b.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
          and (b.code ilike v_code or to_tsvector('simple', b.code || ' ' || b.title || ' ' || left(b.description, 20000)) @@ v_query)
        order by by_code desc, b.created_at desc, b.id
        limit v_most)
        union all
        (select 'story', s.id, s.product_id, s.code, s.title, s.description, lower(s.status::text), s.created_at,
          s.code ilike v_code as by_code
        from public.stories s
        where (p_kind is null or p_kind = 'story') and (p_product_id is null or s.product_id = p_product_id)
          and s.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
          and (s.code ilike v_code or to_tsvector('simple', s.code || ' ' || s.title || ' ' || left(s.description, 20000)) @@ v_query)
        order by by_code desc, s.created_at desc, s.id
        limit v_most)
        union all
        (select 'task', t.id, t.product_id, t.code, t.title, t.description, private.task_status_word(t.status), t.created_at,
          t.code ilike v_code as by_code
        from public.tasks t
        where (p_kind is null or p_kind = 'task') and (p_product_id is null or t.product_id = p_product_id)
          and t.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
          and (t.code ilike v_code or to_tsvector('simple', t.code || ' ' || t.title || ' ' || left(t.description, 20000)) @@ v_query)
        order by by_code desc, t.created_at desc, t.id
        limit v_most)
        union all
        (select 'idea', i.id, i.product_id, i.code, i.title, i.description, lower(i.status::text), i.created_at,
          i.code ilike v_code as by_code
        from public.ideas i
        where (p_kind is null or p_kind = 'idea') and (p_product_id is null or i.product_id = p_product_id)
          and i.user_id = v_user_id
          and (i.code ilike v_code or to_tsvector('simple', i.code || ' ' || i.title || ' ' || left(i.description, 20000)) @@ v_query)
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

CREATE OR REPLACE FUNCTION public.list_candidates(p_kind text, p_id uuid, p_query text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.list_candidates(p_kind, p_id, p_query);
end;
$function$;

CREATE OR REPLACE FUNCTION public.search(p_query text, p_product_id uuid DEFAULT NULL::uuid, p_kind text DEFAULT NULL::text, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 20), 1), 50);
  v_offset integer := case when p_cursor ~ '^[0-9]{1,6}$' then p_cursor::integer else 0 end;
begin
  perform private.parse_choice('kind', p_kind, '{pbi,story,task,idea}');
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  if trim(coalesce(p_query, '')) = '' then
    return json_build_object('items', '[]'::json, 'next_cursor', null);
  end if;

  perform private.take_rate_limit('search', auth.uid()::text);
  if p_query ~* '(^|\s)blocked:' then
    return private.search_blocked(left(p_query, 200), p_product_id, p_kind, v_limit, v_offset);
  end if;
  return private.search(left(p_query, 200), p_product_id, p_kind, v_limit, v_offset);
end;
$function$;
