-- Why: workers report often, and a lock is held until its change is on disk. Claims, first reports and the ends of
-- single tasks therefore share the product's lock: they run beside each other, never beside anything that cascades
-- further. They lock the rows they derive one by one, always in this order: the story, its PBI (by trigger), the run
-- (private.lock_part). All others take private.lock_product. Trap: a transaction must not go from the share to the
-- exclusive lock, as two of them would deadlock; so the share counts as the lock in `backloom.locked_product`.
create function private.share_product(p_product_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if current_setting('backloom.locked_product', true) = p_product_id::text then
    return;
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('product:' || p_product_id::text, 0));
  perform set_config('backloom.locked_product', p_product_id::text, true),
    set_config('backloom.shared_product', p_product_id::text, true);
end;
$$;

comment on function private.share_product is
  'A share of the one lock of a product until the end of the transaction (specification: Agent job).';
