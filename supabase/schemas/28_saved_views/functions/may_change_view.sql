-- Why: a private view is changed by its user, a shared one by its creator and the product's owner. Definer: reads the
-- caller's membership.
create function private.may_change_view(p_view public.saved_views)
returns boolean
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return coalesce(p_view.user_id = auth.uid() or p_view.created_by = auth.uid(), false) or exists (
    select from public.product_members m
    where m.product_id = p_view.product_id and m.user_id = auth.uid() and m.role = 'OWNER');
end;
$$;

comment on function private.may_change_view is 'Whether the caller may rename, change or delete a saved view.';
