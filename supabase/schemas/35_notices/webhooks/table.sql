-- Why: other systems get signed requests about a product's questions, runs and reviews. The secret signs each request;
-- it is shown once, when the webhook is created.
create table public.webhooks (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  url text not null constraint webhooks_url_form check (url ~ '^https?://' and char_length(url) <= 2000),
  secret text not null constraint webhooks_secret_length check (char_length(secret) between 32 and 200),
  events jsonb not null default '[]'
    constraint webhooks_events check (jsonb_typeof(events) = 'array' and jsonb_array_length(events) between 1 and 10),
  active boolean not null default true,
  created_by uuid references public.users (id) on delete set null,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now()
);

comment on table public.webhooks is 'Outbound webhooks of a product: address, signing secret, chosen events.';

create index webhooks_product_id_idx on public.webhooks (product_id);
create index webhooks_created_by_idx on public.webhooks (created_by);

alter table public.webhooks enable row level security;

create policy webhooks_select on public.webhooks for select to authenticated
  using (product_id in (select private.owned_product_ids()));

grant select (id, product_id, url, events, active, created_by, created_at, updated_at) on public.webhooks to authenticated;
grant select, insert, update, delete on public.webhooks to service_role;
