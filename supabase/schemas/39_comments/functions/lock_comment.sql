-- Why: locks and returns the comment to change, at the named item. 404, 403.
create function private.lock_comment(p_kind text, p_id uuid, p_comment_id uuid)
returns public.comments
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_comment public.comments;
begin
  perform private.require_commenter(private.require_comment_place(p_kind), p_id);
  perform private.take_rate_limit('comment', auth.uid()::text);
  select c.* into v_comment from public.comments c
  where c.id = p_comment_id and p_id in (c.pbi_id, c.story_id, c.task_id)
  for update;
  if not found then
    perform private.refuse(404, 'No such comment. It may have been deleted.');
  end if;
  return v_comment;
end;
$$;

comment on function private.lock_comment is 'A comment of an item, for a change; PT404, PT403, PT429.';
