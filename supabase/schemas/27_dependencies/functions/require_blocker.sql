-- Why: the other end of a dependency is an id or code of the same product. An unknown one gets the same refusal,
-- whether or not it exists in another product.
create function private.require_blocker(p_kind text, p_product_id uuid, p_reference text)
returns uuid
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid := private.find_blocker(p_kind, p_product_id, p_reference);
begin
  if v_id is null then
    perform private.refuse(422, format('No %s %s in this product. Name one by its id or code.', p_kind, private.one_line(p_reference)),
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'blocked_by',
        'message', format('Not a %s of this product.', p_kind)))));
  end if;
  return v_id;
end;
$$;

comment on function private.require_blocker is 'The id behind an id or code of the same product, or PT422.';
