-- Labels by name, as in the export file (docs/export-format.md).
create function private.label_names(p_label_ids uuid[])
returns json
language sql
stable
set search_path = ''
as $$
  select coalesce(json_agg(l.name order by lower(l.name)), '[]') from public.labels l where l.id = any (p_label_ids);
$$;

comment on function private.label_names is 'The names of labels, in their order.';
grant execute on function private.label_names to service_role;
