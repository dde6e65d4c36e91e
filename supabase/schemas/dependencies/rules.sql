create trigger _130_lock_product before insert or update or delete on public.story_dependencies
  for each row execute function private.tg_any__lock_product();
create trigger _130_lock_product before insert or update or delete on public.task_dependencies
  for each row execute function private.tg_any__lock_product();

-- Adding or removing a dependency changes what blocks jobs: those that have not begun follow at once, of a blocked
-- story those of all its tasks. The argument is the kind of both ends. Definer: the caller may not write jobs.
create function private.tg_any__recount_blockers()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_blocked_id uuid := coalesce(new.blocked_id, old.blocked_id);
begin
  perform private.recount_blockers(case tg_argv[0] when 'task' then array[v_blocked_id]
    else array(select t.id from public.tasks t where t.story_id = v_blocked_id) end);
  return null;
end;
$$;
create trigger _500_recount after insert or delete on public.story_dependencies
  for each row execute function private.tg_any__recount_blockers('story');
create trigger _500_recount after insert or delete on public.task_dependencies
  for each row execute function private.tg_any__recount_blockers('task');

-- The cards of both ends show dependencies, so both are announced as changed. The argument is their kind. Definer: no
-- client may call private.emit (specification: Solo stream, Backlog stream).
create function private.tg_any__emit_dependency()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.emit_part_change(tg_argv[0], coalesce(new.blocked_id, old.blocked_id), 'blocked_by'),
    private.emit_part_change(tg_argv[0], coalesce(new.blocker_id, old.blocker_id), 'blocks');
  return null;
end;
$$;
create trigger _900_emit after insert or delete on public.story_dependencies
  for each row execute function private.tg_any__emit_dependency('story');
create trigger _900_emit after insert or delete on public.task_dependencies
  for each row execute function private.tg_any__emit_dependency('task');

-- A task or story can be created together with its blockers, in one transaction, all or nothing.
-- Definer: dependencies are written by functions only. Called under the product's lock, after write access was checked.
create function private.add_dependencies(p_kind text, p_id uuid, p_blocked_by jsonb)
returns void language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid;
  v_reference text;
begin
  if coalesce(p_blocked_by, '[]') = '[]' then
    return;
  end if;
  v_product_id := private.require_write(p_kind, p_id);
  for v_reference in select r from jsonb_array_elements_text(p_blocked_by) r loop
    perform private.insert_dependency(p_kind, v_product_id, p_id, private.require_blocker(p_kind, v_product_id, v_reference));
  end loop;
end;
$$;
grant execute on function private.add_dependencies to authenticated;

