-- Why: how much an attempt uses between two heartbeats tells whether one more of them fits. Answers the most so far.
create function private.note_budget_step(p_job public.agent_jobs, p_unit text)
returns numeric
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_used numeric := private.attempt_used(p_job.id, p_job.attempt, p_unit);
  v_step numeric;
begin
  insert into public.budget_reservations as r (job_id, unit, attempt, product_id, seen, step)
  values (p_job.id, p_unit, p_job.attempt, p_job.product_id, v_used, v_used)
  on conflict (job_id, unit) do update
  set step = case when r.attempt = excluded.attempt then greatest(r.step, v_used - r.seen) else v_used end,
      amount = case when r.attempt = excluded.attempt then r.amount else 0 end,
      seen = v_used, attempt = excluded.attempt
  returning r.step into v_step;
  return v_step;
end;
$$;

comment on function private.note_budget_step is 'Keeps the largest step of an attempt between two heartbeats.';
