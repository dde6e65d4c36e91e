-- Why: the tasks of one story, as the export file nests them (docs/export-format.md).
create function private.export_tasks(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', t.code, 'title', t.title, 'description', t.description, 'implementation_plan', t.implementation_plan,
      'priority', t.priority, 'status', t.status, 'repo_url', t.repo_url,
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes,
      'blocked_by', private.export_blocked_by('task', t.id),
      'created_at', private.export_time(t.created_at),
      'reviews', private.export_reviews(t.id)
    ) order by t.sort_order, t.created_at, t.code), '[]')
    from public.tasks t
    where t.story_id = p_story_id
  );
end;
$$;

comment on function private.export_tasks is 'Tasks of a story for the export file. Used by export_stories only.';

grant execute on function private.export_tasks to service_role;
