-- Why: shows that a story was started over: who, when, and which branches were discarded.
create function private.fresh_starts_of(p_story_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'started_by', f.started_by, 'created_at', f.created_at,
      'left', f.left_branches) order by f.created_at desc), '[]')
    from public.fresh_starts f where f.story_id = p_story_id);
end;
$$;

comment on function private.fresh_starts_of is 'When a story was started over from the main branch, the newest first.';

grant execute on function private.fresh_starts_of to authenticated;
