-- Either a link for the first person who uses it (only the SHA-256 of its code is kept), or a question to one person
-- with an account, who alone can accept (no code). Deleted once used, answered or revoked; the audit trail stays.
create table public.product_invitations (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  role public.member_role not null,
  code_hash bytea unique constraint product_invitations_code_hash_length check (octet_length(code_hash) = 32),
  created_by uuid not null references public.users (id) on delete cascade,
  created_at timestamptz not null default private.now(),
  expires_at timestamptz not null default private.now() + interval '7 days',
  invited_user_id uuid references public.users (id) on delete cascade,
  -- While the bearer of a link makes an account with it, no one else can use it. The account's first sign-in uses it.
  reserved_until timestamptz,
  reserved_for uuid references public.users (id) on delete set null,
  constraint product_invitations_never_owner check (role <> 'OWNER'),
  constraint product_invitations_link_or_person check (num_nonnulls(code_hash, invited_user_id) = 1),
  constraint product_invitations_once_a_person unique (product_id, invited_user_id)
);

comment on table public.product_invitations is 'Open invitations to products, by link or to one person.';
comment on column public.product_invitations.code_hash is 'SHA-256 of the code in the link, which is shown once.';
create index product_invitations_product_id_idx on public.product_invitations (product_id);
create index product_invitations_invited_user_id_idx on public.product_invitations (invited_user_id);
create index product_invitations_created_by_idx on public.product_invitations (created_by);
create index product_invitations_reserved_for_idx on public.product_invitations (reserved_for);

alter table public.product_invitations enable row level security;

-- The owner sees the invitations of the product. No one writes directly.
create policy product_invitations_select on public.product_invitations for select to authenticated
  using (product_id in (select private.owned_product_ids()));
grant select (id, product_id, role, invited_user_id, created_by, created_at, expires_at) on public.product_invitations to authenticated;

-- The invited person decides. Under the product's lock the invitation is deleted and, if accepted, the membership
-- added. A person who has joined another way keeps that role. Refusals: 404 for others' and expired invitations,
-- 403 for demo accounts and archived products, 429. Definer: memberships and invitations are written by functions only.
create function operations.answer_invitation(p_invitation_id uuid, p_accept boolean)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid;
  v_invitation public.product_invitations;
begin
  perform private.require_no_demo();
  perform private.take_rate_limit('join', auth.uid()::text);
  select i.product_id into v_product_id from public.product_invitations i
  where i.id = p_invitation_id and i.invited_user_id = auth.uid();
  if v_product_id is not null then
    perform private.lock_product(v_product_id);
    if p_accept then
      perform private.require_product_write(v_product_id, true);
    end if;
    delete from public.product_invitations i
    where i.id = p_invitation_id and i.invited_user_id = auth.uid() and i.expires_at > private.now()
    returning i.* into v_invitation;
  end if;
  if v_invitation.id is null then
    perform private.refuse(404, 'This invitation was used or revoked, or it has expired. Ask for a new one.');
  end if;
  if p_accept then
    insert into public.product_members (product_id, user_id, role) values (v_product_id, auth.uid(), v_invitation.role)
    on conflict (product_id, user_id) do nothing;
  end if;
  perform private.audit(auth.uid(), auth.uid(), case when p_accept then 'invitation.accepted' else 'invitation.declined' end,
    jsonb_build_object('product_id', v_product_id, 'invitation_id', v_invitation.id, 'role', v_invitation.role, 'invited_by', v_invitation.created_by));
  perform private.notify_invitee(auth.uid(), v_invitation.id);
  return json_build_object('product_id', v_product_id, 'accepted', p_accept);
end;
$$;
grant execute on function operations.answer_invitation to authenticated;

-- A link lets the first person who uses it into the product. The app generates the code and shows it once; only
-- its SHA-256 is stored. Expired links are deleted here. Refusals: 404, 403, 409 for too many open ones, 422, 429.
-- Definer: invitations are written by functions only.
create function operations.create_invitation(p_product_id uuid, p_role text, p_code_hash text)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_role public.member_role;
  v_invitation public.product_invitations;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  v_role := private.require_choice('role', coalesce(p_role, ''), array['MEMBER', 'VIEWER']);
  perform private.take_rate_limit('member', auth.uid()::text);
  if p_code_hash !~ '^[0-9a-f]{64}$' then
    perform private.refuse(422, 'code_hash is the SHA-256 of the code, in hexadecimal.');
  end if;
  delete from public.product_invitations i where i.product_id = p_product_id and i.expires_at <= private.now();
  if (select count(*) from public.product_invitations i where i.product_id = p_product_id and i.code_hash is not null) >= 50 then
    perform private.refuse(409, 'The product has 50 open invitations. Revoke one that is no longer needed.');
  end if;
  insert into public.product_invitations (product_id, role, code_hash, created_by)
  values (p_product_id, v_role, decode(p_code_hash, 'hex'), auth.uid())
  returning * into v_invitation;
  perform private.audit(auth.uid(), auth.uid(), 'invitation.created',
    jsonb_build_object('product_id', p_product_id, 'invitation_id', v_invitation.id, 'role', v_role));
  return json_build_object('id', v_invitation.id, 'role', v_role, 'expires_at', v_invitation.expires_at);
