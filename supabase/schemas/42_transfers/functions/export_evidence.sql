-- Why: what was seen of the criteria of a story, as the export file nests it (docs/export-format.md).
create function private.export_evidence(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'criterion', e.criterion_text, 'verdict', e.verdict, 'grade', e.grade, 'kind', e.kind, 'command', e.command,
      'exit_code', e.exit_code, 'excerpt', e.excerpt, 'url', e.url, 'head_sha', e.head_sha, 'observed_by', e.observed_by,
      'created_at', private.export_time(e.created_at)) order by e.seq), '[]')
    from public.evidence e
    where e.story_id = p_story_id
  );
end;
$$;

comment on function private.export_evidence is 'Evidence of a story for the export file. Used by export_product only.';

grant execute on function private.export_evidence to service_role;
