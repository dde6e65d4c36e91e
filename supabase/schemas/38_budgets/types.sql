-- Why: a claim weighs each budget once, and what it found goes on to the reservation and to the worker.
-- room     what is left of it less what others have reserved; null when nobody looked, because nobody may begin anyhow
-- need     what a task is expected to use
-- is_full  nobody may begin under it now
create type private.budget_room as (
  budget_id uuid,
  unit text,
  room numeric,
  need numeric,
  is_full boolean
);

comment on type private.budget_room is 'What a claim found of a budget.';