end;
$$;
grant execute on function operations.create_invitation to authenticated;

-- Who invites to what, for the holder of a link, before any sign-in. 404 for an invalid code. Service only.
create function operations.find_invitation(p_code_hash text)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_invitation json;
begin
  select json_build_object('role', i.role, 'product_name', p.name, 'invited_by', u.username, 'expires_at', i.expires_at)
  into v_invitation
  from public.product_invitations i
  join public.products p on p.id = i.product_id and p.archived_at is null
  join public.users u on u.id = i.created_by
  where i.code_hash = decode(p_code_hash, 'hex') and i.expires_at > private.now();
  if v_invitation is null then
    perform private.refuse(404, 'This invitation was used or revoked, or it has expired. Ask for a new one.');
  end if;
  return v_invitation;
end;
$$;
grant execute on function operations.find_invitation to service_role;

-- A person with an account is asked first: the invitation waits in their inbox for seven days. Definer, because users
-- may not look up others by username or email; access, ownership and rate limits are checked first. Each look-up
-- counts, and a successful one is given back, so that no one can try a list of addresses: after ten wrong ones a
-- right one is refused like a wrong one. That refusal is therefore returned, not raised, which would roll the count
-- back. A demo account only reads and cannot answer, so it becomes a member at once. The identifier is a username or
-- an email address; owner only (specification: Authentication 4).
create function operations.invite_person(p_product_id uuid, p_identifier text, p_role text default 'MEMBER')
returns json language plpgsql volatile security definer set search_path = '' as $$
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
      'error', 'No one here has this username or email address. Invite them with a link.',
      'issues', json_build_array(json_build_object('path', 'identifier', 'message', 'No account has this username or email address. Invite them with a link.'))));
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
grant execute on function operations.invite_person to authenticated;

-- Stores an invitation of one person and notifies their inbox. At most ten of one owner wait there: they are before mentions.
create function private.keep_personal_invitation(p_product_id uuid, p_user_id uuid, p_role public.member_role)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_id uuid;
begin
  delete from public.product_invitations i where i.product_id = p_product_id and i.expires_at <= private.now();
  if (select count(*) from public.product_invitations i
      where i.invited_user_id = p_user_id and i.created_by = auth.uid() and i.expires_at > private.now()) >= 10 then
    perform private.refuse(409, 'Ten of your invitations wait in the inbox of this person. Wait for an answer, or send a link.');
  end if;
  insert into public.product_invitations (product_id, role, invited_user_id, created_by)
  values (p_product_id, p_role, p_user_id, auth.uid())
  on conflict (product_id, invited_user_id) do nothing
  returning id into v_id;
  if v_id is null then
    perform private.refuse(409, 'This person is invited already. The invitation waits in their inbox.');
  end if;
  perform private.audit(p_user_id, auth.uid(), 'invitation.asked',
    jsonb_build_object('product_id', p_product_id, 'invitation_id', v_id, 'role', p_role));
  perform private.notify_invitee(p_user_id, v_id);
end;
$$;

-- Under the product's lock the link is deleted and the membership added, so that of two people at once the second
-- finds no link. A person who is already in the product leaves the link unused. Without a code, the link is the one
-- with which the caller's account was made. Refusals: 404, 403 for demo accounts and archived products, 409, 429.
-- p_reserved is sent by processes of 0.4.0 and not read. Definer: memberships and invitations are written by functions only.
create function operations.join_product(p_code_hash text default null, p_reserved boolean default false)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid;
  v_invitation public.product_invitations;
