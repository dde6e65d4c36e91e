-- Why: a name, in any case, is unique in its product. Under the product lock, so that two concurrent calls cannot take
-- the same name.
create function private.require_label_name(p_product_id uuid, p_name text, p_except uuid)
returns text
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_name text := btrim(p_name);
begin
  if coalesce(v_name, '') = '' or char_length(v_name) > 50 or v_name ~ '[[:cntrl:],]' then
    perform private.refuse(422, 'A label has a name of 1 to 50 characters in one line, without commas.');
  end if;
  if exists (
    select from public.labels l
    where l.product_id = p_product_id and lower(l.name) = lower(v_name) and l.id is distinct from p_except
  ) then
    perform private.refuse(409, format('There is a label "%s" already. Use that one, or choose another name.', private.one_line(v_name)));
  end if;
  return v_name;
end;
$$;

comment on function private.require_label_name is 'The name that a label may have, or PT422, PT409.';
