-- Why: editors send the version they read. Every change of a visible field raises the row's version by one, and each
-- field keeps the version of its last change, so that a refusal can name what was changed, by whom and when. The
-- argument lists the columns that are not such a field. Dragging a PBI to another place does not raise its version.
create function private.tg_any__raise_version() returns trigger language plpgsql set search_path = '' as $$
declare
  v_old jsonb := to_jsonb(old);
  v_new jsonb := to_jsonb(new);
  v_changed jsonb;
begin
  select jsonb_object_agg(case f when 'label_ids' then 'labels' else f end, jsonb_build_array(old.version + 1, auth.uid(),
    to_char(private.now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
  into v_changed
  from jsonb_object_keys(v_new) f
  where v_new -> f is distinct from v_old -> f and f <> all ('{id,product_id,sort_order,version,field_versions,created_at,updated_at}' || tg_argv[0]::text[]);
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
  execute function private.tg_any__raise_version('{repo_url_by,external_id}');
create trigger _390_raise_version before update on public.ideas for each row
  when (old.* is distinct from new.*)
  execute function private.tg_any__raise_version('{user_id}');
