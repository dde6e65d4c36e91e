-- Why: the reviews of a job with their comments, and the caller's own drafts, but nobody else's.
-- Refusals: 404, 403. Definer: access is checked first.
create function operations.list_job_comments(p_job_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_job_reader(p_job_id);
  return json_build_object(
    'comments', (
      select coalesce(jsonb_agg(private.comment_json(c) order by c.created_at, c.id), '[]')
      from public.job_comments c
      where c.job_id = p_job_id and (c.review_id is not null or c.author_id = auth.uid())),
    'reviews', (
      select coalesce(jsonb_agg(private.review_json(r) order by r.created_at, r.id), '[]')
      from public.job_reviews r where r.job_id = p_job_id));
end;
$$;

comment on function operations.list_job_comments is 'Reviews and comments of a job (docs/review.md).';
grant execute on function operations.list_job_comments to authenticated;
