-- Who may use a product (specification: Authentication 4). The owner has a row too, so that access is one look-up.
create table public.product_members (
  product_id uuid not null references public.products (id) on delete cascade,
  user_id uuid not null references public.users (id) on delete cascade,
  role public.member_role not null default 'MEMBER',
  created_at timestamptz not null default private.now(),
  workers_allowed boolean not null default false,
  workers_decided_at timestamptz,
  primary key (product_id, user_id),
  -- Whoever owns a product wrote, or let others write, what its jobs say; everyone else is asked first.
  constraint product_members_owner_workers check (role <> 'OWNER' or workers_allowed),
  constraint product_members_viewer_workers check (role <> 'VIEWER' or not workers_allowed)
);

comment on table public.product_members is 'Owner, members and viewers of each product (specification: Authentication 4).';

comment on column public.product_members.workers_allowed is 'Whether this person''s workers may take the jobs of the product.';
comment on column public.product_members.workers_decided_at is 'When the member last decided; null if never asked.';
create index product_members_user_id_idx on public.product_members (user_id, product_id);
create unique index product_members_one_owner_key on public.product_members (product_id) where role = 'OWNER';

alter table public.product_members enable row level security;

-- Everyone in the product sees its members. The owner removes members while it is not archived, a member may leave, and
-- people come in by functions only, with their own consent. No one removes the owner's row (specification: Authentication 3, 4).
create policy product_members_select on public.product_members for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy product_members_delete on public.product_members for delete to authenticated
  using (
    role <> 'OWNER' and (
      user_id = (select auth.uid())
      or product_id in (select private.owned_product_ids()) and product_id in (select private.writable_product_ids())
    )
  );

create policy product_members_no_demo_delete on public.product_members as restrictive for delete to authenticated
  using (not (select private.is_demo()));
grant select, delete on public.product_members to authenticated;

create trigger _110_lock_products before delete on public.product_members
  for each statement execute function private.tg_any__lock_products();
create trigger _130_lock_product before delete on public.product_members
  for each row execute function private.tg_any__lock_product();

-- Who leaves loses it as active product. Definer: it writes another's profile (specification: Other records, User).
create function private.tg_product_members__clear_active()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update public.users u
  set active_product_id = null
  where u.id = old.user_id and u.active_product_id = old.product_id;
  return null;
end;
$$;
create trigger _525_clear_active after delete on public.product_members
  for each row execute function private.tg_product_members__clear_active();

-- Open streams gain or lose access: the event goes to product and user (specification: Authentication 4).
create trigger _900_emit after insert or delete on public.product_members for each row
  execute function private.tg_any__emit('member', '{product:product_id,user:user_id}', '{"id": "user_id", "user_id": "user_id"}');
create trigger _901_emit after update on public.product_members for each row when (new.role <> old.role)
  execute function private.tg_any__emit('member', '{product:product_id,user:user_id}', '{"id": "user_id", "user_id": "user_id"}',
    'without changed fields');

-- Being added to a product must not let others run code on a member's machine, so each member allows it for themselves.
-- The owner's workers are always allowed. Refusals: 404, 403, 409 for the owner. Definer: no one writes membership rows
-- directly; this writes only the caller's own (specification: Agent job; Authentication 4).
create function operations.allow_my_workers(p_product_id uuid, p_allowed boolean)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_session('Only you allow your workers, signed in on the members page: a token cannot.');

  update public.product_members m
  set workers_allowed = p_allowed, workers_decided_at = private.now()
  where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'MEMBER';
  if not found then
    perform private.refuse(409, 'You own this product, so your workers are always allowed here. Stop a worker to keep it from taking jobs.');
  end if;
  return json_build_object('product_id', p_product_id, 'workers_allowed', p_allowed);
end;
$$;
grant execute on function operations.allow_my_workers to authenticated;

