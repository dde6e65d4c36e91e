-- Why: the operator adds a member or viewer without being the owner. Adding an existing member changes nothing. Service
-- only.
create function operations.enrol_member(p_product_id uuid, p_user_id uuid, p_role text default 'MEMBER')
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  insert into public.product_members (product_id, user_id, role)
  values (p_product_id, p_user_id,
    (case upper(p_role) when 'VIEWER' then 'VIEWER' else 'MEMBER' end)::public.member_role)
  on conflict (product_id, user_id) do nothing;

  return json_build_object('product_id', p_product_id, 'user_id', p_user_id);
end;
$$;

comment on function operations.enrol_member is
  'Makes a user a member or viewer of a product, for the operator (specification: Authentication 4). Service only.';
grant execute on function operations.enrol_member to service_role;
