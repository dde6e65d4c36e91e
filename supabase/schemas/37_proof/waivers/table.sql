-- Why: a person may decide that a criterion needs no proof. Who, when and why is kept forever; it cannot be undone.
create table public.waivers (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  story_id uuid not null references public.stories (id) on delete cascade,
  criterion text not null constraint waivers_criterion_form check (criterion ~ '^[0-9a-f]{12}$'),
  criterion_text text not null,
  reason text not null constraint waivers_reason_length check (char_length(reason) between 1 and 2000),
  user_id uuid references public.users (id) on delete set null,
  waived_by text not null,
  created_at timestamptz not null default private.now(),
  constraint waivers_story_id_criterion_key unique (story_id, criterion)
);

comment on table public.waivers is 'Criteria that a person let go, with the reason (docs/proof.md).';

create index waivers_product_id_idx on public.waivers (product_id);
create index waivers_user_id_idx on public.waivers (user_id);

alter table public.waivers enable row level security;

create policy waivers_select on public.waivers for select to authenticated
  using (product_id in (select private.accessible_product_ids()));

grant select on public.waivers to authenticated;
grant select, insert, update, delete on public.waivers to service_role;