begin
  perform private.require_no_demo();
  perform private.take_rate_limit('join', auth.uid()::text);
  select i.* into v_invitation from public.product_invitations i
  where i.code_hash = decode(p_code_hash, 'hex') or (p_code_hash is null and i.reserved_for = auth.uid()) limit 1;
  v_product_id := v_invitation.product_id;
  if v_product_id is not null then
    perform private.lock_product(v_product_id);
    perform private.require_product_write(v_product_id, true);
    if exists (select from public.product_members m where m.product_id = v_product_id and m.user_id = auth.uid()) then
      perform private.refuse(409, 'You are already in this product.');
    end if;
    delete from public.product_invitations i
    where i.id = v_invitation.id and i.expires_at > private.now()
      and (i.reserved_for = auth.uid() or coalesce(i.reserved_until, '-infinity') <= private.now())
    returning i.* into v_invitation;
  end if;
  if v_invitation.id is null then
    perform private.refuse(404, 'This invitation was used or revoked, or it has expired. Ask for a new one.');
  end if;
  insert into public.product_members (product_id, user_id, role) values (v_product_id, auth.uid(), v_invitation.role);
  perform private.audit(auth.uid(), auth.uid(), 'invitation.used', jsonb_build_object('product_id', v_product_id,
    'invitation_id', v_invitation.id, 'role', v_invitation.role, 'invited_by', v_invitation.created_by));
  return json_build_object('product_id', v_product_id, 'role', v_invitation.role);
end;
$$;
grant execute on function operations.join_product to authenticated;

-- Open invitations, newest first; owner only.
create function operations.list_invitations(p_product_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_product_owner(p_product_id);
  return json_build_object('invitations', (
    select coalesce(json_agg(json_build_object('id', i.id, 'role', i.role, 'person', private.username(i.invited_user_id), 'invited_by', private.username(i.created_by),
      'created_at', i.created_at, 'expires_at', i.expires_at) order by i.created_at desc, i.id), '[]')
    from public.product_invitations i
    where i.product_id = p_product_id and i.expires_at > private.now()));
end;
$$;
grant execute on function operations.list_invitations to authenticated;

-- A link opens registration for one person, so two people cannot both create an account with it at the same
-- moment. It is reserved for two minutes, or until keep_invitation says what came of it. Service only.
create function operations.reserve_invitation(p_code_hash text)
returns json language plpgsql volatile set search_path = '' as $$
begin
  update public.product_invitations i
  set reserved_until = private.now() + interval '2 minutes'
  where i.code_hash = decode(p_code_hash, 'hex') and i.expires_at > private.now()
    and coalesce(i.reserved_until, '-infinity') <= private.now()
    and (i.reserved_for is null or private.is_unconfirmed(i.reserved_for));
  if not found then
    perform operations.find_invitation(p_code_hash);
    perform private.refuse(409,
      'An account is made with this invitation already. If it is yours, sign in with it; otherwise ask for another invitation.');
  end if;
  return json_build_object('reserved', true);
end;
$$;
grant execute on function operations.reserve_invitation to service_role;

-- The account that was made with a reserved link may join with it, now or once its address is confirmed, and the
-- link makes no other. Without an account, none was made and the link is free again. Service only.
create function operations.keep_invitation(p_code_hash text, p_account uuid default null)
returns json language plpgsql volatile set search_path = '' as $$
begin
  update public.product_invitations i set reserved_until = null, reserved_for = p_account
  where i.code_hash = decode(p_code_hash, 'hex');
  return json_build_object('kept', found);
end;
$$;
grant execute on function operations.keep_invitation to service_role;

-- Ends an invitation at once. Refusals: 404, 403. Definer: invitations are written by functions only.
create function operations.revoke_invitation(p_invitation_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_invitation public.product_invitations;
begin
  select i.* into v_invitation from public.product_invitations i where i.id = p_invitation_id;
  if not found then
    perform private.refuse(404, 'No such invitation. It was used or revoked, or it has expired.');
  end if;
  perform private.require_write('product', v_invitation.product_id);
  perform private.require_product_owner(v_invitation.product_id);
  delete from public.product_invitations i where i.id = p_invitation_id;
  perform private.audit(auth.uid(), auth.uid(), 'invitation.revoked',
    jsonb_build_object('product_id', v_invitation.product_id, 'invitation_id', p_invitation_id));
  if v_invitation.invited_user_id is not null then
    perform private.notify_invitee(v_invitation.invited_user_id, p_invitation_id);
  end if;
  return json_build_object('id', p_invitation_id);
end;
$$;
grant execute on function operations.revoke_invitation to authenticated;

-- Updates the invited person's inbox at once. Called when an invitation is created, revoked or answered.
create function private.notify_invitee(p_user_id uuid, p_invitation_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
begin
  perform private.emit('user:' || p_user_id,
    jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_invitation_id, 'product_id', null));
end;
$$;
