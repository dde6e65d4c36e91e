-- One comment as every answer shows it.
create function private.item_comment_json(p_comment public.comments)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.with_deliveries(json_build_object('id', p_comment.id, 'body', p_comment.body, 'author', p_comment.author, 'author_id', p_comment.author_id,
    'created_at', to_char(p_comment.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'edited_at', to_char(p_comment.edited_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), p_comment.id);
end;
$$;

comment on function private.item_comment_json is 'A comment on a PBI, story or task in REST form.';
grant execute on function private.item_comment_json to authenticated;
