-- Changes one or many tasks, stories and PBIs of a product, all or none. `p_things` is an array of {kind, id};
-- `p_changes` holds one or more of status, priority, title, assignee_id, sprint_id, story_id, pbi_id, agent, model,
-- effort (null clears assignee_id, sprint_id and the last three), toggle_label: the id of a label, which all items get,
-- or lose if all have it. Fields an item does not have are skipped and counted: a story's status follows its tasks, a
-- task's sprint is its story's. Assigning a task assigns its story. `confirmed` with status starts blocked tasks.
create function operations.change_things(p_things jsonb, p_changes jsonb)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_item record;
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
    -- Toggling a label has one result for the whole selection: removed if every item has it, else added.
    select jsonb_build_object(case when bool_and((p_changes ->> 'toggle_label')::uuid = any (x.label_ids)) then 'remove_label' else 'add_label' end,
      p_changes -> 'toggle_label') || (p_changes - 'toggle_label')
    into v_changes
    from jsonb_array_elements(p_things) i (thing)
    join (select s.id, s.label_ids from public.stories s union all select t.id, t.label_ids from public.tasks t) x
      on x.id = (i.thing ->> 'id')::uuid;
  end if;

  for v_item in
    select distinct on (i.value ->> 'id') i.value ->> 'kind' as kind, (i.value ->> 'id')::uuid as id, i.place
    from jsonb_array_elements(p_things) with ordinality i (value, place)
    order by i.value ->> 'id', i.place
  loop
    v_own := private.require_access(v_item.kind, v_item.id);
    v_product_id := coalesce(v_product_id, v_own);
    if v_own <> v_product_id then
      perform private.refuse(422, 'Change items of one product at a time.');
    end if;
    perform private.require_write(v_item.kind, v_item.id);
    begin
      if private.change_item(v_item.kind, v_item.id, v_changes) then
        v_changed := v_changed + 1;
      else
        v_skipped := v_skipped + 1;
      end if;
    exception when others then
      if sqlstate not like 'PT%' or jsonb_array_length(p_things) = 1 then
        raise;
      end if;
      raise exception using errcode = sqlstate,
        message = format('%s: %s Nothing was changed.', private.code_of(v_item.kind, v_item.id), sqlerrm);
    end;
  end loop;
  return jsonb_build_object('changed', v_changed, 'skipped', v_skipped) || private.released();
end;
$$;
grant execute on function operations.change_things to authenticated;

-- Adds a label to a story or task, or removes it. The caller has checked write access.
create function private.change_label(p_kind text, p_id uuid, p_changes jsonb)
returns void language plpgsql volatile set search_path = '' as $$
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
grant execute on function private.change_label to authenticated;

-- Changes one item of change_things, through the operation that the pages use. False when it has none of the fields.
create function private.change_item(p_kind text, p_id uuid, p_changes jsonb)
returns boolean language plpgsql volatile set search_path = '' as $$
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
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id,agent,model,effort,confirmed,add_label,remove_label}'::text[];
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
grant execute on function private.change_item to authenticated;

