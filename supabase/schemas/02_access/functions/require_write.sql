-- Why: the first line of every write to one item: 404, 403, then the product lock, then demo and archive under the
-- lock. Definer, so that a write costs one look-up of the product and one of the membership. Returns the product.
create function private.require_write(p_kind text, p_id uuid)
returns uuid
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_access(p_kind, p_id);
begin
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  return v_product_id;
end;
$$;

comment on function private.require_write is
  'The locked product of a thing that the caller may change; PT404, then PT403 (specification: Authentication 3, 4).';

grant execute on function private.require_write to authenticated;
