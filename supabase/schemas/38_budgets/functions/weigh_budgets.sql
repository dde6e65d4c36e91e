-- Why: a claim asks which budgets of the product let nobody begin now: those that are reached, and those whose rest, less what
-- others have reserved, is below what a task is expected to use. A last rest may be used by one worker alone, unless it is next to
-- nothing. Where the product says so, a worker that tells no usage begins nothing under any. Claims of one product do this one after another, so that eight of them never reserve the same rest. Answers null when
-- the product has no budgets. Takes nobody's lock but its own; with p_wait false it takes none that another holds.
create function private.weigh_budgets(p_product_id uuid, p_worker_id uuid, p_wait boolean)
returns uuid[]
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_budget public.budgets;
  v_full uuid[] := '{}';
  v_spent numeric;
  v_work record;
  v_left numeric;
  v_need numeric;
begin
  if not exists (select from public.budgets b where b.product_id = p_product_id) then
    return null;
  end if;
  if p_wait then
    perform pg_advisory_xact_lock(hashtextextended('budgets:' || p_product_id::text, 0));
  elsif not pg_try_advisory_xact_lock(hashtextextended('budgets:' || p_product_id::text, 0)) then
    return array(select b.id from public.budgets b where b.product_id = p_product_id);
  end if;

  if (private.budget_settings_of(p_product_id)).unreported = 'refuse' and not private.reports_usage(p_worker_id) then
    return array(select b.id from public.budgets b where b.product_id = p_product_id);
  end if;
  for v_budget in select b.* from public.budgets b where b.product_id = p_product_id order by b.id loop
    v_spent := private.budget_spent(v_budget);
    select * into v_work from private.budget_at_work(v_budget);
    v_left := v_budget.amount - v_spent - v_work.reserved;
    v_need := private.expected_use(p_product_id, v_budget.unit, private.model_of_worker(p_worker_id));
    perform private.warn_of_budget(v_budget, v_spent);
    continue when not private.is_budget_reached(v_budget)
      and (v_left >= v_need or (v_work.jobs = 0 and v_left > v_need / 10));
    v_full := v_full || v_budget.id;
    if v_work.jobs = 0 then
      update public.budgets b set due_at = private.now()
      where b.id in (select x.id from public.budgets x where x.id = v_budget.id and x.due_at is null for update skip locked);
    end if;
  end loop;
  return v_full;
end;
$$;

comment on function private.weigh_budgets is 'The budgets of a product under which nobody may begin now.';
