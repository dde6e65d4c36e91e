-- Why: a waiver is kept for ever, in the export file too (docs/export-format.md).
create function private.export_waivers(p_story_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'criterion', w.criterion_text, 'reason', w.reason, 'waived_by', w.waived_by,
      'created_at', private.export_time(w.created_at)) order by w.created_at, w.criterion), '[]')
    from public.waivers w
    where w.story_id = p_story_id
  );
end;
$$;

comment on function private.export_waivers is 'Waivers of a story for the export file. Used by export_product only.';

grant execute on function private.export_waivers to service_role;
