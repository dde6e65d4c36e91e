-- Which product a worker takes jobs of; null for those from before, which said nothing.
alter table public.agent_workers add column product_id uuid;
comment on column public.agent_workers.product_id is 'The product whose jobs it takes, as its last claim said; null: of all.';
