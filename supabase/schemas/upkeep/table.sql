-- Why: files of the repository that follow the backlog by pull request: accepted lessons in AGENTS.md, and boxes of done
-- tasks in specs/*/tasks.md. One worker at a time has the row of a product and kind. Written by operations.next_upkeep and
-- operations.report_upkeep.
create table public.upkeeps (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  kind text not null constraint upkeeps_kind_known check (kind in ('agents_md', 'spec_boxes')),
  state text not null default 'waiting' constraint upkeeps_state_known check (state in ('waiting', 'open', 'merged', 'closed', 'branch', 'conflict')),
  digest text,
  url text constraint upkeeps_url_form check (url ~ '^https?://' and char_length(url) <= 2000),
  words text constraint upkeeps_words_length check (char_length(words) <= 1000),
  worker text not null constraint upkeeps_worker_length check (char_length(worker) <= 200),
  lease uuid not null default gen_random_uuid(),
  lease_until timestamptz not null,
  look_at timestamptz,
  landed_at timestamptz,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint upkeeps_once unique (product_id, kind)
);

comment on table public.upkeeps is 'Files of the repository that follow the backlog by pull request (docs/forges.md).';
comment on column public.upkeeps.digest is 'Of the content that the state is about; another one is due.';
comment on column public.upkeeps.look_at is 'When a worker looks again; null where only new content is due.';
comment on column public.upkeeps.landed_at is 'When the main branch had it first: what is not there after that, a person took out.';

alter table public.upkeeps enable row level security;

create policy upkeeps_select on public.upkeeps for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.upkeeps to authenticated;
