-- One thing of change_things, through the operation that the pages use. False when it has none of the fields.
create function private.change_thing(p_kind text, p_id uuid, p_changes jsonb)
returns boolean
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_fields jsonb;
begin
  if p_kind = 'task' then
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id}'::text[];
    if v_fields <> '{}' then
      perform public.edit_task(p_id, v_fields);
    end if;
    if p_changes ? 'assignee_id' then
      -- Whoever has a task has its story.
      perform public.assign_story((select t.story_id from public.tasks t where t.id = p_id), (p_changes ->> 'assignee_id')::uuid);
    end if;
    if p_changes ? 'story_id' then
      perform public.move_task(p_id, (p_changes ->> 'story_id')::uuid);
    end if;
    return v_fields <> '{}' or p_changes ?| '{story_id,assignee_id}';
  end if;

  if p_kind = 'pbi' then
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id,confirmed}'::text[];
    if v_fields ->> 'status' not in ('ready', 'blocked') then
      v_fields := v_fields - 'status';
    end if;
    if v_fields <> '{}' then
      perform public.update_pbi(p_id, v_fields);
    end if;
    return v_fields <> '{}';
  end if;

  v_fields := p_changes - '{status,assignee_id,sprint_id,story_id,confirmed}'::text[];
  if v_fields <> '{}' then
    perform public.update_story(p_id, v_fields);
  end if;
  if p_changes ? 'assignee_id' then
    perform public.assign_story(p_id, (p_changes ->> 'assignee_id')::uuid);
  end if;
  if p_changes ? 'sprint_id' and p_changes ->> 'sprint_id' is null then
    perform public.remove_story_from_sprint(p_id);
  elsif p_changes ? 'sprint_id' then
    perform public.add_story_to_sprint((p_changes ->> 'sprint_id')::uuid, p_id);
  end if;
  return v_fields <> '{}' or p_changes ?| '{assignee_id,sprint_id}';
end;
$$;

comment on function private.change_thing is 'One thing of change_things; false when the change is none for its kind.';
grant execute on function private.change_thing to authenticated;
