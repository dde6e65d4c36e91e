-- Why: authors can delete their drafts; sent comments stay. Refusals: 404, 403, 409. Definer: comments are written by
-- functions only.
create function operations.delete_job_comment(p_job_id uuid, p_comment_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
    perform private.refuse(409, 'This comment was already sent. It stays with its review.');
  end if;
  delete from public.job_comments c where c.id = p_comment_id;
  return 'null'::json;
end;
$$;

comment on function operations.delete_job_comment is 'Takes a draft of a comment back (docs/review.md).';
grant execute on function operations.delete_job_comment to authenticated;
