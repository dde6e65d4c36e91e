-- Why: finds an account by user name or e-mail, which a user may not look up. Definer for that; access, ownership and the
-- rate limits are checked first. Each look-up counts and one that finds somebody is given back, so that a list of addresses cannot
-- be tried: after ten wrong ones a right one is refused like a wrong one. A refusal of that kind is therefore returned, not raised,
-- which would undo the count.
-- Called by the members page and the admin command. The identifier is a user name or an e-mail address; owner only.
create function operations.add_product_member(p_product_id uuid, p_identifier text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_user_id uuid;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.take_rate_limit('member', auth.uid()::text);
  perform private.take_rate_limit('member_lookup', auth.uid()::text);

  select u.id
  into v_user_id
  from public.users u
  where lower(u.username) = lower(trim(p_identifier)) or lower(u.email) = lower(trim(p_identifier))
  order by lower(u.username) = lower(trim(p_identifier)) desc
  limit 1;

  if v_user_id is null then
    return json_build_object('refused', json_build_object('code', 422,
      'error', 'Nobody here has this user name or e-mail address. Ask them to register first.',
      'issues', json_build_array(json_build_object('path', 'identifier', 'message', 'No account has this user name or e-mail address.'))));
  end if;
  perform operations.give_back_limit('member_lookup', auth.uid()::text);

  if exists (select from public.product_members m where m.product_id = p_product_id and m.user_id = v_user_id) then
    raise exception using errcode = 'PT409', message = 'This person is already a member of the product.';
  end if;

  insert into public.product_members (product_id, user_id) values (p_product_id, v_user_id);
  return json_build_object('user_id', v_user_id, 'username', private.username(v_user_id), 'role', 'MEMBER');
end;
$$;

comment on function operations.add_product_member is
  'Adds a member to a product, owner only (specification: Authentication 4).';
grant execute on function operations.add_product_member to authenticated;
