-- Why: the day, week or month of a budget begins in the product's time zone. A budget without a period has one window,
-- since the beginning of time.
create function private.budget_window(p_budget public.budgets, out from_at timestamptz, out until_at timestamptz)
language plpgsql
stable
set search_path = ''
as $$
declare
  v_zone text := (private.budget_settings_of(p_budget.product_id)).time_zone;
  v_local timestamp := date_trunc(p_budget.period, private.now() at time zone v_zone);
begin
  from_at := coalesce(v_local at time zone v_zone, '-infinity');
  until_at := (v_local + ('1 ' || p_budget.period)::interval) at time zone v_zone;
end;
$$;

comment on function private.budget_window is 'The day, week or month that a budget is in, in the time zone of its product.';
