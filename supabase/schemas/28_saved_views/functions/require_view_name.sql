-- Why: people find a view by its name, so it is unique among the shared views of a page, and among each person's own.
-- Under the product lock, so that two concurrent calls cannot take the same name.
create function private.require_view_name(p_product_id uuid, p_page text, p_user_id uuid, p_name text, p_except uuid)
returns text
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_name text := btrim(p_name);
  v_others integer;
begin
  if coalesce(v_name, '') = '' or char_length(v_name) > 60 or v_name ~ '[[:cntrl:]]' then
    perform private.refuse(422, 'The name of a view is one line of 1 to 60 characters.');
  end if;
  if exists (
    select from public.saved_views v
    where v.product_id = p_product_id and v.page = p_page and v.user_id is not distinct from p_user_id
      and lower(v.name) = lower(v_name) and v.id is distinct from p_except
  ) then
    perform private.refuse(409, format('A view named "%s" already exists. Change that one, or choose another name.', private.one_line(v_name)));
  end if;
  select count(*) into v_others
  from public.saved_views v
  where v.product_id = p_product_id and v.user_id is not distinct from p_user_id and v.id is distinct from p_except;
  if v_others >= 50 then
    perform private.refuse(409, 'A product can have 50 shared views, and each member 50 of their own. Delete one first.');
  end if;
  return v_name;
end;
$$;

comment on function private.require_view_name is 'The name that a view may have, or PT422, PT409.';
