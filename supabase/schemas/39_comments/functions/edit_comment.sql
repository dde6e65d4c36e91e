-- Why: only its author edits a comment, and everybody sees that it was edited. Refusals: 404, 403, 429, 422.
-- Definer: comments are written by functions only.
create function operations.edit_comment(p_kind text, p_id uuid, p_comment_id uuid, p_body text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_comment public.comments := private.lock_comment(p_kind, p_id, p_comment_id);
begin
  if v_comment.author_id is distinct from auth.uid() then
    perform private.refuse(403, 'Only its author can edit a comment. Write one of your own.');
  end if;
  perform private.require_comment_body(p_body);
  if p_body = v_comment.body then
    return private.item_comment_json(v_comment);
  end if;
  update public.comments c set body = p_body, edited_at = private.now() where c.id = p_comment_id returning c.* into v_comment;
  perform private.mention_members(v_comment);
  perform private.adopt_files(v_comment);
  perform private.audit(auth.uid(), auth.uid(), 'comment.edited', jsonb_build_object('product_id', v_comment.product_id,
    'comment_id', p_comment_id, 'code', private.code_of(p_kind, p_id)));
  return private.item_comment_json(v_comment);
end;
$$;

comment on function operations.edit_comment is 'Changes what the caller wrote in a comment.';
grant execute on function operations.edit_comment to authenticated;
