-- Repeats of a call are kept with the product that it was about.
alter table public.idempotency_keys add column product_id uuid;
