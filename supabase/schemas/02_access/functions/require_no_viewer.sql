-- Why: a viewer reads everything in a product and may comment, but changes nothing. One wording for that. Definer:
-- membership is protected by RLS.
create function private.require_no_viewer(p_product_id uuid)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if exists (
    select from public.product_members m
    where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'VIEWER'
  ) then
    raise exception using errcode = 'PT403',
      message = 'You are a viewer of this product: you can read everything and comment, but change nothing. Ask its owner to make you a member.';
  end if;
end;
$$;

comment on function private.require_no_viewer is 'PT403 for viewers of a product (specification: Authentication 4).';

grant execute on function private.require_no_viewer to authenticated;
