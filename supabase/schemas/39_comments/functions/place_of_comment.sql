create function private.place_of_comment(p_comment public.comments)
returns text
language sql
immutable
set search_path = ''
as $$
  select case when p_comment.pbi_id is not null then 'pbi' when p_comment.story_id is not null then 'story' else 'task' end;
$$;

comment on function private.place_of_comment is 'pbi, story or task: where a comment stands.';
grant execute on function private.place_of_comment to service_role;
