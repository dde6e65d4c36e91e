-- Why: one form of a comment for all readers.
create function private.comment_json(p_comment public.job_comments)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object('id', p_comment.id, 'job_id', p_comment.job_id, 'review_id', p_comment.review_id,
    'attempt', p_comment.attempt, 'path', p_comment.path, 'line', p_comment.line, 'side', p_comment.side,
    'line_text', p_comment.line_text, 'body', p_comment.body, 'author_id', p_comment.author_id,
    'author', p_comment.author, 'draft', p_comment.review_id is null, 'created_at', p_comment.created_at);
end;
$$;

comment on function private.comment_json is 'A comment on a line (docs/review.md).';
