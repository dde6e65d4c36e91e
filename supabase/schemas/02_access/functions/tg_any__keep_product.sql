-- Why: a PBI or sprint never changes its product; its stories could not follow.
create function private.tg_any__keep_product()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception using errcode = 'PT422', message = 'This cannot move to another product.',
    detail = '{"issues":[{"path":"product_id","message":"The product cannot be changed."}]}';
end;
$$;

comment on function private.tg_any__keep_product is
  'PBIs and sprints stay in their product (specification: What the service does 1).';
