-- Why: a person can save the filter and layout of a backlog or board under a name, for themselves or for all members. A
-- look is what the page's address contains: filter, groups, layout and what cards hide.
-- user_id     whose view it is; null when all members see it
-- created_by  its creator; may change a shared view, like the product's owner
create table public.saved_views (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  user_id uuid references public.users (id) on delete cascade,
  created_by uuid references public.users (id) on delete set null,
  page text not null constraint saved_views_page_known check (page in ('backlog', 'board')),
  name text not null
    constraint saved_views_name_form check (name <> '' and char_length(name) <= 60 and name = btrim(name) and name !~ '[[:cntrl:]]'),
  look jsonb not null constraint saved_views_look_form check (jsonb_typeof(look) = 'object' and octet_length(look::text) <= 4000),
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now()
);

comment on table public.saved_views is 'Saved filters and layouts of backlog and board, each for one person or for all members.';
create unique index saved_views_one_name on public.saved_views (product_id, page, user_id, lower(name)) nulls not distinct;
create index saved_views_user_id_idx on public.saved_views (user_id);
create index saved_views_created_by_idx on public.saved_views (created_by);

alter table public.saved_views enable row level security;

create policy saved_views_select on public.saved_views for select to authenticated
  using (
    product_id in (select private.accessible_product_ids())
    and (user_id is null or user_id = (select auth.uid()))
  );
grant select on public.saved_views to authenticated;
