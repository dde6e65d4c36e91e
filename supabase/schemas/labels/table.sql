-- Why: people sort work by their own labels. Stories and tasks hold the ids of theirs (label_ids), so that changing
-- them changes the row: streams get the event, and it can be undone like any other change.
create table public.labels (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  name text not null
    constraint labels_name_form check (name <> '' and char_length(name) <= 50 and name = btrim(name) and name !~ '[[:cntrl:],]'),
  color text not null constraint labels_color_form check (color ~ '^#[0-9a-f]{6}$'),
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now()
);

comment on table public.labels is 'Labels of a product, for its stories and tasks.';
create unique index labels_one_name on public.labels (product_id, lower(name));

alter table public.labels enable row level security;

create policy labels_select on public.labels for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.labels to authenticated;
