-- Why: every operation on a part of a product first needs its product. Definer, because under RLS an unknown id (404)
-- looks the same as one of a foreign product (403, decided by the caller of this function).
create function private.product_of(p_kind text, p_id uuid)
returns uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_product_id uuid;
begin
  case p_kind
    when 'task' then
      select t.product_id into v_product_id from public.tasks t where t.id = p_id;
    when 'story' then
      select s.product_id into v_product_id from public.stories s where s.id = p_id;
    when 'pbi' then
      select b.product_id into v_product_id from public.pbis b where b.id = p_id;
    when 'sprint' then
      select s.product_id into v_product_id from public.sprints s where s.id = p_id;
    when 'product' then
      select p.id into v_product_id from public.products p where p.id = p_id;
  end case;

  if v_product_id is null then
    raise exception using errcode = 'PT404',
      message = format('No such %s.', case p_kind when 'pbi' then 'PBI' else p_kind end);
  end if;

  return v_product_id;
end;
$$;

comment on function private.product_of is
  'The product of a task, story, pbi, sprint or product; PT404 when there is none (specification: Errors).';

grant execute on function private.product_of to authenticated;
