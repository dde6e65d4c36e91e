-- Messages as an agent reads them, in the order they were sent; null for none.
create function private.messages_json(p_ids uuid[])
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object('id', m.id, 'about', m.code, 'author', m.author, 'text', m.body,
      'sent_at', to_char(m.sent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by m.sent_at, m.id)
    from public.agent_messages m where m.id = any (p_ids));
end;
$$;

comment on function private.messages_json is 'Messages to an agent, as it reads them.';
