-- Why: a person may set a run's budget at its start. Tokens may not set budgets.
create function private.stop_run_at(p_run public.sprint_runs, p_stop_at jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_stop_at is null then
    return;
  end if;
  perform private.require_person();
  perform private.put_budget(p_run.product_id, 'run', null, p_run.id, p_stop_at ->> 'unit', (p_stop_at ->> 'amount')::numeric);
end;
$$;

comment on function private.stop_run_at is 'The budget that a run begins with (docs/users.md).';
