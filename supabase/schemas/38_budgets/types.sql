-- Why: a claim weighs each budget once, and passes the result on to the reservation and to the worker.
-- room     what is left of it minus reservations of others; null if not computed, because no job may begin anyway
-- need     what a task is expected to use
-- is_full  no job may begin under it now
create type private.budget_room as (
  budget_id uuid,
  unit text,
  room numeric,
  need numeric,
  is_full boolean
);

comment on type private.budget_room is 'What a claim found of a budget.';
