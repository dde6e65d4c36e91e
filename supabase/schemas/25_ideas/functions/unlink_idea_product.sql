-- Called by the ideas pages. Idempotent. A product the user has left can be unlinked, an archived one cannot.
create function operations.unlink_idea_product(p_idea_id uuid, p_product_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_idea_write(p_idea_id);
  if p_product_id in (select private.accessible_product_ids()) then
    perform private.require_product_write(p_product_id);
  end if;
  delete from public.idea_products l where l.idea_id = p_idea_id and l.product_id = p_product_id;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;

comment on function operations.unlink_idea_product is 'Removes the link of an idea to a further product (specification: Idea).';
grant execute on function operations.unlink_idea_product to authenticated;
