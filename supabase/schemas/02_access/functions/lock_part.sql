-- Why: under a shared product lock, a story, PBI or run is locked by itself before a status is derived from its parts.
-- Under the exclusive lock this does nothing: no other transaction can be there.
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
