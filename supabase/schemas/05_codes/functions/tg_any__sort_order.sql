-- Why: sort_order of stories and tasks is set only on creation and when their code is edited (specification: Ordering
-- rules 2). A value from outside is overwritten.
create function private.tg_any__sort_order()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.sort_order := private.sort_order_from_code(new.code);
  return new;
end;
$$;

comment on function private.tg_any__sort_order is
  'sort_order of stories and tasks from their code (specification: Ordering rules 1, 2).';
