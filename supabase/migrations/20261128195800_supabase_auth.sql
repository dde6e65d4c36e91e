-- Invitations that wait for the account made with them, and passwords that the service sets at Supabase Auth.
alter table public.product_invitations add column reserved_for uuid references public.users (id) on delete set null;
create index product_invitations_reserved_for_idx on public.product_invitations (reserved_for);
alter table public.users add column password_set_until timestamptz;
