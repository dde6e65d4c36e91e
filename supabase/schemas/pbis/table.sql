-- The states of the backlog in database form (specification: Conventions; States and transitions).
create type public.pbi_status as enum ('READY', 'BLOCKED', 'DONE', 'FAILED');

-- By priority and a float sort_order (specification: PBI). `status` is derived from the stories, or BLOCKED by hand.
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
  is_intake boolean not null default false,
  version integer not null default 1,
  field_versions jsonb not null default '{}',
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint pbis_product_code_key unique (product_id, code),
  constraint pbis_id_product_key unique (id, product_id)
);

-- Completes pbis once ideas exist: the idea a PBI was promoted from.
alter table public.pbis
  add constraint pbis_idea_id_fkey foreign key (idea_id) references public.ideas (id) on delete set null;

comment on table public.pbis is 'Product backlog items (specification: PBI).';

comment on column public.pbis.field_versions is 'Of each changed field: the version that changed it, who did, and when.';
comment on column public.pbis.is_intake is 'Items from outside begin here; one a product.';
create unique index pbis_intake_key on public.pbis (product_id) where is_intake;
create index pbis_order_idx on public.pbis (product_id, priority, sort_order, created_at, id);
create index pbis_idea_id_idx on public.pbis (idea_id) where idea_id is not null;
create index pbis_search_idx on public.pbis
  using gin (private.scoped_words(product_id, code, title, description)) with (fastupdate = off);

alter table public.pbis enable row level security;

-- Everyone in the product reads; members and the owner write while it is not archived. Restrictive policies stop demo
-- accounts, even if other policies allow it (specification: Authentication 3, 4).
create policy pbis_select on public.pbis for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy pbis_insert on public.pbis for insert to authenticated
  with check (product_id in (select private.writable_product_ids()));
create policy pbis_update on public.pbis for update to authenticated
  using (product_id in (select private.writable_product_ids()));
create policy pbis_delete on public.pbis for delete to authenticated
  using (product_id in (select private.writable_product_ids()));

create policy pbis_no_demo_insert on public.pbis as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy pbis_no_demo_update on public.pbis as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy pbis_no_demo_delete on public.pbis as restrictive for delete to authenticated
  using (not (select private.is_demo()));
grant select on public.pbis to authenticated;
grant insert (id, product_id, code, title, description, priority, sort_order, status),
  update (code, title, description, priority, sort_order, status, pr_url, pr_merged_at),
  delete on public.pbis to authenticated;
