-- Why: BLOCKED is set and lifted by hand; every other status of a PBI follows from its stories and is put here, whatever a
-- write says (specification: States, PBI).
create function private.tg_pbis__derive_status()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.status := private.derived_pbi_status(new.id);
  return new;
end;
$$;

comment on function private.tg_pbis__derive_status is
  'Status of a PBI that is not blocked (specification: States and transitions, PBI). Definer: sees all stories.';

create trigger _310_derive_status before insert on public.pbis
  for each row when (new.status <> 'BLOCKED') execute function private.tg_pbis__derive_status();
create trigger _311_derive_status before update on public.pbis
  for each row when (new.status <> old.status and new.status <> 'BLOCKED')
  execute function private.tg_pbis__derive_status();
