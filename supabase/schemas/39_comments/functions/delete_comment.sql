-- Why: authors can delete their comments, and the product's owner anybody's, which the author's audit trail records.
-- Refusals: 404, 403, 429. Definer: comments are written by functions only.
create function operations.delete_comment(p_kind text, p_id uuid, p_comment_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_comment public.comments := private.lock_comment(p_kind, p_id, p_comment_id);
begin
  if v_comment.author_id is distinct from auth.uid() and not exists (
    select from public.products p where p.id = v_comment.product_id and p.owner_id = auth.uid())
  then
    perform private.refuse(403, 'Only its author or the owner of the product can delete a comment. Ask one of them.');
  end if;
  delete from public.comments c where c.id = p_comment_id;
  perform private.audit(coalesce(v_comment.author_id, auth.uid()), auth.uid(), 'comment.deleted',
    jsonb_build_object('product_id', v_comment.product_id, 'comment_id', p_comment_id, 'code', private.code_of(p_kind, p_id)));
  return json_build_object('id', p_comment_id, 'deleted', true);
end;
$$;

comment on function operations.delete_comment is 'Deletes a comment: its author, or the owner of the product.';
grant execute on function operations.delete_comment to authenticated;
