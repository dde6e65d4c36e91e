create trigger _110_lock_products before insert or update or delete on public.pbis
  for each statement execute function private.tg_any__lock_products();
create trigger _126_keep_product before update on public.pbis
  for each row when (new.product_id <> old.product_id) execute function private.tg_any__keep_product();
create trigger _130_lock_product before insert or update or delete on public.pbis
  for each row execute function private.tg_any__lock_product();
create trigger _140_take_rate_limit before insert on public.pbis
  for each row execute function private.tg_any__take_rate_limit('pbi');
create trigger _145_compose_title before insert or update of title on public.pbis
  for each row when (new.title is not nfc normalized) execute function private.tg_any__compose_title();
create trigger _150_assign_code before insert on public.pbis
  for each row execute function private.tg_any__assign_code('pbi');
create trigger _151_assign_code before update on public.pbis
  for each row when (new.code is distinct from old.code) execute function private.tg_any__assign_code('pbi');

-- Without a sort_order last in its priority. Definer: for all callers alike (specification: Ordering rules 4).
create function private.tg_pbis__append() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  select coalesce(max(b.sort_order), 0) + 1
  into new.sort_order
  from public.pbis b
  where b.product_id = new.product_id and b.priority = new.priority;
  return new;
end;
$$;
create trigger _210_append before insert on public.pbis
  for each row when (new.sort_order is null) execute function private.tg_pbis__append();

-- Every status but BLOCKED, which is by hand, is derived from stories, for all writes (specification: States, PBI).
create function private.tg_pbis__derive_status()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  new.status := private.derived_pbi_status(new.id);
  return new;
end;
$$;
create trigger _310_derive_status before insert on public.pbis
  for each row when (new.status <> 'BLOCKED') execute function private.tg_pbis__derive_status();
create trigger _311_derive_status before update on public.pbis
  for each row when (new.status <> old.status and new.status <> 'BLOCKED')
  execute function private.tg_pbis__derive_status();
create trigger _400_touch before update on public.pbis
  for each row execute function private.tg_any__touch();

-- A merged pull request brings the PBI's work to the main branch. In products that wait for the merge, this
-- releases what the work blocks. Definer: the caller may not write jobs (docs/dependencies.md).
create function private.tg_pbis__note_merged()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if (select p.dependency_release from public.products p where p.id = new.product_id) = 'merged' then
    perform private.note_merged_requests(new.product_id, new.id, old.pr_merged_at);
  end if;
  return null;
end;
$$;
create trigger _560_note_merged
after update of pr_merged_at on public.pbis
for each row when (new.pr_merged_at is distinct from old.pr_merged_at)
execute function private.tg_pbis__note_merged();

create trigger _900_emit after insert or update or delete on public.pbis for each row
  execute function private.tg_any__emit('pbi', '{product:product_id}', '{"pbi_status": "status", "pbi_title": "title", "pbi_code": "code"}');
create trigger _940_limit_rows after insert on public.pbis
  referencing new table as added
  for each statement execute function private.tg_any__limit_rows('product_id', '100000', 'PBIs in this product, which is the limit. Delete some that are not needed.');

-- A PBI that is not blocked follows its stories: failed when one failed, done when all are done, otherwise ready.
-- Stories in triage do not count yet. Each check is one look into a partial index, for any number of stories.
-- Definer, so that the answer never depends on what the caller may see (specification: States and transitions, PBI).
create function private.derived_pbi_status(p_pbi_id uuid)
returns public.pbi_status language plpgsql volatile security definer set search_path = '' as $$
begin
  if exists (select from public.stories s where s.pbi_id = p_pbi_id and s.status = 'FAILED') then
    return 'FAILED';
  end if;
  if exists (select from public.stories s where s.pbi_id = p_pbi_id and s.status <> 'DONE' and not s.in_triage)
    or not exists (select from public.stories s where s.pbi_id = p_pbi_id and not s.in_triage) then
    return 'READY';
  end if;
  return 'DONE';
end;
$$;
