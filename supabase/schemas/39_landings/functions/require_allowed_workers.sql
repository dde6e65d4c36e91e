-- Why: only tokens of users whose workers are allowed in the product may report what reaches its main branch.
create function private.require_allowed_workers(p_product_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if not exists (
    select from public.product_members m
    where m.product_id = p_product_id and m.user_id = auth.uid() and (m.role = 'OWNER' or m.workers_allowed))
  then
    perform private.refuse(403, 'Only workers that are allowed in this product can land its branches. Allow yours on the members page, or ask the owner.');
  end if;
end;
$$;

comment on function private.require_allowed_workers is 'PT403 for a user whose workers may not work in a product.';
