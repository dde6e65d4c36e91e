-- Why: a transaction that holds one product's lock must not wait for another's, so that no two can deadlock.
create function private.try_share_product(p_product_id uuid)
returns boolean
language plpgsql
volatile
set search_path = ''
as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('product:' || p_product_id::text, 0)) then
    return false;
  end if;
  perform set_config('backloom.locked_product', p_product_id::text, true),
    set_config('backloom.shared_product', p_product_id::text, true);
  return true;
end;
$$;

comment on function private.try_share_product is
  'A share of the lock of a product if it is to be had at once (specification: States and transitions).';
