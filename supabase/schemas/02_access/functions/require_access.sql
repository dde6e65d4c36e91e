-- Why: the first line of every read of one item: 404, then 403. Returns its product.
create function private.require_access(p_kind text, p_id uuid)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
declare
  v_product_id uuid := private.product_of(p_kind, p_id);
begin
  perform private.require_product_access(v_product_id);
  return v_product_id;
end;
$$;

comment on function private.require_access is
  'The product of a thing that the caller may read; PT404, then PT403 (specification: Authentication 4, Errors).';

grant execute on function private.require_access to authenticated;
