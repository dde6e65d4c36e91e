-- Called by the ideas pages and tools. `p_changes` holds the fields to change: title, description, product_id, and
-- status, which only moves forward (draft, discussing, ready; planned only by promotion).
create function operations.update_idea(p_idea_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_status text := upper(private.parse_choice('status', p_changes ->> 'status', '{draft,discussing,ready,planned}'));
  v_new_product_id uuid := (p_changes ->> 'product_id')::uuid;
begin
  perform private.require_idea_write(p_idea_id);
  if p_changes ? 'expected_version' then
    -- No product is locked for an idea: its own row is.
    perform from public.ideas i where i.id = p_idea_id for update;
    perform private.require_version('idea', p_idea_id, p_changes);
  end if;
  if v_new_product_id is not null then
    perform private.require_product_access(v_new_product_id);
    perform private.require_product_write(v_new_product_id);
  end if;

  update public.ideas i
  set title = coalesce(p_changes ->> 'title', i.title),
      description = coalesce(p_changes ->> 'description', i.description),
      product_id = coalesce(v_new_product_id, i.product_id),
      status = coalesce(v_status::public.idea_status, i.status)
  where i.id = p_idea_id;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;

comment on function operations.update_idea is 'Edits an idea and moves it forward (specification: Idea).';
grant execute on function operations.update_idea to authenticated;