-- Names before a run starts the blockers that it cannot release, each with a one-click remedy: a blocker that is
-- neither done nor in the run, or one that failed elsewhere. The run orders what it contains itself. It contains a
-- story if no open task of it is left out. Work in review in the same sprint is waited for, not done again.
-- p_sprint_id is null for a run without a sprint (specification: Starting a sprint run 1).
create function private.dependency_blockers(p_sprint_id uuid, p_task_ids uuid[], p_story_ids uuid[])
returns jsonb language plpgsql volatile set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'type', case when e.failed then 'dependency_failed' else 'dependency_outside' end,
      'message', format('%s is blocked by %s, which %s.', e.code, e.blocker_code,
        case when e.failed then 'failed' when e.is_empty then 'has no task'
          when e.is_of_sprint or p_sprint_id is null then 'is neither done nor in this run' else 'is neither done nor in this sprint' end),
      'task_id', e.task_id, 'task_code', e.task_code, 'story_id', e.story_id, 'story_code', e.story_code,
      'pbi_id', null, 'pbi_code', null, 'question_id', null, 'sprint_run_id', null,
      'dependency', jsonb_build_object('kind', e.kind, 'id', e.id, 'code', e.code, 'blocker_id', e.blocker_id, 'blocker_code', e.blocker_code,
        'joining_story_id', case when e.may_join then e.joining_story_id end, 'joining_story_code', case when e.may_join then e.joining_story_code end)
    ) order by e.sort_order, e.code, e.blocker_code), '[]')
    from (
      select 'task' as kind, t.id, t.code, t.sort_order, t.id as task_id, t.code as task_code, s.id as story_id, s.code as story_code,
        b.id as blocker_id, b.code as blocker_code, b.status = 'FAILED' as failed, false as is_empty, bs.sprint_id = p_sprint_id as is_of_sprint,
        bs.id as joining_story_id, bs.code as joining_story_code,
        p_sprint_id is not null and bs.sprint_id is null and b.status <> 'FAILED' as may_join
      from unnest(p_task_ids) i (id)
      cross join lateral (select k.* from public.tasks k where k.id = i.id offset 0) t
      join public.stories s on s.id = t.story_id
      join public.task_dependencies d on d.blocked_id = t.id
      join public.tasks b on b.id = d.blocker_id and b.status <> 'DONE' and b.id <> all (p_task_ids)
      join public.stories bs on bs.id = b.story_id
      where b.status <> 'REVIEW' or bs.sprint_id is distinct from p_sprint_id
      union all
      select 'story', s.id, s.code, s.sort_order, null, null, s.id, s.code, b.id, b.code,
        b.status = 'FAILED', b.id = any (p_story_ids) and v.tasks = 0, b.sprint_id = p_sprint_id,
        b.id, b.code, p_sprint_id is not null and b.sprint_id is null and b.status <> 'FAILED' and v.tasks > 0
      from public.stories s
      join public.story_dependencies d on d.blocked_id = s.id
      join public.stories b on b.id = d.blocker_id and b.status <> 'DONE'
      cross join lateral (
        select count(*) as tasks, count(*) filter (where i.status = 'REVIEW') as in_review,
          count(*) filter (where i.status <> 'DONE' and i.id <> all (p_task_ids) and (i.status <> 'REVIEW' or b.sprint_id is distinct from p_sprint_id)) as left_out
        from public.tasks i where i.story_id = b.id) v
      where s.id = any (p_story_ids) and s.status <> 'DONE'
        and (v.tasks = 0 or v.left_out > 0 or (b.id <> all (p_story_ids) and v.in_review = 0))
        and exists (select from public.tasks t where t.story_id = s.id and t.id = any (p_task_ids))
    ) e
  );
end;
$$;

-- Finds the other end of a dependency by id or code; a code as given, otherwise in upper case.
create function private.find_blocker(p_kind text, p_product_id uuid, p_reference text)
returns uuid language plpgsql volatile set search_path = '' as $$
declare
  v_id uuid := case when p_reference ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then p_reference::uuid end;
begin
  return (select e.id from private.dependency_ends e
    where e.kind = p_kind and e.product_id = p_product_id and (e.id = v_id or e.code in (p_reference, upper(p_reference)))
    order by e.id = v_id desc nulls last, e.code = p_reference desc limit 1);
end;
$$;

-- "a is blocked by b" is refused if b is already blocked by a, however indirectly. Tasks and stories form one
-- graph (private.dependency_steps). Example of a cycle: a story is blocked by a story whose task is blocked by a task of
-- the first. Returns the codes from p_to back to p_from, each blocked by the next, or null without a path.
create function private.find_path(p_from_kind text, p_from uuid, p_to_kind text, p_to uuid)
returns text[] language plpgsql volatile set search_path = '' as $$
declare
  v_reached text[];
  v_node text := p_to_kind || ':' || p_to;
  v_from text := p_from_kind || ':' || p_from;
  v_id uuid;
  v_code text;
  v_path text[] := '{}';
