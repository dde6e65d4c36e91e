-- Called by the menus and keys of the lists: changes one or many tasks, stories and PBIs of a product, all or none.
-- `p_things` is an array of {kind, id}; `p_changes` holds one or more of status, priority, title, assignee_id,
-- sprint_id, story_id, pbi_id (null clears assignee_id and sprint_id), toggle_label: the id of a label, which all items
-- get, or lose if all have it. Fields an item does not have are skipped and counted: a story's status follows its
-- tasks, a task's sprint is its story's. Assigning a task assigns its story. `confirmed` with status starts blocked
-- tasks.
create function operations.change_things(p_things jsonb, p_changes jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_thing record;
  v_product_id uuid;
  v_own uuid;
  v_changed integer := 0;
  v_skipped integer := 0;
  v_changes jsonb := p_changes;
begin
  if jsonb_typeof(p_things) is distinct from 'array' or jsonb_array_length(p_things) not between 1 and 500 then
    perform private.refuse(422, 'Choose 1 to 500 things.');
  end if;
  perform private.take_rate_limit('change', auth.uid()::text);

  if p_changes ? 'toggle_label' then
    v_changes := private.label_change(p_things, (p_changes ->> 'toggle_label')::uuid) || (p_changes - 'toggle_label');
  end if;

  for v_thing in
    select distinct on (i.value ->> 'id') i.value ->> 'kind' as kind, (i.value ->> 'id')::uuid as id, i.place
    from jsonb_array_elements(p_things) with ordinality i (value, place)
    order by i.value ->> 'id', i.place
  loop
    v_own := private.require_access(v_thing.kind, v_thing.id);
    v_product_id := coalesce(v_product_id, v_own);
    if v_own <> v_product_id then
      perform private.refuse(422, 'Change items of one product at a time.');
    end if;
    perform private.require_write(v_thing.kind, v_thing.id);
    begin
      if private.change_thing(v_thing.kind, v_thing.id, v_changes) then
        v_changed := v_changed + 1;
      else
        v_skipped := v_skipped + 1;
      end if;
    exception when others then
      if sqlstate not like 'PT%' or jsonb_array_length(p_things) = 1 then
        raise;
      end if;
      raise exception using errcode = sqlstate,
        message = format('%s: %s Nothing was changed.', private.code_of(v_thing.kind, v_thing.id), sqlerrm);
    end;
  end loop;
  return jsonb_build_object('changed', v_changed, 'skipped', v_skipped) || private.released();
end;
$$;

comment on function operations.change_things is 'Changes one or many tasks, stories and PBIs of a product, atomically.';
grant execute on function operations.change_things to authenticated;

-- Why: toggling a label has one result for the whole selection: removed if every item has it, else added.
create function private.label_change(p_things jsonb, p_label_id uuid)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(case when bool_and(p_label_id = any (x.label_ids)) then 'remove_label' else 'add_label' end, p_label_id)
  from jsonb_array_elements(p_things) i (thing)
  join (
    select s.id, s.label_ids from public.stories s
    union all
    select t.id, t.label_ids from public.tasks t
  ) x on x.id = (i.thing ->> 'id')::uuid;
$$;

comment on function private.label_change is 'Whether a label is put on things or taken off them.';
grant execute on function private.label_change to authenticated;

-- Adds a label to a story or task, or removes it. The caller has checked write access.
create function private.change_label(p_kind text, p_id uuid, p_changes jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_added uuid[] := '{}';
  v_removed uuid := (p_changes ->> 'remove_label')::uuid;
begin
  if p_changes ? 'add_label' then
    v_added := private.require_labels(private.product_of(p_kind, p_id), jsonb_build_array(p_changes -> 'add_label'));
  end if;
  if p_kind = 'story' then
    update public.stories s set label_ids = array_remove(s.label_ids, v_removed) || v_added where s.id = p_id;
  else
    update public.tasks t set label_ids = array_remove(t.label_ids, v_removed) || v_added where t.id = p_id;
  end if;
end;
$$;

comment on function private.change_label is 'Puts one label on a story or task, or takes it off.';
grant execute on function private.change_label to authenticated;

-- Changes one item of change_things, through the operation that the pages use. False when it has none of the fields.
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
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id,add_label,remove_label}'::text[];
    if v_fields <> '{}' then
      perform operations.edit_task(p_id, v_fields);
    end if;
    if p_changes ? 'assignee_id' then
      -- Whoever has a task has its story.
      perform operations.assign_story((select t.story_id from public.tasks t where t.id = p_id), (p_changes ->> 'assignee_id')::uuid);
    end if;
    if p_changes ? 'story_id' then
      perform operations.move_task(p_id, (p_changes ->> 'story_id')::uuid);
    end if;
    if p_changes ?| '{add_label,remove_label}' then
      perform private.change_label(p_kind, p_id, p_changes);
    end if;
    return v_fields <> '{}' or p_changes ?| '{story_id,assignee_id,add_label,remove_label}';
  end if;

  if p_kind = 'pbi' then
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id,confirmed,add_label,remove_label}'::text[];
    if v_fields ->> 'status' not in ('ready', 'blocked') then
      v_fields := v_fields - 'status';
    end if;
    if v_fields <> '{}' then
      perform operations.update_pbi(p_id, v_fields);
    end if;
    return v_fields <> '{}';
  end if;

  v_fields := p_changes - '{status,assignee_id,sprint_id,story_id,confirmed,add_label,remove_label}'::text[];
  if v_fields <> '{}' then
    perform operations.update_story(p_id, v_fields);
  end if;
  if p_changes ? 'assignee_id' then
    perform operations.assign_story(p_id, (p_changes ->> 'assignee_id')::uuid);
  end if;
  if p_changes ? 'sprint_id' and p_changes ->> 'sprint_id' is null then
    perform operations.remove_story_from_sprint(p_id);
  elsif p_changes ? 'sprint_id' then
    perform operations.add_story_to_sprint((p_changes ->> 'sprint_id')::uuid, p_id);
  end if;
  if p_changes ?| '{add_label,remove_label}' then
    perform private.change_label(p_kind, p_id, p_changes);
  end if;
  return v_fields <> '{}' or p_changes ?| '{assignee_id,sprint_id,add_label,remove_label}';
end;
$$;

comment on function private.change_thing is 'One thing of change_things; false when the change is none for its kind.';
grant execute on function private.change_thing to authenticated;
