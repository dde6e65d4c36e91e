-- Why: one user's notes for one product (specification: Idea). PLANNED means promoted to a PBI; archived is a separate
-- flag.
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

grant select, insert, update, delete on public.ideas to service_role;
