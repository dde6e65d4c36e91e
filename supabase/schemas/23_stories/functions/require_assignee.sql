-- Why: an assignee must be able to work in the product; the composite key is the second check. Null means nobody.
create function private.require_assignee(p_product_id uuid, p_user_id uuid)
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_user_id is null then
    return;
  end if;

  if not exists (select from public.product_members m where m.product_id = p_product_id and m.user_id = p_user_id and m.role <> 'VIEWER') then
    raise exception using errcode = 'PT422', message = 'The assignee must be the owner or a member of the product.',
      detail = '{"issues":[{"path":"assignee_id","message":"Is not a member of the product."}]}';
  end if;
end;
$$;

comment on function private.require_assignee is 'PT422 for an assignee who is not in the product (specification: Story).';

grant execute on function private.require_assignee to authenticated;