-- Undoes the last change of the caller's session within 30 seconds, all or nothing, for any number of tasks, stories
-- and PBIs. Refused with the reason if someone has changed one of them since. Definer: it restores columns that no
-- client may write; write access to the products is checked first.
create function operations.undo_change()
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_session_id uuid := (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id')::uuid;
  v_transaction_id xid8;
  v_product_id uuid;
  v_change private.changes;
  v_changes private.changes[];
  v_reason text;
begin
  perform private.take_rate_limit('undo', auth.uid()::text);
  select c.transaction_id into v_transaction_id
  from private.changes c
  where c.session_id = v_session_id and c.changed_at > private.now() - interval '30 seconds'
  order by c.id desc limit 1;

  for v_product_id in
    select distinct c.product_id from private.changes c
    where c.session_id = v_session_id and c.transaction_id = v_transaction_id order by c.product_id
  loop
    perform private.require_product_access(v_product_id);
    perform private.lock_product(v_product_id);
    perform private.require_product_write(v_product_id);
  end loop;

  with taken as (
    delete from private.changes c
    where c.session_id = v_session_id and c.transaction_id = v_transaction_id
    returning c.*
  )
  select array_agg(taken::private.changes) into v_changes from taken;
  if v_changes is null then
    perform private.refuse(409, 'Nothing to undo: a change can be undone for 30 seconds.');
  end if;

  select c.* into v_change from unnest(v_changes) c where c.lost is not null order by c.id limit 1;
  if found then
    perform private.refuse(409, format('%s had %s, which cannot be restored. Nothing was undone.',
      v_change.code, v_change.lost));
  end if;

  for v_change in
    select c.* from unnest(v_changes) c
    -- What was deleted comes back from the top; what was changed twice goes back from the end.
    order by c.after is not null, case when c.after is null then array_position('{pbi,story,task}', c.kind) end, c.id desc
  loop
    begin
      v_reason := null;
      if v_change.after is null then
        perform private.restore_item(v_change);
      end if;
    exception when foreign_key_violation then
      v_reason := 'has lost its place';
    end;
    if v_reason is null and v_change.after is not null then
      v_reason := private.restore_fields(v_change);
    end if;
    if v_reason is not null then
      perform private.refuse(409, format('%s %s, so nothing was undone.', v_change.code, v_reason));
    end if;
  end loop;

  return json_build_object('changes', (
    select json_agg(json_build_object('kind', c.kind, 'id', c.thing_id, 'code', c.code, 'is_back', c.after is null, 'fields',
      case when c.after is null then '[]'::jsonb else (select jsonb_agg(f.key order by f.key) from jsonb_each(c.before - 'plan_decision') f) end)
      order by c.after is not null, array_position('{pbi,story,task}', c.kind), c.id)
    from unnest(v_changes) c));
end;
$$;
grant execute on function operations.undo_change to authenticated;

-- Restores one deleted item with its id, code, dates and history. The limits on creating must not apply, as undo_change
-- has already counted, so the caller's claims are cleared until it returns. Called under the product's lock.
create function private.restore_item(p_change private.changes)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_claims text := current_setting('request.jwt.claims', true);
begin
  perform set_config('request.jwt.claims', '', true);
  case p_change.kind
    when 'pbi' then
      insert into public.pbis select * from jsonb_populate_record(null::public.pbis, p_change.before);
    when 'story' then
      insert into public.stories select * from jsonb_populate_record(null::public.stories, p_change.before);
    else
      insert into public.tasks select * from jsonb_populate_record(null::public.tasks, p_change.before);
      delete from public.task_status_changes c where c.task_id = p_change.thing_id;
      insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status, changed_at)
      select h.task_id, h.story_id, h.product_id, h.sprint_id, h.from_status, h.to_status, h.changed_at
      from jsonb_populate_recordset(null::public.task_status_changes, p_change.before -> 'history') h
      order by h.id;
  end case;
  perform set_config('request.jwt.claims', v_claims, true);
end;
$$;

-- Restores the fields of one change. Returns null, or the reason why it cannot. Called under the product's lock.
create function private.restore_fields(p_change private.changes)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_now jsonb;
  v_task public.tasks;
  v_story public.stories;
  v_pbi public.pbis;
begin
  if p_change.kind = 'job' then
    return private.restore_unmerged(p_change);
  end if;

  case p_change.kind
    when 'task' then
      select t.* into v_task from public.tasks t where t.id = p_change.thing_id;
      v_now := private.own_fields('task', to_jsonb(v_task));
    when 'story' then
      select s.* into v_story from public.stories s where s.id = p_change.thing_id;
      v_now := private.own_fields('story', to_jsonb(v_story));
    else
      select b.* into v_pbi from public.pbis b where b.id = p_change.thing_id;
      v_now := private.own_fields('pbi', to_jsonb(v_pbi));
  end case;
  if v_now is null or v_now ->> 'code' is null then
    return 'was deleted since';
  end if;
  if exists (select from jsonb_each(p_change.after) a where a.value is distinct from v_now -> a.key)
    -- What was accepted and has joined a sprint or a run since is no longer a suggestion.
    or p_change.kind = 'story' and p_change.before ->> 'in_triage' = 'true' and (
      v_story.sprint_id is not null or exists (
        select from public.tasks t join public.agent_jobs j on j.task_id = t.id
        where t.story_id = v_story.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')))
  then
    return 'was changed since';
  end if;

  case p_change.kind
    when 'task' then
      perform private.set_fields('public.tasks', p_change.thing_id, p_change.before);
    when 'story' then
      perform private.set_fields('public.stories', p_change.thing_id, p_change.before);
    else
      -- READY lifts a block; what the stories call for is put.
      perform private.set_fields('public.pbis', p_change.thing_id, p_change.before || jsonb_build_object(
        'status', case p_change.before ->> 'is_blocked' when 'true' then 'BLOCKED' when 'false' then 'READY' end));
  end case;
  return null;
end;
$$;
