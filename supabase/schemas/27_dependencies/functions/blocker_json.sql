-- Why: one form for either end of a dependency.
create function private.blocker_json(p_id uuid, p_code text, p_title text, p_status text, p_resolved boolean)
returns json
language sql
immutable
set search_path = ''
as $$
  select json_build_object('id', p_id, 'code', p_code, 'title', p_title, 'status', p_status, 'resolved', p_resolved);
$$;

comment on function private.blocker_json is 'One end of a dependency: { id, code, title, status, resolved }.';
