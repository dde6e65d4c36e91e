-- Why: the step of an import after the stories: dependencies by codes. Impossible ones (unknown codes, cycles) are left
-- out and returned with the reason. Service only. Definer: dependencies are written by functions only.
create function operations.import_dependencies(p_product_id uuid, p_dependencies jsonb)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_edge record;
  v_left_out jsonb := '[]';
begin
  perform private.lock_product(p_product_id);
  for v_edge in
    select d ->> 'kind' as kind, d ->> 'blocked' as blocked, d ->> 'blocker' as blocker from jsonb_array_elements(p_dependencies) d
  loop
    begin
      perform private.insert_dependency(v_edge.kind, p_product_id,
        private.require_blocker(v_edge.kind, p_product_id, v_edge.blocked),
        private.require_blocker(v_edge.kind, p_product_id, v_edge.blocker));
    exception when others then
      if sqlstate not like 'PT%' then
        raise;
      end if;
      v_left_out := v_left_out || jsonb_build_object('kind', v_edge.kind, 'blocked', v_edge.blocked, 'blocker', v_edge.blocker, 'reason', sqlerrm);
    end;
  end loop;
  return v_left_out;
end;
$$;

comment on function operations.import_dependencies is 'Dependencies of an import; answers those left out with the reason. Service only.';
grant execute on function operations.import_dependencies to service_role;
