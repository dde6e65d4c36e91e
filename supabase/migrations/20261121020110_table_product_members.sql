-- Why: who may use a product (specification: Authentication 4). One row for the owner too, so that access is one look-up.
create table public.product_members (
  product_id uuid not null references public.products (id) on delete cascade,
  user_id uuid not null references public.users (id) on delete cascade,
  role public.member_role not null default 'MEMBER',
  created_at timestamptz not null default private.now(),
  primary key (product_id, user_id)
);

comment on table public.product_members is 'Owner and members of each product (specification: Authentication 4).';

create index product_members_user_id_idx on public.product_members (user_id, product_id);
create unique index product_members_one_owner_key on public.product_members (product_id) where role = 'OWNER';

alter table public.product_members enable row level security;
