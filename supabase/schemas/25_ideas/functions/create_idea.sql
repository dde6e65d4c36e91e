-- Called by the ideas page and tools. Gets its user's next IDEA-<nnn>.
create function operations.create_idea(
  p_product_id uuid,
  p_title text,
  p_description text default '',
  p_refuse_similar boolean default false
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_access('product', p_product_id);
  perform private.require_product_write(p_product_id);
  if p_refuse_similar then
    perform private.lock_product(p_product_id);
    perform private.refuse_similar('idea', p_product_id, p_title);
  end if;
  insert into public.ideas (id, product_id, title, description)
  values (v_id, p_product_id, p_title, coalesce(p_description, ''));
  return (select row_to_json(i) from private.idea_shape i where i.id = v_id);
end;
$$;

comment on function operations.create_idea is
  'Creates an idea of the caller (specification: Idea, Entity codes 7). 60 per minute.';
grant execute on function operations.create_idea to authenticated;
