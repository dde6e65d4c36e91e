-- Called by the backlog page and tools. Without a code it gets the next PBI-<n>. The PBI comes last in its priority.
create function operations.create_pbi(
  p_product_id uuid,
  p_title text,
  p_description text default '',
  p_code text default null,
  p_priority integer default 3,
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
  perform private.require_write('product', p_product_id);
  if p_refuse_similar then
    perform private.refuse_similar('pbi', p_product_id, p_title);
  end if;

  insert into public.pbis (id, product_id, code, title, description, priority)
  values (v_id, p_product_id, p_code, p_title, coalesce(p_description, ''), coalesce(p_priority, 3));
  return (select row_to_json(b) from private.pbi_shape b where b.id = v_id);
end;
$$;

comment on function operations.create_pbi is 'Creates a PBI (specification: PBI, Entity codes). 30 per minute.';
grant execute on function operations.create_pbi to authenticated;
