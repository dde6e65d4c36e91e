-- Why: a page offers what would be allowed: budgets are the owner's, in a session, of a product that is not archived.
create function private.may_set_budgets(p_product_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select from public.product_members m
    join public.products p on p.id = m.product_id
    where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'OWNER' and p.archived_at is null
  ) and not private.is_demo()
    and coalesce(nullif(current_setting('request.jwt.claims', true), '')::jsonb ? 'token_id', false) = false;
end;
$$;

comment on function private.may_set_budgets is 'Whether the caller may set the budgets of a product.';
