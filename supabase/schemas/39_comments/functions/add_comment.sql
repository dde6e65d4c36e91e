-- Refusals: 404, 403, 429, 422, 409. Definer: comments are written by functions only.
create function operations.add_comment(p_kind text, p_id uuid, p_body text, p_send_to_agent boolean default false)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_kind text := private.require_comment_place(p_kind);
  v_product_id uuid := private.require_commenter(v_kind, p_id);
  v_comment public.comments;
begin
  perform private.take_rate_limit('comment', auth.uid()::text);
  perform private.require_comment_body(p_body);
  if (select count(*) from public.comments c
      where c.pbi_id = p_id or c.story_id = p_id or c.task_id = p_id) >= 1000 then
    perform private.refuse(409, 'There are 1,000 comments here, which is the limit. Delete some, or write the rest in the description.');
  end if;
  insert into public.comments (product_id, pbi_id, story_id, task_id, body, author_id, author)
  values (v_product_id, case v_kind when 'pbi' then p_id end, case v_kind when 'story' then p_id end,
    case v_kind when 'task' then p_id end, p_body, auth.uid(), coalesce(private.username(auth.uid()), 'somebody'))
  returning * into v_comment;
  perform private.mention_members(v_comment);
  if p_send_to_agent then
    perform private.send_to_agent(v_comment);
  end if;
  return private.item_comment_json(v_comment);
end;
$$;

comment on function operations.add_comment is 'Adds a comment to a PBI, story or task, and sends it to the agents at work when that is wished.';
grant execute on function operations.add_comment to authenticated;
