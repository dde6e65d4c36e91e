-- Why: a row without labels is answered as before labels existed; with labels it has one more key.
create function private.with_labels(p_row json, p_label_ids uuid[])
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  if coalesce(cardinality(p_label_ids), 0) = 0 then
    return p_row;
  end if;
  return left(p_row::text, -1) || ',"labels":' || (
    select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name, 'color', l.color) order by lower(l.name)), '[]')
    from public.labels l where l.id = any (p_label_ids)) || '}';
end;
$$;

comment on function private.with_labels is 'A story or task in REST form, with its labels when it has any.';
grant execute on function private.with_labels to authenticated;
