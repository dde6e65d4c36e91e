-- Why: one form of a review for all readers.
create function private.review_json(p_review public.job_reviews)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object('id', p_review.id, 'job_id', p_review.job_id, 'attempt', p_review.attempt,
    'verdict', p_review.verdict, 'summary', p_review.summary, 'author_id', p_review.author_id, 'author', p_review.author,
    'created_at', p_review.created_at);
end;
$$;

comment on function private.review_json is 'A review (docs/review.md).';
