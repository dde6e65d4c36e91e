-- Why: the tasks of a run in their order: dependencies first, then the contract's order.
create function private.run_scope(p_task_ids uuid[])
returns table (task_id uuid, story_id uuid, story_code text, place integer)
language plpgsql
stable
set search_path = ''
as $$
declare
  v_ordered uuid[] := private.order_by_dependencies(
    (select coalesce(array_agg(s.task_id order by s.place), '{}') from private.tasks_in_order(p_task_ids) s));
begin
  return query
    select x.id, s.id, s.code, x.place::integer
    from unnest(v_ordered) with ordinality x (id, place)
    join public.tasks t on t.id = x.id
    join public.stories s on s.id = t.story_id
    order by x.place;
end;
$$;

comment on function private.run_scope is 'Tasks in the order of a run (specification: Starting a sprint run 2).';
