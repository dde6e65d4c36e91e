-- Why: a person with an account is asked first: the invitation waits in their inbox for seven days. Definer, because
-- users may not look up others by user name or e-mail; access, ownership and rate limits are checked first. Each
-- look-up counts, and a successful one is given back, so that nobody can try a list of addresses: after ten wrong ones
-- a right one is refused like a wrong one. That refusal is therefore returned, not raised, which would roll the count
-- back. A demo account only reads and cannot answer, so it becomes a member at once.
-- Called by the members page. The identifier is a user name or an e-mail address; owner only.
create function operations.invite_person(p_product_id uuid, p_identifier text, p_role text default 'MEMBER')
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_role public.member_role;
  v_user public.users;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  v_role := private.require_choice('role', coalesce(p_role, ''), array['MEMBER', 'VIEWER']);
  perform private.take_rate_limit('member', auth.uid()::text);
  perform private.take_rate_limit('member_lookup', auth.uid()::text);

  select u.*
  into v_user
  from public.users u
  where lower(u.username) = lower(trim(p_identifier)) or lower(u.email) = lower(trim(p_identifier))
  order by lower(u.username) = lower(trim(p_identifier)) desc
  limit 1;

  if v_user.id is null then
    return json_build_object('refused', json_build_object('code', 422,
      'error', 'Nobody here has this user name or e-mail address. Invite them with a link.',
      'issues', json_build_array(json_build_object('path', 'identifier', 'message', 'No account has this user name or e-mail address. Invite them with a link.'))));
  end if;
  perform operations.give_back_limit('member_lookup', auth.uid()::text);

  if exists (select from public.product_members m where m.product_id = p_product_id and m.user_id = v_user.id) then
    perform private.refuse(409, 'This person is already in the product.');
  end if;
  if v_user.is_demo then
    insert into public.product_members (product_id, user_id, role) values (p_product_id, v_user.id, v_role);
    return json_build_object('user_id', v_user.id, 'username', v_user.username, 'role', v_role, 'asked', false);
  end if;
  perform private.keep_personal_invitation(p_product_id, v_user.id, v_role);
  return json_build_object('user_id', v_user.id, 'username', v_user.username, 'role', v_role, 'asked', true);
end;
$$;

comment on function operations.invite_person is
  'Asks somebody who has an account into a product, owner only (specification: Authentication 4).';
grant execute on function operations.invite_person to authenticated;

create function private.keep_personal_invitation(p_product_id uuid, p_user_id uuid, p_role public.member_role)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid;
begin
  delete from public.product_invitations i where i.product_id = p_product_id and i.expires_at <= private.now();
  insert into public.product_invitations (product_id, role, invited_user_id, created_by)
  values (p_product_id, p_role, p_user_id, auth.uid())
  on conflict (product_id, invited_user_id) do nothing
  returning id into v_id;
  if v_id is null then
    perform private.refuse(409, 'This person is invited already. The invitation waits in their inbox.');
  end if;
  perform private.audit(p_user_id, auth.uid(), 'invitation.asked',
    jsonb_build_object('product_id', p_product_id, 'invitation_id', v_id, 'role', p_role));
  perform private.tell_invited(p_user_id, v_id);
end;
$$;

comment on function private.keep_personal_invitation is 'Stores an invitation of one person and tells their inbox.';
