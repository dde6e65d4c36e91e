-- Cancels a sprint that has not started; its stories leave it (specification: States and transitions, Sprint).
create function operations.cancel_sprint(p_sprint_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.change_sprint_status(p_sprint_id, 'PLANNED', 'CANCELLED');
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$$;
grant execute on function operations.cancel_sprint to authenticated;

-- Completes a sprint by hand; unfinished stories leave it (specification: States and transitions, Sprint), with
-- p_carry_over for the next planned sprint, or a new one.
create function operations.complete_sprint(p_sprint_id uuid, p_carry_over boolean default false)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_left uuid[] := array(select s.id from public.stories s where s.sprint_id = p_sprint_id and s.status <> 'DONE' order by s.sort_order);
  v_next uuid;
begin
  perform private.change_sprint_status(p_sprint_id, 'ACTIVE', 'COMPLETED');
  if p_carry_over and v_left <> '{}' then
    v_next := coalesce(
      (select s.id from public.sprints s where s.product_id = v_product_id and s.status = 'PLANNED' order by s.start_date, s.created_at limit 1),
      (operations.create_sprint(v_product_id) ->> 'id')::uuid);
    perform operations.add_story_to_sprint(v_next, l.id) from unnest(v_left) l (id);
  end if;
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$$;
grant execute on function operations.complete_sprint to authenticated;

-- Gets the next SP-<n>; `p_story_ids` are moved into it, all or none with it.
create function operations.create_sprint(
  p_product_id uuid, p_sprint_goal text default '', p_start_date date default null, p_end_date date default null,
  p_story_ids jsonb default null
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_id uuid := gen_random_uuid();
  v_story_id uuid;
begin
  perform private.require_dates_in_order(p_start_date, p_end_date);
  perform private.require_write('product', p_product_id);

  insert into public.sprints (id, product_id, sprint_goal, start_date, end_date)
  values (v_id, p_product_id, coalesce(p_sprint_goal, ''), p_start_date, p_end_date);
  for v_story_id in select i.id::uuid from jsonb_array_elements_text(p_story_ids) with ordinality i (id, place) order by i.place loop
    perform operations.add_story_to_sprint(v_id, v_story_id);
  end loop;
  return (select row_to_json(s) from private.sprint_shape s where s.id = v_id);
end;
$$;
grant execute on function operations.create_sprint to authenticated;

-- At most one sprint of a product is active (409 otherwise) (specification: States and transitions, Sprint).
create function operations.start_sprint(p_sprint_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.change_sprint_status(p_sprint_id, 'PLANNED', 'ACTIVE');
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$$;
grant execute on function operations.start_sprint to authenticated;

-- `p_changes`: sprint_goal, start_date, end_date (null clears a date) (specification: Sprint).
create function operations.update_sprint(p_sprint_id uuid, p_changes jsonb)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_sprint public.sprints;
begin
  perform private.require_write('sprint', p_sprint_id);
  perform private.require_version('sprint', p_sprint_id, p_changes);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;

  if v_sprint.status in ('COMPLETED', 'CANCELLED') then
    perform private.refuse(409, format('Sprint %s is %s and can no longer be changed. Plan another one.',
      v_sprint.code, lower(v_sprint.status::text)));
  end if;

  v_sprint.sprint_goal := coalesce(p_changes ->> 'sprint_goal', v_sprint.sprint_goal);
  if p_changes ? 'start_date' then
    v_sprint.start_date := (p_changes ->> 'start_date')::date;
  end if;
  if p_changes ? 'end_date' then
    v_sprint.end_date := (p_changes ->> 'end_date')::date;
  end if;
  perform private.require_dates_in_order(v_sprint.start_date, v_sprint.end_date);

  update public.sprints s
  set sprint_goal = v_sprint.sprint_goal, start_date = v_sprint.start_date, end_date = v_sprint.end_date
  where s.id = p_sprint_id;
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$$;
grant execute on function operations.update_sprint to authenticated;

-- By people: planned to active, active to completed, planned to cancelled. Failing and resuming belong to runs.
-- Definer, because no one writes a sprint's status directly; access, lock, demo and archive are checked first. When a
-- sprint ends, its unfinished stories return to the backlog (specification: States and transitions, Sprint).
create function private.change_sprint_status(p_sprint_id uuid, p_from public.sprint_status, p_to public.sprint_status)
returns void language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
begin
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;

  if v_sprint.status <> p_from then
    perform private.refuse(409, format('Sprint %s is %s; only a sprint that is %s can become %s.',
      v_sprint.code, lower(v_sprint.status::text), lower(p_from::text), lower(p_to::text)));
  end if;

  if p_to = 'ACTIVE' and exists (
    select from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE'
  ) then
    perform private.refuse(409, 'Another sprint of this product is active. Complete it first.');
  end if;

  if p_to = 'COMPLETED' then
    perform private.end_reviewed_run(r) from public.sprint_runs r
    where r.sprint_id = p_sprint_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');
  end if;

  update public.sprints s
  set status = p_to,
      started_at = case when p_to = 'ACTIVE' then private.now() else s.started_at end,
      completed_at = case when p_to = 'COMPLETED' then private.now() else s.completed_at end
  where s.id = p_sprint_id;

  if p_to in ('COMPLETED', 'CANCELLED') then
    insert into public.sprint_leftovers (sprint_id, story_id)
    select p_sprint_id, s.id from public.stories s where s.sprint_id = p_sprint_id and s.status <> 'DONE'
    on conflict do nothing;
    update public.stories s set sprint_id = null where s.sprint_id = p_sprint_id and s.status <> 'DONE';
  end if;
end;
$$;
grant execute on function private.change_sprint_status to authenticated;

-- A run whose agents are through waits only for people, and their reviews need no sprint: it is done, and they stay
-- open. PT409 while there is anything else to do in it (docs/planning.md).
create function private.end_reviewed_run(p_run public.sprint_runs)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if p_run.status = 'PAUSED' or exists (
    select from public.agent_jobs j
    where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (j.status <> 'QUEUED' or j.phase <> 'review'))
  then
    perform private.refuse(409, 'A run of this sprint is not finished. Let it finish, or cancel it first.');
  end if;
  perform private.end_run(p_run, 'DONE', null, null);
end;
$$;
