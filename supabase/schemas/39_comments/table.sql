-- Why: people and agents comment on a PBI, story or task. A comment belongs to one of them and is deleted with it. The
-- author's name is stored beside the id, for deleted and imported authors. Written by functions only.
create table public.comments (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  pbi_id uuid,
  story_id uuid,
  task_id uuid,
  body text not null constraint comments_body_length check (char_length(body) between 1 and 10000),
  author_id uuid references public.users (id) on delete set null,
  author text not null,
  created_at timestamptz not null default private.now(),
  edited_at timestamptz,
  constraint comments_one_place check (num_nonnulls(pbi_id, story_id, task_id) = 1),
  constraint comments_pbi_fkey foreign key (pbi_id, product_id) references public.pbis (id, product_id) on delete cascade,
  constraint comments_story_fkey foreign key (story_id, product_id) references public.stories (id, product_id) on delete cascade,
  constraint comments_task_fkey foreign key (task_id, product_id) references public.tasks (id, product_id) on delete cascade
);

comment on table public.comments is 'Comments on PBIs, stories and tasks.';
comment on column public.comments.edited_at is 'When its author last changed it; null when never.';

create index comments_pbi_idx on public.comments (pbi_id, product_id, created_at, id) where pbi_id is not null;
create index comments_story_idx on public.comments (story_id, product_id, created_at, id) where story_id is not null;
create index comments_task_idx on public.comments (task_id, product_id, created_at, id) where task_id is not null;
create index comments_product_id_idx on public.comments (product_id);
create index comments_author_id_idx on public.comments (author_id);

alter table public.comments enable row level security;

create policy comments_select on public.comments for select to authenticated
  using (product_id in (select private.accessible_product_ids()));

grant select on public.comments to authenticated;
grant select, insert, update, delete on public.comments to service_role;
