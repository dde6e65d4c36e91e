-- Why: a new PBI without a place of its own comes last within its priority (specification: Ordering rules 4).
-- Definer: the place does not depend on what the caller may see.
create function private.tg_pbis__append()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  select coalesce(max(b.sort_order), 0) + 1
  into new.sort_order
  from public.pbis b
  where b.product_id = new.product_id and b.priority = new.priority;
  return new;
end;
$$;

comment on function private.tg_pbis__append is 'A new PBI comes last in its priority (specification: Ordering rules 4).';

create trigger _210_append before insert on public.pbis
  for each row when (new.sort_order is null) execute function private.tg_pbis__append();
