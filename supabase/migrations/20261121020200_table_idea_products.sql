-- Why: further products of an idea (specification: Idea): unique per pair, gone with either side.
create table public.idea_products (
  idea_id uuid not null references public.ideas (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  created_at timestamptz not null default private.now(),
  primary key (idea_id, product_id)
);

comment on table public.idea_products is 'Secondary products of an idea (specification: Idea).';

create index idea_products_product_id_idx on public.idea_products (product_id, idea_id);

alter table public.idea_products enable row level security;
