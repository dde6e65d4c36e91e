-- Called by the ideas pages. Does nothing for the idea's own product. Idempotent.
create function operations.link_idea_product(p_idea_id uuid, p_product_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_idea_write(p_idea_id);
  perform private.require_access('product', p_product_id);
  perform private.require_product_write(p_product_id);

  insert into public.idea_products (idea_id, product_id)
  select i.id, p_product_id from public.ideas i where i.id = p_idea_id and i.product_id <> p_product_id
  on conflict (idea_id, product_id) do nothing;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;

comment on function operations.link_idea_product is 'Links an idea to a further product (specification: Idea).';
grant execute on function operations.link_idea_product to authenticated;
