-- States of an idea (specification: Idea). PLANNED means promoted to a PBI.
create type public.idea_status as enum ('DRAFT', 'DISCUSSING', 'READY', 'PLANNED');

-- One user's notes for one product (specification: Idea). PLANNED means promoted to a PBI; archived is a separate flag.
create table public.ideas (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references public.users (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  code text not null constraint ideas_code_form check (code ~ '^IDEA-[0-9]{3,}$' and char_length(code) <= 30),
  title text not null constraint ideas_title_length check (char_length(title) between 1 and 300),
  description text not null default ''
    constraint ideas_description_length check (char_length(description) <= 100000),
  status public.idea_status not null default 'DRAFT',
  archived_at timestamptz,
  pbi_id uuid references public.pbis (id) on delete set null,
  version integer not null default 1,
  field_versions jsonb not null default '{}',
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint ideas_user_code_key unique (user_id, code),
  constraint ideas_pbi_only_when_planned check (pbi_id is null or status = 'PLANNED')
);

comment on table public.ideas is 'Ideas (specification: Idea), coded by a counter per user.';

comment on column public.ideas.field_versions is 'Of each changed field: the version that changed it, who did, and when.';
create index ideas_product_id_idx on public.ideas (product_id);
create index ideas_open_idx on public.ideas (user_id, product_id, created_at, id)
  where archived_at is null and status <> 'PLANNED';
create index ideas_pbi_id_idx on public.ideas (pbi_id) where pbi_id is not null;
create index ideas_search_idx on public.ideas
  using gin (private.scoped_words(user_id, code, title, description)) with (fastupdate = off);

alter table public.ideas enable row level security;

-- Ideas belong to one user; writing also needs a product that is not archived (specification: Idea; Authentication 3,
-- 4). A user who has left the product can still change, move and delete its ideas.
create policy ideas_select on public.ideas for select to authenticated
  using (user_id = (select auth.uid()) and private.is_open_to_token(product_id));
create policy ideas_insert on public.ideas for insert to authenticated
  with check (user_id = (select auth.uid()) and product_id in (select private.writable_product_ids()));
create policy ideas_update on public.ideas for update to authenticated
  using (user_id = (select auth.uid()) and product_id not in (select private.frozen_product_ids()))
  with check (
    user_id = (select auth.uid())
    and (product_id in (select private.writable_product_ids()) or product_id = private.require_own_idea(id))
  );
create policy ideas_delete on public.ideas for delete to authenticated
  using (user_id = (select auth.uid()) and product_id not in (select private.frozen_product_ids()));

create policy ideas_no_demo_insert on public.ideas as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy ideas_no_demo_update on public.ideas as restrictive for update to authenticated
  using (not (select private.is_demo()));
create policy ideas_no_demo_delete on public.ideas as restrictive for delete to authenticated
  using (not (select private.is_demo()));
grant select on public.ideas to authenticated;
grant insert (id, product_id, title, description), update (title, description, product_id, status, archived_at), delete
  on public.ideas to authenticated;

-- The history on an idea's page: created, edited, moved, linked, promoted, asked, answered.
create table public.idea_logs (
  id uuid primary key default gen_random_uuid(),
  idea_id uuid not null references public.ideas (id) on delete cascade,
  user_id uuid references public.users (id) on delete set null,
  kind text not null constraint idea_logs_kind_form check (kind ~ '^[A-Z][A-Z_]{1,39}$'),
  content text not null default '' constraint idea_logs_content_length check (char_length(content) <= 100000),
  created_at timestamptz not null default private.now()
);

comment on table public.idea_logs is 'The log of an idea (specification: Other records, idea log). Written by triggers.';
create index idea_logs_idea_id_idx on public.idea_logs (idea_id, created_at);
create index idea_logs_user_id_idx on public.idea_logs (user_id);

alter table public.idea_logs enable row level security;

create policy idea_logs_select on public.idea_logs for select to authenticated
  using (idea_id in (select i.id from public.ideas i where i.user_id = (select auth.uid())));
grant select on public.idea_logs to authenticated;

-- Further products of an idea (specification: Idea): unique per pair, deleted with either side.
create table public.idea_products (
  idea_id uuid not null references public.ideas (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  created_at timestamptz not null default private.now(),
  primary key (idea_id, product_id)
);

comment on table public.idea_products is 'Secondary products of an idea (specification: Idea).';
create index idea_products_product_id_idx on public.idea_products (product_id, idea_id);

alter table public.idea_products enable row level security;

-- Links of the user's own ideas to products they may use, not to archived ones (specification: Idea; Authentication 3,
-- 4).
create policy idea_products_select on public.idea_products for select to authenticated
  using (idea_id in (select i.id from public.ideas i where i.user_id = (select auth.uid())));
create policy idea_products_insert on public.idea_products for insert to authenticated
  with check (
    idea_id in (
      select i.id from public.ideas i
      where i.user_id = (select auth.uid()) and i.product_id not in (select private.frozen_product_ids()))
    and product_id in (select private.writable_product_ids())
  );
create policy idea_products_delete on public.idea_products for delete to authenticated
  using (
    idea_id in (
      select i.id from public.ideas i
      where i.user_id = (select auth.uid()) and i.product_id not in (select private.frozen_product_ids()))
    and product_id not in (select private.frozen_product_ids())
  );

create policy idea_products_no_demo_insert on public.idea_products as restrictive for insert to authenticated
  with check (not (select private.is_demo()));
create policy idea_products_no_demo_delete on public.idea_products as restrictive for delete to authenticated
  using (not (select private.is_demo()));
grant select on public.idea_products to authenticated;
grant insert (idea_id, product_id), delete on public.idea_products to authenticated;
