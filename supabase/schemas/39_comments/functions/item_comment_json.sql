-- One comment, as in every answer.
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

-- Why: a comment sent to agents shows its state; others are answered as before this existed. Its state is that of its
-- least advanced delivery.
create function private.with_deliveries(p_comment json, p_comment_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
declare
  v_state public.message_state;
  v_deliveries json;
begin
  select min(m.state), json_agg(json_build_object('job_id', m.job_id, 'state', m.state, 'reason', m.reason, 'attempt', m.attempt,
    'seen_at', to_char(m.seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by m.job_id)
  into v_state, v_deliveries
  from public.agent_messages m where m.comment_id = p_comment_id;
  return private.with_key(private.with_key(p_comment, 'state', to_json(v_state)), 'deliveries', v_deliveries);
end;
$$;

comment on function private.with_deliveries is 'A comment with what became of it at the agents that it was sent to.';
grant execute on function private.with_deliveries to authenticated;
