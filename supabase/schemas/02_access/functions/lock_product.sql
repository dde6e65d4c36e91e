-- Why: to change a task, story, PBI, sprint, run or job, hold its product's lock, taken before reading anything that
-- the cascades depend on. The setting remembers the lock for the rest of the transaction, so that triggers of direct
-- writes know whether they still have to take it.
create function private.lock_product(p_product_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if current_setting('backloom.locked_product', true) = p_product_id::text then
    return;
  end if;

  perform pg_advisory_xact_lock(hashtextextended('product:' || p_product_id::text, 0));
  perform set_config('backloom.locked_product', p_product_id::text, true);
end;
$$;

comment on function private.lock_product is
  'Takes the one lock of a product until the end of the transaction (specification: States and transitions).';

grant execute on function private.lock_product to authenticated, service_role;
