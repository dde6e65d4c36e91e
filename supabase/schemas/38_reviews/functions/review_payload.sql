-- Why: the next attempt at a task, even in another run, gets what the newest review requests: its summary first, then
-- each comment with its line. Empty once the work was approved.
create function private.review_payload(p_job public.agent_jobs)
returns json
language plpgsql
stable
set search_path = ''
as $$
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

comment on function private.review_payload is 'What the newest review of a task asks for (docs/review.md).';
