-- The address of a comment in the browser.
create function private.comment_path(p_comment public.comments)
returns text
language sql
immutable
set search_path = ''
as $$
  select case
    when p_comment.task_id is not null then '/tasks/' || p_comment.task_id
    when p_comment.story_id is not null then '/stories/' || p_comment.story_id
    else '/products/' || p_comment.product_id || '/backlog?panel=pbi:' || p_comment.pbi_id
  end || '#comment-' || p_comment.id;
$$;

comment on function private.comment_path is 'The address of a comment on its page.';
grant execute on function private.comment_path to service_role;
