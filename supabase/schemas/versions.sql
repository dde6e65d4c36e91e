-- Editors send the version they read. Every change of a visible field raises the row's version by one, and each
-- field keeps the version of its last change, by whom, when, and whether with a token, so that a refusal can name it. The
-- argument lists the columns that are not such a field. Dragging a PBI to another place does not raise its version.
create function private.tg_any__raise_version() returns trigger language plpgsql set search_path = '' as $$
declare
  v_old jsonb := to_jsonb(old);
  v_changed jsonb;
begin
  select jsonb_object_agg(case n.key when 'label_ids' then 'labels' else n.key end, jsonb_build_array(old.version + 1, auth.uid(),
    to_char(private.now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), private.is_token()))
  into v_changed
  from jsonb_each(to_jsonb(new)) n
  where n.value is distinct from v_old -> n.key
    and n.key <> all ('{id,product_id,sort_order,version,field_versions,created_at,updated_at}' || tg_argv[0]::text[]);
  if v_changed is not null then
    new.version := old.version + 1;
    new.field_versions := old.field_versions || v_changed;
  end if;
  return new;
end;
$$;
create trigger _390_raise_version before update on public.products for each row
  when (old.* is distinct from new.*)
  execute function private.tg_any__raise_version('{owner_id,landing_since}');
create trigger _390_raise_version before update on public.pbis for each row
  when (old.* is distinct from new.*)
  execute function private.tg_any__raise_version('{idea_id,is_intake}');
create trigger _390_raise_version before update on public.sprints for each row
  when (old.* is distinct from new.*)
  execute function private.tg_any__raise_version('{started_at,completed_at}');
create trigger _390_raise_version before update on public.stories for each row
  when (old.* is distinct from new.*)
  execute function private.tg_any__raise_version('{in_triage,is_template,template_id,external_id,external_url,origin}');
create trigger _390_raise_version before update on public.tasks for each row
  when (old.* is distinct from new.*)
  execute function private.tg_any__raise_version('{repo_url_by,external_id,plan_decision}');
create trigger _390_raise_version before update on public.ideas for each row
  when (old.* is distinct from new.*)
  execute function private.tg_any__raise_version('{user_id}');

-- No one overwrites another silently. Called under the product lock. `expected_version` in the changes is the version
-- the caller read, or a list of them; without it nothing is checked. Changes that are already in place pass.
create function private.require_version(p_kind text, p_id uuid, p_changes jsonb)
returns void language plpgsql stable set search_path = '' as $$
declare
  v_expected jsonb := p_changes -> 'expected_version';
  v_current jsonb;
  v_fields jsonb;
  v_names jsonb;
  v_editor text;
  v_changed_at text;
begin
  if coalesce(v_expected, 'null') = 'null' then
    return;
  end if;
  v_fields := private.field_versions(p_kind, p_id);
  if v_expected @> (v_fields -> 'version') then
    return;
  end if;
  v_current := private.current_row(p_kind, p_id);
  if private.is_there_already(v_current, p_changes - '{expected_version,confirmed}'::text[]) then
    return;
  end if;

  select coalesce(jsonb_agg(f.key order by f.key), '[]'),
    (array_agg(private.username((f.value ->> 1)::uuid) order by (f.value ->> 0)::integer desc))[1], max(f.value ->> 2)
  into v_names, v_editor, v_changed_at
  from jsonb_each(v_fields -> 'fields') f
  where (f.value ->> 0)::integer > (select coalesce(max(e.value::integer), 0) from jsonb_path_query(v_expected, '$[*]') e (value));
  perform private.refuse(412,
    format('This %s changed after you read it%s. Read it again, and send your change with its new version.',
      p_kind, coalesce(': ' || v_editor || ' edited it', '')),
    jsonb_build_object('current', v_current, 'changed_fields', v_names, 'changed_by', v_editor, 'changed_at', v_changed_at));
end;
$$;
grant execute on function private.require_version to authenticated;

-- The version of a row and of each changed field.
create function private.field_versions(p_kind text, p_id uuid)
returns jsonb language sql stable set search_path = '' as $$
  select jsonb_build_object('version', x.version, 'fields', x.field_versions) from (
    select t.version, t.field_versions from public.tasks t where p_kind = 'task' and t.id = p_id
    union all
    select s.version, s.field_versions from public.stories s where p_kind = 'story' and s.id = p_id
    union all
    select b.version, b.field_versions from public.pbis b where p_kind = 'PBI' and b.id = p_id
    union all
    select n.version, n.field_versions from public.sprints n where p_kind = 'sprint' and n.id = p_id
    union all
    select i.version, i.field_versions from public.ideas i where p_kind = 'idea' and i.id = p_id
    union all
    select p.version, p.field_versions from public.products p where p_kind = 'product' and p.id = p_id) x;
$$;
grant execute on function private.field_versions to authenticated;

-- The row as in answers about it.
create function private.current_row(p_kind text, p_id uuid)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return case p_kind
    when 'task' then private.task_json(p_id)::jsonb
    when 'story' then private.story_json(p_id)::jsonb
    when 'PBI' then (select to_jsonb(b) from private.pbi_shape b where b.id = p_id)
    when 'sprint' then (select to_jsonb(s) from private.sprint_shape s where s.id = p_id)
    when 'idea' then (select to_jsonb(i) from private.idea_shape i where i.id = p_id)
    when 'product' then (select to_jsonb(p) from private.product_detail_shape p where p.id = p_id)
  end;
end;
$$;
grant execute on function private.current_row to authenticated;

-- Whether every given field already has its value. Labels are given by name or id.
create function private.is_there_already(p_current jsonb, p_changes jsonb)
returns boolean language sql immutable set search_path = '' as $$
  select not exists (
    select from jsonb_each(p_changes - 'labels') c
    where c.value is distinct from coalesce(p_current -> c.key, 'null'))
  and (not p_changes ? 'labels' or (
    select count(*) = jsonb_array_length(p_changes -> 'labels') from jsonb_array_elements(coalesce(p_current -> 'labels', '[]')) l
    where p_changes -> 'labels' @> (l -> 'name') or p_changes -> 'labels' @> (l -> 'id'))
    and jsonb_array_length(coalesce(p_current -> 'labels', '[]')) = jsonb_array_length(p_changes -> 'labels'));
$$;
grant execute on function private.is_there_already to authenticated;
