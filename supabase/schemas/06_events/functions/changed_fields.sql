-- Why: an update event names exactly the columns that changed; an update that changes nothing sends no event. Called by
-- the emit triggers with the row before and after. The row's own update time and versions do not count as changes.
create function private.changed_fields(p_old jsonb, p_new jsonb)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  return to_jsonb(array(
    select f.key
    from jsonb_each(p_new) as f
    where f.value is distinct from p_old -> f.key and f.key not in ('updated_at', 'version', 'field_versions')
    order by f.key
  ));
end;
$$;

comment on function private.changed_fields is
  'Names of the columns in which two versions of a row differ (specification: Solo stream, changed_fields).';
