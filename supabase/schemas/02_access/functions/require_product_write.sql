-- Why: demo accounts read only, archived products are read-only. Call it under the product lock and after
-- require_product_access. Definer, because it reads the profile of the caller.
create function private.require_product_write(p_product_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_archived boolean;
  v_demo boolean;
begin
  -- Both in one statement: every write asks this.
  select p.archived_at is not null, u.is_demo into v_archived, v_demo
  from public.products p
  left join public.users u on u.id = auth.uid()
  where p.id = p_product_id;

  if v_demo is distinct from false then
    perform private.require_no_demo();
  end if;
  if v_archived then
    raise exception using errcode = 'PT403',
      message = 'This product is archived and can only be read. Restore it to make changes.';
  end if;
end;
$$;

comment on function private.require_product_write is
  'PT403 for demo accounts and archived products (specification: Authentication 3).';

grant execute on function private.require_product_write to authenticated;
