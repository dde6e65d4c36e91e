-- Why: demo accounts read only, archived products are read-only. Call it under the product lock and after
-- require_product_access. Definer, because it reads the profile of the caller.
create function private.require_product_write(p_product_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_no_demo();

  if exists (select from public.products p where p.id = p_product_id and p.archived_at is not null) then
    raise exception using errcode = 'PT403',
      message = 'This product is archived and can only be read. Restore it to make changes.';
  end if;
end;
$$;

comment on function private.require_product_write is
  'PT403 for demo accounts and archived products (specification: Authentication 3).';

grant execute on function private.require_product_write to authenticated, service_role;
