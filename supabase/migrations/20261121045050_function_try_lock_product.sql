-- Why: who already holds the lock of one product never waits for that of another, so that no two can wait for each other.
create function private.try_lock_product(p_product_id uuid)
returns boolean
language plpgsql
volatile
set search_path = ''
as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended('product:' || p_product_id::text, 0)) then
    return false;
  end if;
  perform set_config('backloom.locked_product', p_product_id::text, true);
  return true;
end;
$$;

comment on function private.try_lock_product(uuid) is
  'The lock of a product if it is free at once (specification: States and transitions).';
