-- Why: adds "blocked by". Refusals: 404, 403, 409 with the cycle as `path`, 422 for itself, unknown or of another
-- product, 429. Jobs of an unfinished run that have not begun are blocked at once and reordered.
-- Definer: dependencies and counters are written by functions only.
create function operations.add_dependency(p_kind text, p_id uuid, p_blocked_by text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_write(v_kind, p_id);
  v_blocker_id uuid;
begin
  perform private.take_rate_limit('dependency', auth.uid()::text);
  v_blocker_id := private.require_blocker(v_kind, v_product_id, p_blocked_by);
  perform private.insert_dependency(v_kind, v_product_id, p_id, v_blocker_id);
  perform private.order_runs(v_product_id);
  return private.dependencies_json(v_kind, p_id);
end;
$$;

comment on function operations.add_dependency is 'Lets a task wait for a task, or a story for a story, of its product.';
grant execute on function operations.add_dependency to authenticated;
