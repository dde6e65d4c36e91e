-- Why: sets the product a user works on. The user needs access, it must not be archived, and demo users are refused
-- (specification: Authentication 8). The row lock keeps the product from being archived meanwhile. Null clears it.
-- Definer: users may not write profiles directly; it touches only the caller's row.
create function operations.set_active_product(p_product_id uuid default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_archived_at timestamptz;
begin
  perform private.require_no_demo();
  if p_product_id is not null then
    select p.archived_at into v_archived_at
    from public.products p
    join public.product_members m on m.product_id = p.id and m.user_id = auth.uid()
    where p.id = p_product_id
    for share;
    if not found then
      perform private.require_product_access(p_product_id);
    end if;
    if v_archived_at is not null then
      raise exception using errcode = 'PT403',
        message = 'This product is archived. Restore it before you make it the active one.';
    end if;
  end if;

  update public.users set active_product_id = p_product_id, updated_at = private.now() where id = auth.uid();
  return json_build_object('active_product_id', p_product_id);
end;
$$;

comment on function operations.set_active_product is
  'Selects the product the caller works on (specification: Authentication 8).';
grant execute on function operations.set_active_product to authenticated;
