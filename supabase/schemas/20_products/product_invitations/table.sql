-- Why: either a link for the first person who uses it (only the SHA-256 of its code is kept), or a question to one
-- person with an account, who alone can accept (no code). An invitation is deleted once it is used, answered or
-- revoked; the audit trail keeps what became of it.
create table public.product_invitations (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  role public.member_role not null,
  code_hash bytea unique constraint product_invitations_code_hash_length check (octet_length(code_hash) = 32),
  created_by uuid not null references public.users (id) on delete cascade,
  created_at timestamptz not null default private.now(),
  expires_at timestamptz not null default private.now() + interval '7 days',
  invited_user_id uuid references public.users (id) on delete cascade,
  -- While the bearer of a link makes an account with it, nobody else can use it.
  reserved_until timestamptz,
  constraint product_invitations_never_owner check (role <> 'OWNER'),
  constraint product_invitations_link_or_person check (num_nonnulls(code_hash, invited_user_id) = 1),
  constraint product_invitations_once_a_person unique (product_id, invited_user_id)
);

comment on table public.product_invitations is 'Open invitations to products, by link or to one person.';
comment on column public.product_invitations.code_hash is 'SHA-256 of the code in the link, which is shown once.';

create index product_invitations_product_id_idx on public.product_invitations (product_id);
create index product_invitations_invited_user_id_idx on public.product_invitations (invited_user_id);
create index product_invitations_created_by_idx on public.product_invitations (created_by);

alter table public.product_invitations enable row level security;

-- The owner sees the invitations of the product. Nobody writes directly.
create policy product_invitations_select on public.product_invitations for select to authenticated
  using (product_id in (select private.owned_product_ids()));

grant select (id, product_id, role, invited_user_id, created_by, created_at, expires_at) on public.product_invitations to authenticated;
grant select, insert, update, delete on public.product_invitations to service_role;
