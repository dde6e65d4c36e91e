-- Why: whether the caller may access one product. Definer: product_members is protected by RLS.
create function private.has_product_access(p_product_id uuid)
returns boolean
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return exists (
    select from public.product_members m where m.product_id = p_product_id and m.user_id = auth.uid()
      and private.is_open_to_token(p_product_id)
  );
end;
$$;

comment on function private.has_product_access is
  'Whether the caller is owner or member of a product (specification: Authentication 4).';
