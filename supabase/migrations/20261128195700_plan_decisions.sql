-- What a person decided of a plan is kept with its task; null for those from before.
alter table public.tasks add column plan_decision jsonb;
comment on column public.tasks.plan_decision is 'The last plan that a person wrote or approved: { hash, verify_only, user_id, at }; null from before it was kept.';
