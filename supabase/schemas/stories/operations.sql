-- The story becomes part of the backlog, in its PBI or another of the product. People only.
create function operations.accept_story(p_story_id uuid, p_pbi_id uuid default null)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_triage(p_story_id);
  if p_pbi_id is not null then
    perform private.require_access('pbi', p_pbi_id);
  end if;
  update public.stories s set in_triage = false, pbi_id = coalesce(p_pbi_id, s.pbi_id) where s.id = p_story_id;
  return private.story_json(p_story_id);
end;
$$;
grant execute on function operations.accept_story to authenticated;

-- Sets the sprint and, through the trigger, the status; nothing else changes (specification: Ordering rules 5). A
-- story in another sprint moves. Idempotent.
create function operations.add_story_to_sprint(p_sprint_id uuid, p_story_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_access('sprint', p_sprint_id);
  perform private.require_write('story', p_story_id);

  update public.stories s
  set sprint_id = p_sprint_id
  where s.id = p_story_id and s.sprint_id is distinct from p_sprint_id;
  return private.story_json(p_story_id);
end;
$$;
grant execute on function operations.add_story_to_sprint to authenticated;

-- Assigns the story to any member, or to no one (null) (specification: Story).
create function operations.assign_story(p_story_id uuid, p_assignee_id uuid default null)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_assignee(private.require_write('story', p_story_id), p_assignee_id);
  update public.stories s set assignee_id = p_assignee_id where s.id = p_story_id;
  return private.story_json(p_story_id);
end;
$$;
grant execute on function operations.assign_story to authenticated;

-- A pasted list becomes stories with their tasks, or tasks of one story, all or none. Each counts against the limits as
-- if created alone. Refusals: 404, 403 (demo accounts, archived), 422, 429 (specification: Story, Task).
create function operations.create_from_list(p_items jsonb, p_pbi_id uuid default null, p_story_id uuid default null)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_product_id uuid := private.require_write(case when p_pbi_id is null then 'story' else 'pbi' end, coalesce(p_pbi_id, p_story_id));
  v_item jsonb;
  v_task jsonb;
  v_story jsonb;
  v_stories jsonb := '[]';
  v_tasks jsonb := '[]';
begin
  if num_nonnulls(p_pbi_id, p_story_id) <> 1 then
    perform private.refuse(422, 'A list goes into a PBI or a story: name one of them.');
  end if;
  if jsonb_typeof(p_items) is distinct from 'array' or jsonb_array_length(p_items) not between 1 and 100 then
    perform private.refuse(422, 'A list has 1 to 100 lines.');
  end if;
  if p_story_id is null then
    perform private.require_fits('story', jsonb_array_length(p_items), 'stories');
    perform private.require_fits('task', (select count(*) from jsonb_path_query(p_items, '$[*].tasks[*]'))::integer, 'tasks');
  end if;
  perform private.lock_product(v_product_id);
  for v_item in select i.value from jsonb_array_elements(p_items) with ordinality i (value, place) order by i.place loop
    if p_story_id is not null then
      v_tasks := v_tasks || jsonb_build_array(
        operations.create_task(p_story_id, v_item ->> 'title', coalesce(v_item ->> 'description', ''))::jsonb -> 'code');
      continue;
    end if;
    v_story := operations.create_story(p_pbi_id, v_item ->> 'title', coalesce(v_item ->> 'description', ''));
    v_stories := v_stories || jsonb_build_array(v_story -> 'code');
    for v_task in
      select t.value from jsonb_array_elements(coalesce(v_item -> 'tasks', '[]')) with ordinality t (value, place) order by t.place
    loop
      v_tasks := v_tasks || jsonb_build_array(
        operations.create_task((v_story ->> 'id')::uuid, v_task ->> 'title', coalesce(v_task ->> 'description', ''))::jsonb -> 'code');
    end loop;
  end loop;
  return json_build_object('stories', v_stories, 'tasks', v_tasks);
end;
$$;
grant execute on function operations.create_from_list to authenticated;

-- Without a code the next ST-<nnn>. With a token it starts in triage if the product wants that, then in no sprint.
create function operations.create_story(
  p_pbi_id uuid, p_title text, p_description text default '', p_acceptance_criteria text default '',
  p_code text default null, p_priority integer default 3, p_sprint_id uuid default null,
  p_assignee_id uuid default null, p_blocked_by jsonb default null, p_labels jsonb default null,
  p_refuse_similar boolean default false, p_agent text default null, p_model text default null, p_effort text default null
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_id uuid := gen_random_uuid();
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
  v_in_triage boolean := private.is_token()
    and (select p.agent_items = 'triage' from public.products p where p.id = v_product_id);
begin
  if p_sprint_id is not null then
    perform private.require_access('sprint', p_sprint_id);
  end if;
  perform private.require_assignee(v_product_id, p_assignee_id);
  if p_refuse_similar then
    perform private.refuse_similar('story', p_pbi_id, p_title);
  end if;

  insert into public.stories
    (id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, label_ids, in_triage,
      agent, model, effort)
  values
    (v_id, p_pbi_id, p_code, p_title, coalesce(p_description, ''), coalesce(p_acceptance_criteria, ''),
      coalesce(p_priority, 3), case when not v_in_triage then p_sprint_id end, p_assignee_id,
      coalesce(private.require_labels(v_product_id, p_labels), '{}'), v_in_triage, p_agent, p_model, p_effort);
  perform private.add_dependencies('story', v_id, p_blocked_by);
  return private.story_json(v_id);
end;
$$;
grant execute on function operations.create_story to authenticated;

-- Deletes the story with its tasks. People only.
create function operations.decline_story(p_story_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_triage(p_story_id);
  perform private.settle_item(p_story_id, 'declined');
  delete from public.stories s where s.id = p_story_id;
  return json_build_object('id', p_story_id);
end;
$$;
grant execute on function operations.decline_story to authenticated;

-- Deletes the story with its tasks and log (specification: Story).
create function operations.delete_story(p_story_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_write('story', p_story_id);
  delete from public.stories s where s.id = p_story_id;
  return json_build_object('id', p_story_id);
end;
$$;
grant execute on function operations.delete_story to authenticated;

-- Appends the story's text to another story of the product, moves its tasks there and deletes it. People only.
create function operations.merge_story(p_story_id uuid, p_into uuid)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_story public.stories;
  v_target public.stories;
  v_text text;
begin
  perform private.require_triage(p_story_id);
  perform private.require_access('story', p_into);
  select s.* into v_story from public.stories s where s.id = p_story_id;
  select s.* into v_target from public.stories s where s.id = p_into;
  if v_target.product_id <> v_story.product_id or v_target.in_triage then
    perform private.refuse(422, 'Choose a story of this product that is not in triage.',
      '{"issues":[{"path":"into","message":"Choose a story of the backlog."}]}');
  end if;
  v_text := concat_ws(E'\n\n', nullif(v_target.description, ''), format('Merged from %s: %s', v_story.code, v_story.title),
    nullif(v_story.description, ''), nullif(v_story.acceptance_criteria, ''));
  if char_length(v_text) > 100000 then
    perform private.refuse(422, format('The description of %s has no room for this text. Accept the story instead.', v_target.code));
  end if;

  update public.stories s set description = v_text where s.id = p_into;
  update public.tasks t set story_id = p_into where t.story_id = p_story_id;
  perform private.settle_item(p_story_id, 'merged', p_into);
  delete from public.stories s where s.id = p_story_id;
  return private.story_json(p_into);
end;
$$;
grant execute on function operations.merge_story to authenticated;

-- Kept for processes of 0.3.0, whose backlog page calls it until they are replaced. Moves stories into a sprint or,
-- without one, out of theirs, all or none.
create function operations.move_stories(p_story_ids jsonb, p_sprint_id uuid default null)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_story_id uuid;
begin
  for v_story_id in select i.id::uuid from jsonb_array_elements_text(p_story_ids) with ordinality i (id, place) order by i.place loop
    if p_sprint_id is null then
      perform operations.remove_story_from_sprint(v_story_id);
    else
      perform operations.add_story_to_sprint(p_sprint_id, v_story_id);
    end if;
  end loop;
  return json_build_object('moved', jsonb_array_length(p_story_ids));
end;
$$;
grant execute on function operations.move_stories to authenticated;

-- The story returns to the backlog. A done story stays done (specification: Ordering rules 2).
create function operations.remove_story_from_sprint(p_story_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_write('story', p_story_id);
  update public.stories s set sprint_id = null where s.id = p_story_id and s.sprint_id is not null;
  return private.story_json(p_story_id);
end;
$$;
grant execute on function operations.remove_story_from_sprint to authenticated;

-- `p_changes` holds the fields to change: title, description, acceptance_criteria, code, priority, agent, model,
-- effort, pbi_id (another PBI of the product), labels (names or ids, replacing the current ones). A new code changes
-- the sort_order (specification: Story).
create function operations.update_story(p_story_id uuid, p_changes jsonb)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_label_ids uuid[] := private.require_labels(private.require_write('story', p_story_id), p_changes -> 'labels');
begin
  perform private.require_version('story', p_story_id, p_changes);
  if p_changes ->> 'pbi_id' is not null then
    perform private.require_access('pbi', (p_changes ->> 'pbi_id')::uuid);
  end if;

  perform private.set_fields('public.stories', p_story_id,
    p_changes - '{sprint_id,assignee_id,in_triage}'::text[] || jsonb_build_object('label_ids', v_label_ids));
  return private.story_json(p_story_id);
end;
$$;
grant execute on function operations.update_story to authenticated;

-- Must be able to work in the product; the key is the second check. Null means no one (specification: Story).
create function private.require_assignee(p_product_id uuid, p_user_id uuid)
returns void language plpgsql stable set search_path = '' as $$
begin
  if p_user_id is null then
    return;
  end if;

  if not exists (select from public.product_members m where m.product_id = p_product_id and m.user_id = p_user_id and m.role <> 'VIEWER') then
    perform private.refuse(422, 'The assignee must be the owner or a member of the product.',
      '{"issues":[{"path":"assignee_id","message":"Is not a member of the product."}]}');
  end if;
end;
$$;
grant execute on function private.require_assignee to authenticated;

-- First for a story in triage: 404, 403 for those who may not write and for tokens, 409 when someone was first.
create function private.require_triage(p_story_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_story public.stories;
begin
  perform private.require_write('story', p_story_id);
  perform private.require_session('Only people accept, merge and decline: sign in. An API token can only suggest.');
  select s.* into v_story from public.stories s where s.id = p_story_id;
  if not v_story.in_triage or v_story.is_template then
    perform private.refuse(409, format('%s is not in triage any more. Reload the page to see what happened.', v_story.code));
  end if;
end;
$$;
grant execute on function private.require_triage to authenticated;
