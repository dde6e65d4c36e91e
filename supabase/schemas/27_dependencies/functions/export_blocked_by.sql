-- Why: the blockers of a task or story as codes, as in the export file (docs/export-format.md).
create function private.export_blocked_by(p_kind text, p_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_kind = 'task' then
    return (select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]')
      from public.task_dependencies d join public.tasks b on b.id = d.blocker_id where d.blocked_id = p_id);
  end if;
  return (select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]')
    from public.story_dependencies d join public.stories b on b.id = d.blocker_id where d.blocked_id = p_id);
end;
$$;

comment on function private.export_blocked_by is 'Codes of what a task or story waits for. Used by the export only.';

grant execute on function private.export_blocked_by to service_role;
