-- The reviews of a job with their comments, and the caller's own drafts, but no one else's.
-- Refusals: 404, 403. Definer: access is checked first (docs/review.md).
create function operations.list_job_comments(p_job_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_job_reader(p_job_id);
  return json_build_object(
    'comments', (
      select coalesce(jsonb_agg(private.comment_json(c) order by c.created_at, c.id), '[]')
      from public.job_comments c
      where c.job_id = p_job_id and (c.review_id is not null or c.author_id = auth.uid())),
    'reviews', (
      select coalesce(jsonb_agg(private.review_json(r) order by r.created_at, r.id), '[]') from private.reviews_of(p_job_id) r));
end;
$$;
grant execute on function operations.list_job_comments to authenticated;

-- The reviews of a job, with the one that was given already and for a few seconds can be taken back.
create function private.reviews_of(p_job_id uuid)
returns setof public.job_reviews language plpgsql stable set search_path = '' as $$
begin
  return query
    select r.* from public.job_reviews r where r.job_id = p_job_id
    union all
    select x.* from public.pending_verdicts v
    cross join lateral jsonb_populate_record(null::public.job_reviews, to_jsonb(v) || jsonb_build_object('id', v.review_id,
      'author_id', v.user_id, 'author', private.username(v.user_id), 'created_at', v.given_at)) x
    where v.job_id = p_job_id;
end;
$$;

-- One form of a review for all readers (docs/review.md).
create function private.review_json(p_review public.job_reviews)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('id', p_review.id, 'job_id', p_review.job_id, 'attempt', p_review.attempt,
    'verdict', p_review.verdict, 'summary', p_review.summary, 'author_id', p_review.author_id, 'author', p_review.author,
    'created_at', p_review.created_at);
end;
$$;

-- One form of a comment for all readers (docs/review.md).
create function private.comment_json(p_comment public.job_comments)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('id', p_comment.id, 'job_id', p_comment.job_id, 'review_id', p_comment.review_id,
    'attempt', p_comment.attempt, 'path', p_comment.path, 'line', p_comment.line, 'side', p_comment.side,
    'line_text', p_comment.line_text, 'body', p_comment.body, 'author_id', p_comment.author_id,
    'author', p_comment.author, 'draft', p_comment.review_id is null, 'created_at', p_comment.created_at);
end;
$$;

-- What people said of a task's work: in the product that it was imported from, and of its newest jobs.
-- Definer: the page has checked access to the task; checked here again to be safe.
create function private.task_reviews(p_task_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_access('task', p_task_id);
  return (
    select coalesce(json_agg(private.review_json(r) || jsonb_build_object('comments', (
        select coalesce(jsonb_agg(private.comment_json(c) order by c.created_at, c.id), '[]')
        from public.job_comments c where c.review_id = r.id)) order by r.created_at, r.id), '[]')
    from (
      select x.* from public.job_reviews x where x.task_id = p_task_id
      union all
      select x.* from (
        select j.id from public.agent_jobs j where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION'
        order by j.created_at desc limit 20) j
      cross join lateral private.reviews_of(j.id) x
    ) r);
end;
$$;
grant execute on function private.task_reviews to authenticated;

-- The next attempt at a task, even in another run, gets what the newest review requests: its summary first, then
-- each comment with its line. Empty once the work was approved (docs/review.md).
create function private.review_payload(p_job public.agent_jobs)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_review public.job_reviews;
begin
  select x.* into v_review
  from (
    select r.*
    from public.agent_jobs j join public.job_reviews r on r.job_id = j.id
    where p_job.kind <> 'PLAN_CHAT' and j.kind = p_job.kind
      and (j.id = p_job.id or (p_job.kind = 'TASK_IMPLEMENTATION' and j.task_id = p_job.task_id))
    union all
    select r.* from public.job_reviews r
    where p_job.kind = 'TASK_IMPLEMENTATION' and r.task_id = p_job.task_id
  ) x
  order by x.created_at desc, x.id limit 1;
  if v_review.id is null or v_review.verdict <> 'request_changes' then
    return '[]';
  end if;
  return (
    select coalesce(json_agg(json_build_object('path', x.path, 'line', x.line, 'side', x.side, 'line_text', x.line_text,
      'body', x.body, 'author', x.author) order by x.created_at, x.id), '[]')
    from (
      select null as path, null::integer as line, null as side, null as line_text, v_review.summary as body,
        v_review.author, '-infinity'::timestamptz as created_at, v_review.id
      where v_review.summary <> ''
      union all
      select c.path, c.line, c.side, c.line_text, c.body, c.author, c.created_at, c.id
      from public.job_comments c where c.review_id = v_review.id
    ) x);
end;
$$;