begin
  v_reached := array(select l.kind || ':' || l.id from private.later_than(p_from_kind, p_from) l);
  if v_node <> all (v_reached) then
    return null;
  end if;

  v_reached := v_reached || v_from;
  for v_step in 0 .. cardinality(v_reached) loop
    v_id := split_part(v_node, ':', 2);
    v_code := private.code_of(case split_part(v_node, ':', 1) when 'task' then 'task' else 'story' end, v_id);
    if v_code is distinct from v_path[cardinality(v_path)] then
      v_path := v_path || v_code;
    end if;
    exit when v_step > 0 and v_node = v_from;
    select s.kind || ':' || s.id into v_node
    from private.dependency_steps s
    where s.next_kind = split_part(v_node, ':', 1) and s.next_id = v_id and s.kind || ':' || s.id = any (v_reached)
    order by s.kind || ':' || s.id <> v_from, s.kind
    limit 1;
  end loop;
  return v_path;
end;
$$;

-- For private.find_path: nodes are tasks, and starts and ends of stories; a step leads to what can only come later.
create view private.dependency_steps with (security_invoker = true) as
select 'task' as kind, d.blocker_id as id, 'task' as next_kind, d.blocked_id as next_id from public.task_dependencies d
union all
select 'end', d.blocker_id, 'start', d.blocked_id from public.story_dependencies d
union all
select 'start', t.story_id, 'task', t.id from public.tasks t
union all
select 'task', t.id, 'end', t.story_id from public.tasks t
union all
select 'start', s.id, 'end', s.id from public.stories s;

-- The only writer: both ends in one product, no cycle, at most 100. Under the product lock. False where it was there.
create function private.insert_dependency(p_kind text, p_product_id uuid, p_blocked_id uuid, p_blocker_id uuid)
returns boolean language plpgsql volatile set search_path = '' as $$
declare
  v_is_new boolean;
begin
  if p_blocked_id = p_blocker_id then
    perform private.refuse(422, format('A %s cannot be blocked by itself.', p_kind),
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'blocked_by',
        'message', format('Name another %s.', p_kind)))));
  end if;
  perform private.refuse_cycle(case p_kind when 'task' then 'task' else 'start' end, p_blocked_id,
    case p_kind when 'task' then 'task' else 'end' end, p_blocker_id);

  if p_kind = 'task' then
    insert into public.task_dependencies (blocked_id, blocker_id, product_id)
    values (p_blocked_id, p_blocker_id, p_product_id) on conflict do nothing;
  else
    insert into public.story_dependencies (blocked_id, blocker_id, product_id)
    values (p_blocked_id, p_blocker_id, p_product_id) on conflict do nothing;
  end if;
  v_is_new := found;
  if (select count(*) from private.dependencies d where d.kind = p_kind and d.blocked_id = p_blocked_id) > 100 then
    perform private.refuse(422, format('A %s can be blocked by at most 100 others.', p_kind));
  end if;
  return v_is_new;
end;
$$;

-- Nothing may block itself, even over several steps. Called under the product lock before a dependency is written, so
-- that two opposite ones are checked one after the other; and after a task moved to another story.
create function private.refuse_cycle(p_from_kind text, p_from uuid, p_to_kind text, p_to uuid, p_change text default 'That')
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_path text[] := private.find_path(p_from_kind, p_from, p_to_kind, p_to);
begin
  if v_path is null then
    return;
  end if;
  if p_from <> p_to then
    v_path := v_path[cardinality(v_path)] || v_path;
  end if;
  perform private.refuse(409, format('%s would create a circular dependency: %s. Remove one of these dependencies first.',
    p_change, array_to_string(v_path, ' → ')), jsonb_build_object('path', v_path));
end;
$$;

-- An id or code of the same product. The refusal is the same whether or not it exists in another product.
create function private.require_blocker(p_kind text, p_product_id uuid, p_reference text)
returns uuid language plpgsql volatile set search_path = '' as $$
declare
  v_id uuid := private.find_blocker(p_kind, p_product_id, p_reference);
begin
  if v_id is null then
    perform private.refuse(422, format('No %s %s in this product. Name one by its id or code.', p_kind, private.one_line(p_reference)),
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'blocked_by',
        'message', format('Not a %s of this product.', p_kind)))));
  end if;
  return v_id;
end;
$$;
