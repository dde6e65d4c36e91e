-- Why: who may use a product (specification: Authentication 4). The owner has a row too, so that access is one look-up.
create table public.product_members (
  product_id uuid not null references public.products (id) on delete cascade,
  user_id uuid not null references public.users (id) on delete cascade,
  role public.member_role not null default 'MEMBER',
  created_at timestamptz not null default private.now(),
  workers_allowed boolean not null default false,
  workers_decided_at timestamptz,
  primary key (product_id, user_id),
  -- Whoever owns a product wrote, or let others write, what its jobs say; everybody else is asked first.
  constraint product_members_owner_workers check (role <> 'OWNER' or workers_allowed),
  constraint product_members_viewer_workers check (role <> 'VIEWER' or not workers_allowed)
);

comment on table public.product_members is 'Owner, members and viewers of each product (specification: Authentication 4).';

comment on column public.product_members.workers_allowed is 'Whether this person''s workers may take the jobs of the product.';
comment on column public.product_members.workers_decided_at is 'When the person last said so; null while nobody has been asked.';

create index product_members_user_id_idx on public.product_members (user_id, product_id);
create unique index product_members_one_owner_key on public.product_members (product_id) where role = 'OWNER';

alter table public.product_members enable row level security;

-- Everybody in the product sees its members. The owner adds and removes members while it is not archived, a member may
-- leave. Nobody writes or removes the owner's row (specification: Authentication 3, 4).
create policy product_members_select on public.product_members for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy product_members_insert on public.product_members for insert to authenticated
  with check (
    role = 'MEMBER' and product_id in (select private.owned_product_ids())
    and product_id in (select private.writable_product_ids())
  );
create policy product_members_delete on public.product_members for delete to authenticated
  using (
    role <> 'OWNER' and (
      user_id = (select auth.uid())
      or product_id in (select private.owned_product_ids()) and product_id in (select private.writable_product_ids())
    )
  );

create policy product_members_no_demo_insert on public.product_members as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy product_members_no_demo_delete on public.product_members as restrictive for delete to authenticated
  using (not (select private.is_demo()));

grant select on public.product_members to authenticated;
grant insert (product_id, user_id), delete on public.product_members to authenticated;

grant select, insert, update, delete on public.product_members to service_role;
