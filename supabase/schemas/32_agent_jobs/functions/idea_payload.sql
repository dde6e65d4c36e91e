-- Why: a talk about an idea carries the idea.
create function private.idea_payload(p_idea_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select json_build_object('id', i.id, 'code', i.code, 'title', i.title, 'description', i.description,
      'status', lower(i.status::text))
    from public.ideas i where i.id = p_idea_id);
end;
$$;

comment on function private.idea_payload is 'The idea of a talk for its worker (specification: Agent job).';
