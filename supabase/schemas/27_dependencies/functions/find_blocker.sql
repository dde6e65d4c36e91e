-- Why: finds the other end of a dependency by id or code; a code as given, else in upper case.
create function private.find_blocker(p_kind text, p_product_id uuid, p_reference text)
returns uuid
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid := case when p_reference ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then p_reference::uuid end;
begin
  if p_kind = 'task' then
    return (select t.id from public.tasks t
      where t.product_id = p_product_id and (t.id = v_id or t.code in (p_reference, upper(p_reference)))
      order by t.id = v_id desc nulls last, t.code = p_reference desc limit 1);
  end if;
  return (select s.id from public.stories s
    where s.product_id = p_product_id and (s.id = v_id or s.code in (p_reference, upper(p_reference)))
    order by s.id = v_id desc nulls last, s.code = p_reference desc limit 1);
end;
$$;

comment on function private.find_blocker is 'A task or story of a product by id or code, or null.';
