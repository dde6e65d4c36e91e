-- Why: a PBI that is not blocked follows its stories (specification: States, PBI). One statement for all rows of a write.
-- Definer: the status of a PBI is nobody's to write, except for blocking it.
create function private.tg_stories__derive_pbi()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_pbi_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct n.pbi_id) into v_pbi_ids from new_stories n;
  elsif tg_op = 'DELETE' then
    select array_agg(distinct o.pbi_id) into v_pbi_ids from old_stories o;
  else
    select array_agg(distinct c.pbi_id)
    into v_pbi_ids
    from new_stories n
    join old_stories o on o.id = n.id
    cross join lateral (values (n.pbi_id), (o.pbi_id)) as c (pbi_id)
    where n.status <> o.status or n.pbi_id <> o.pbi_id;
  end if;

  -- Most changes leave the PBI as it is: then no write is tried, and no trigger of PBIs fires.
  if v_pbi_ids is not null then
    select array_agg(b.id)
    into v_pbi_ids
    from public.pbis b
    where b.id = any (v_pbi_ids) and b.status <> 'BLOCKED' and b.status <> private.derived_pbi_status(b.id);
  end if;

  if v_pbi_ids is not null then
    update public.pbis b set status = private.derived_pbi_status(b.id) where b.id = any (v_pbi_ids);
  end if;
  return null;
end;
$$;

comment on function private.tg_stories__derive_pbi is
  'PBIs follow their stories (specification: States and transitions, PBI).';

create trigger _510_derive_pbi_insert after insert on public.stories
  referencing new table as new_stories
  for each statement execute function private.tg_stories__derive_pbi();
create trigger _510_derive_pbi_update after update on public.stories
  referencing old table as old_stories new table as new_stories
  for each statement execute function private.tg_stories__derive_pbi();
create trigger _510_derive_pbi_delete after delete on public.stories
  referencing old table as old_stories
  for each statement execute function private.tg_stories__derive_pbi();
