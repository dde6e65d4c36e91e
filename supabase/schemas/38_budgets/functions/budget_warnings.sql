-- Why: a run that will probably exceed the budget of its sprint or product is not refused, but its start shows a
-- warning.
create function private.budget_warnings(p_sprint public.sprints)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_budget public.budgets;
  v_forecast jsonb;
  v_likely jsonb;
  v_left numeric;
  v_warnings jsonb := '[]';
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_sprint.product_id and (b.scope = 'product' or b.sprint_id = p_sprint.id)
    order by b.scope desc, b.id
  loop
    v_forecast := coalesce(v_forecast, operations.get_forecast(p_sprint.product_id, p_sprint.id)::jsonb);
    if v_budget.unit = 'tokens' then
      v_likely := nullif(v_forecast -> 'tokens', 'null');
    else
      select c into v_likely from jsonb_array_elements(v_forecast -> 'costs') c where c ->> 'currency' = v_budget.unit;
    end if;
    v_left := greatest(0, v_budget.amount - private.budget_spent(v_budget) - (private.budget_at_work(v_budget)).reserved);
    if private.is_budget_reached(v_budget) or v_left = 0 then
      v_warnings := v_warnings || jsonb_build_object('type', 'budget', 'budget_id', v_budget.id,
        'message', format('The budget of %s is used up: a run pauses at once and asks you.', private.budget_name(v_budget)));
    elsif (v_likely ->> 'high')::numeric > v_left then
      v_warnings := v_warnings || jsonb_build_object('type', 'budget', 'budget_id', v_budget.id,
        'message', format('The budget of %s has %s left, and this run probably takes %s to %s. It pauses there and asks you.',
          private.budget_name(v_budget), private.budget_amount_text(v_left, v_budget.unit),
          private.budget_amount_text((v_likely ->> 'low')::numeric, v_budget.unit),
          private.budget_amount_text((v_likely ->> 'high')::numeric, v_budget.unit)));
    end if;
    v_likely := null;
  end loop;
  return v_warnings;
end;
$$;

comment on function private.budget_warnings is 'What of a sprint or product may not be enough for a run (docs/users.md).';
