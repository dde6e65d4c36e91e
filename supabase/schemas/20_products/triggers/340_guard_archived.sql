-- Why: an archived product is read-only until it is restored (specification: GET /api/products).
create function private.tg_products__guard_archived()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception using errcode = 'PT403',
    message = 'This product is archived and can only be read. Restore it to make changes.';
end;
$$;

comment on function private.tg_products__guard_archived is 'Archived products do not change.';

create trigger _340_guard_archived before update on public.products
  for each row when (old.archived_at is not null and new.archived_at is not null and auth.uid() is not null)
  execute function private.tg_products__guard_archived();
