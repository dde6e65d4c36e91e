-- Why: under a shared product lock two stories of one PBI may end at the same moment; the PBI is derived from both only when
-- the second sees the first. Definer: the helper is not for users.
create function private.tg_stories__lock_pbi()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.lock_part('pbi', new.pbi_id);
  return new;
end;
$$;

comment on function private.tg_stories__lock_pbi is
  'Guards the PBI of a story whose status changes (specification: States and transitions, PBI).';

create trigger _132_lock_pbi
before update on public.stories
for each row when (new.status <> old.status and current_setting('backloom.shared_product', true) <> '')
execute function private.tg_stories__lock_pbi();