-- The operator adds a member or viewer without being the owner. An existing member stays as is. Service only.
create function operations.enrol_member(p_product_id uuid, p_user_id uuid, p_role text default 'MEMBER')
returns json language plpgsql volatile set search_path = '' as $$
begin
  insert into public.product_members (product_id, user_id, role)
  values (p_product_id, p_user_id,
    (case upper(p_role) when 'VIEWER' then 'VIEWER' else 'MEMBER' end)::public.member_role)
  on conflict (product_id, user_id) do nothing;

  return json_build_object('product_id', p_product_id, 'user_id', p_user_id);
end;
$$;
grant execute on function operations.enrol_member to service_role;

-- A member or viewer gives up access to a product, even an archived one (specification: Other records).
create function operations.leave_product(p_product_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_access('product', p_product_id);
  perform private.require_no_demo();
  perform private.lock_product(p_product_id);

  delete from public.product_members m
  where m.product_id = p_product_id and m.user_id = auth.uid() and m.role <> 'OWNER';
  if not found then
    perform private.refuse(409, 'The owner stays in the product. Archive or delete it instead.');
  end if;
  return json_build_object('product_id', p_product_id);
end;
$$;
grant execute on function operations.leave_product to authenticated;

-- Owner first, then by name (specification: Authentication 4).
create function operations.list_product_members(p_product_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  perform private.require_product_access(p_product_id);

  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        m.user_id, private.username(m.user_id) as username, m.role, m.workers_allowed,
        to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
      from public.product_members m
      where m.product_id = p_product_id
      order by m.role, lower(private.username(m.user_id))
    ) x
  );
end;
$$;
grant execute on function operations.list_product_members to authenticated;

-- Owner only. Access, assignments and active product end at once (specification: Authentication 4; Other records).
create function operations.remove_product_member(p_product_id uuid, p_user_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);

  if p_user_id = auth.uid() then
    perform private.refuse(409, 'The owner stays in the product. Archive or delete it instead.');
  end if;

  delete from public.product_members m where m.product_id = p_product_id and m.user_id = p_user_id;
  if not found then
    perform private.refuse(404, 'No such member. Reload the list: they may have left.');
  end if;
  return json_build_object('product_id', p_product_id, 'user_id', p_user_id);
end;
$$;
grant execute on function operations.remove_product_member to authenticated;

-- The owner makes a member a viewer, or a viewer a member. A new viewer loses assigned stories and consent for their
-- workers, so that nothing waits for someone who cannot do it. Refusals: 404, 403, 409 for the owner, 422. Definer:
-- no one writes roles directly (specification: Authentication 4).
create function operations.set_member_role(p_product_id uuid, p_user_id uuid, p_role text)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_role public.member_role;
  v_before public.member_role;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  v_role := private.require_choice('role', coalesce(p_role, ''), array['MEMBER', 'VIEWER']);
  perform private.take_rate_limit('member', auth.uid()::text);

  select m.role into v_before from public.product_members m
  where m.product_id = p_product_id and m.user_id = p_user_id
  for update;
  if not found then
    perform private.refuse(404, 'No such member. Reload the list: they may have left.');
  end if;
  if v_before = 'OWNER' then
    perform private.refuse(409, 'The owner stays the owner of the product. Archive or delete it instead.');
  end if;

  if v_role = 'VIEWER' then
    update public.stories s set assignee_id = null where s.product_id = p_product_id and s.assignee_id = p_user_id;
  end if;
  update public.product_members m
  set role = v_role, workers_allowed = m.workers_allowed and v_role = 'MEMBER',
    workers_decided_at = case when v_role = 'MEMBER' then m.workers_decided_at end
  where m.product_id = p_product_id and m.user_id = p_user_id and m.role <> v_role;
  if found then
    perform private.audit(p_user_id, auth.uid(), 'member.role',
      jsonb_build_object('product_id', p_product_id, 'from', v_before, 'to', v_role));
  end if;
  return json_build_object('user_id', p_user_id, 'username', private.username(p_user_id), 'role', v_role);
end;
$$;
grant execute on function operations.set_member_role to authenticated;
