-- Why: editors send the version they read. Every change of a visible field raises the row's version by one, and each
-- field keeps the version of its last change, so that a refusal can name what was changed, by whom and when. The
-- argument lists the fields. Dragging a PBI to another place does not raise its version.
create function private.tg_any__raise_version() returns trigger language plpgsql set search_path = '' as $$
declare
  v_old jsonb := to_jsonb(old);
  v_new jsonb := to_jsonb(new);
  v_changed jsonb;
begin
  select jsonb_object_agg(case f when 'label_ids' then 'labels' else f end, jsonb_build_array(old.version + 1, auth.uid(),
    to_char(private.now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
  into v_changed
  from unnest(tg_argv[0]::text[]) f
  where v_new -> f is distinct from v_old -> f;
  if v_changed is not null then
    new.version := old.version + 1;
    new.field_versions := old.field_versions || v_changed;
  end if;
  return new;
end;
$$;
create trigger _390_raise_version before update on public.products for each row
  when (old.* is distinct from new.*)
  execute function private.tg_any__raise_version('{code,name,description,repo_url,definition_of_done,auto_pr,pull_requests,landing,agent_items,forge_issue_label,pr_strategy,done_requires,dependency_release,plan_first,requires_sandbox,may_reach,archived_at}');
create trigger _390_raise_version before update on public.pbis for each row
  when (old.* is distinct from new.*)
  execute function private.tg_any__raise_version('{code,title,description,priority,status,pr_url,pr_merged_at}');
create trigger _390_raise_version before update on public.sprints for each row
  when (old.* is distinct from new.*)
  execute function private.tg_any__raise_version('{code,sprint_goal,status,start_date,end_date}');
create trigger _390_raise_version before update on public.stories for each row
  when (old.* is distinct from new.*)
  execute function private.tg_any__raise_version('{pbi_id,code,title,description,acceptance_criteria,priority,status,sprint_id,assignee_id,label_ids}');
create trigger _390_raise_version before update on public.tasks for each row
  when (old.* is distinct from new.*)
  execute function private.tg_any__raise_version('{story_id,code,title,description,implementation_plan,priority,status,repo_url,verify_only,verify_required,requires_opus,estimated_minutes,label_ids}');
create trigger _390_raise_version before update on public.ideas for each row
  when (old.* is distinct from new.*)
  execute function private.tg_any__raise_version('{product_id,title,description,status,archived_at,pbi_id}');
