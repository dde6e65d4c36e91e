-- Why: with only a share of the product's lock, a story, a PBI or a run is guarded by itself before a status is derived from
-- what belongs to it. With the whole lock this costs nothing: nobody else is there.
create function private.lock_part(p_kind text, p_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if coalesce(current_setting('backloom.shared_product', true), '') <> '' then
    perform pg_advisory_xact_lock(hashtextextended(p_kind || ':' || p_id::text, 0));
  end if;
end;
$$;

comment on function private.lock_part is
  'Guards one story, PBI or run under a shared product lock (specification: States and transitions).';
