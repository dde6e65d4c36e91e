-- Why: nothing may block itself, in however many steps. Called under the product's lock before a dependency is written,
-- so that two opposite ones written at the same moment are checked one after the other.
create function private.refuse_cycle(p_kind text, p_blocked_id uuid, p_blocker_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_path text[];
begin
  if p_kind = 'task' then
    v_path := private.find_path('task', p_blocked_id, 'task', p_blocker_id);
  else
    v_path := private.find_path('start', p_blocked_id, 'end', p_blocker_id);
  end if;
  if v_path is null then
    return;
  end if;
  v_path := v_path[cardinality(v_path)] || v_path;
  perform private.refuse(409, format('That would create a circular dependency: %s. Remove one of these dependencies first.',
    array_to_string(v_path, ' → ')), jsonb_build_object('path', v_path));
end;
$$;

comment on function private.refuse_cycle is 'PT409 with the path when a dependency would close a circle.';
