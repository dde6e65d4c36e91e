-- Why: "a is blocked by b" is refused if b is already blocked by a, however indirectly. Tasks and stories form one
-- graph: a story starts before its tasks and ends after them. Example of a cycle: a story is blocked by a story whose
-- task is blocked by a task of the first. Nodes are tasks and the start and end of stories; an edge leads to what comes
-- later. Returns the codes from p_to back to p_from, each blocked by the next, or null if there is no path.
create function private.find_path(p_from_kind text, p_from uuid, p_to_kind text, p_to uuid)
returns text[]
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_reached text[];
  v_node text := p_to_kind || ':' || p_to;
  v_from text := p_from_kind || ':' || p_from;
  v_id uuid;
  v_code text;
  v_path text[] := '{}';
begin
  with recursive reach (kind, id) as (
    select n.kind, n.id from private.followers(p_from_kind, p_from) n
    union
    select n.kind, n.id from reach r cross join lateral private.followers(r.kind, r.id) n
  )
  select array_agg(r.kind || ':' || r.id) into v_reached from reach r;
  if v_node <> all (coalesce(v_reached, '{}')) then
    return null;
  end if;

  v_reached := v_reached || v_from;
  for v_step in 0 .. cardinality(v_reached) loop
    v_id := split_part(v_node, ':', 2);
    v_code := case split_part(v_node, ':', 1)
      when 'task' then (select t.code from public.tasks t where t.id = v_id)
      else (select s.code from public.stories s where s.id = v_id) end;
    if v_code is distinct from v_path[cardinality(v_path)] then
      v_path := v_path || v_code;
    end if;
    exit when v_step > 0 and v_node = v_from;
    select n.kind || ':' || n.id into v_node
    from private.leaders(split_part(v_node, ':', 1), v_id) n
    where n.kind || ':' || n.id = any (v_reached)
    order by n.kind || ':' || n.id <> v_from, n.kind
    limit 1;
  end loop;
  return v_path;
end;
$$;

comment on function private.find_path is 'The codes of a chain of dependencies between two nodes, or null.';

-- Why: one step back in the graph of private.find_path: what directly blocks a task, or the start or end of a story.
create function private.leaders(p_kind text, p_id uuid)
returns table (kind text, id uuid)
language sql
stable
set search_path = ''
as $$
  select 'task', d.blocker_id from public.task_dependencies d where p_kind = 'task' and d.blocked_id = p_id
  union all
  select 'start', t.story_id from public.tasks t where p_kind = 'task' and t.id = p_id
  union all
  select 'end', d.blocker_id from public.story_dependencies d where p_kind = 'start' and d.blocked_id = p_id
  union all
  select 'task', t.id from public.tasks t where p_kind = 'end' and t.story_id = p_id
  union all
  select 'start', p_id where p_kind = 'end';
$$;

comment on function private.leaders is 'What comes directly before a task, the start or the end of a story.';
