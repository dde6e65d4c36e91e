-- Why: product backlog items (specification: PBI), ordered by priority and a float sort_order.
-- `status` is READY, DONE or FAILED as its stories say, or BLOCKED by hand; triggers keep that.
create table public.pbis (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  code text not null constraint pbis_code_form check (code ~ '^[A-Za-z0-9._-]{1,30}$'),
  title text not null constraint pbis_title_length check (char_length(title) between 1 and 300),
  description text not null default ''
    constraint pbis_description_length check (char_length(description) <= 100000),
  priority integer not null default 3 constraint pbis_priority_range check (priority between 0 and 1000000),
  sort_order double precision not null
    constraint pbis_sort_order_finite check (sort_order > '-Infinity' and sort_order < 'Infinity'),
  status public.pbi_status not null default 'READY',
  pr_url text
    constraint pbis_pr_url_form check (pr_url ~* '^https?://' and char_length(pr_url) <= 2000),
  pr_merged_at timestamptz,
  idea_id uuid,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint pbis_product_code_key unique (product_id, code),
  constraint pbis_id_product_key unique (id, product_id)
);

comment on table public.pbis is 'Product backlog items (specification: PBI).';

create index pbis_order_idx on public.pbis (product_id, priority, sort_order, created_at, id);
create index pbis_idea_id_idx on public.pbis (idea_id) where idea_id is not null;
create index pbis_search_idx on public.pbis
  using gin (to_tsvector('simple', code || ' ' || title || ' ' || left(description, 20000)));

alter table public.pbis enable row level security;
