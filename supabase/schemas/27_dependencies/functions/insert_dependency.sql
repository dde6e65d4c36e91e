-- Why: the only writer of dependencies: both ends exist in one product, no cycle, at most 100 per task or story. Called
-- under the product's lock. Idempotent.
create function private.insert_dependency(p_kind text, p_product_id uuid, p_blocked_id uuid, p_blocker_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_blocked_id = p_blocker_id then
    perform private.refuse(422, format('A %s cannot be blocked by itself.', p_kind),
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'blocked_by',
        'message', format('Name another %s.', p_kind)))));
  end if;
  perform private.refuse_cycle(p_kind, p_blocked_id, p_blocker_id);

  if p_kind = 'task' then
    insert into public.task_dependencies (blocked_id, blocker_id, product_id)
    values (p_blocked_id, p_blocker_id, p_product_id) on conflict do nothing;
  else
    insert into public.story_dependencies (blocked_id, blocker_id, product_id)
    values (p_blocked_id, p_blocker_id, p_product_id) on conflict do nothing;
  end if;
  if (select count(*) from public.task_dependencies d where p_kind = 'task' and d.blocked_id = p_blocked_id)
    + (select count(*) from public.story_dependencies d where p_kind = 'story' and d.blocked_id = p_blocked_id) > 100 then
    perform private.refuse(422, format('A %s can be blocked by at most 100 others.', p_kind));
  end if;
end;
$$;

comment on function private.insert_dependency is 'Writes one dependency, or refuses with 409 and the circle, or 422.';
