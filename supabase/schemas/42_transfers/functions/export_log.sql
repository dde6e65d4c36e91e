-- Why: the log of one story, as the export file nests it (docs/export-format.md).
create function private.export_log(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'type', l.type, 'content', l.content, 'status', l.status,
      'commit_hash', l.commit_hash, 'commit_message', l.commit_message, 'metadata', l.metadata,
      'username', (select u.username from public.users u where u.id = l.user_id),
      'created_at', private.export_time(l.created_at)
    ) order by l.created_at, l.type, l.content, l.id), '[]')
    from public.story_logs l
    where l.story_id = p_story_id
  );
end;
$$;

comment on function private.export_log is 'Log of a story for the export file. Used by export_stories only.';

grant execute on function private.export_log to service_role;
