create trigger _400_touch before update on public.budgets for each row execute function private.tg_any__touch();

-- Why: a run that continues an earlier one (a paused batch, a failed sprint) keeps its budget and what it has spent.
-- Definer: users may not write budgets.
create function private.tg_sprint_runs__carry_budget()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.budgets b
  set sprint_run_id = new.id, spent_before = private.budget_spent(b), reached_at = null, due_at = private.now(), finish_job_ids = '{}'
  where b.sprint_run_id = new.previous_run_id;
  delete from private.budget_sums s using public.budgets b where b.id = s.budget_id and b.sprint_run_id = new.id;
  return null;
end;
$$;

comment on function private.tg_sprint_runs__carry_budget is 'The budget of a run goes on with the run that continues it.';

create trigger _530_carry_budget
after insert on public.sprint_runs
for each row when (new.previous_run_id is not null)
execute function private.tg_sprint_runs__carry_budget();
