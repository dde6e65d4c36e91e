-- Why: a comment on a line of a diff, collected as a draft of its author. The service passes the line's text, since it
-- has the diff. Refusals: 404, 403, 409 without a diff, 422, 429. Definer: comments are written by functions only.
create function operations.add_job_comment(
  p_job_id uuid, p_attempt integer, p_path text, p_line integer, p_side text, p_line_text text, p_body text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id, true);
  v_comment public.job_comments;
begin
  perform private.require_reviewer(v_job);
  perform private.take_rate_limit('job_comment', auth.uid()::text);
  if not exists (select from public.job_diffs d where d.job_id = p_job_id and d.attempt = p_attempt) then
    perform private.refuse(409, 'These changes are gone. Reload the page.');
  end if;
  if (select count(*) from public.job_comments c where c.job_id = p_job_id) >= 2000 then
    perform private.refuse(422, 'This job has 2,000 comments, which is the limit. Write the rest in the summary of your review.');
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
$$;

comment on function operations.add_job_comment is 'Collects a comment on a line (docs/review.md).';
grant execute on function operations.add_job_comment to authenticated;
