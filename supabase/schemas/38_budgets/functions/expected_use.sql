-- Why: the probable usage of one task: the median of the product's finished tasks with the same model, of all its
-- finished tasks if those are too few, and the product's setting before three have finished.
create function private.expected_use(p_product_id uuid, p_unit text, p_model_id text)
returns numeric
language plpgsql
stable
set search_path = ''
as $$
declare
  v_expected numeric;
  v_settings public.budget_settings;
begin
  select coalesce(
    case when count(*) filter (where x.model_id = p_model_id) >= 3
      then percentile_cont(0.5) within group (order by x.used) filter (where x.model_id = p_model_id) end,
    case when count(*) >= 3 then percentile_cont(0.5) within group (order by x.used) end)
  into v_expected
  from (
    select f.model_id, f.used from private.finished_use(p_product_id, p_unit, 100) f
  ) x;
  if v_expected > 0 then
    return v_expected;
  end if;
  v_settings := private.budget_settings_of(p_product_id);
  return case when p_unit = 'tokens' then v_settings.expected_tokens else v_settings.expected_cost end;
end;
$$;

comment on function private.expected_use is 'What one task will probably use, in tokens or in a currency.';

-- Why: forecasts are based on tasks that agents have finished: the usage of all attempts of each, newest first. Tasks
-- without reported usage are left out. p_limit bounds the reads, because a claim may have thousands of them.
create function private.finished_use(p_product_id uuid, p_unit text, p_limit integer)
returns table (job_id uuid, task_id uuid, model_id text, used numeric)
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
    select j.id, j.task_id, j.model_id, u.used
    from public.agent_jobs j
    cross join lateral (
      select sum(case when p_unit = 'tokens' then k.tokens when k.currency = p_unit then k.cost end)::numeric as used
      from private.known_usage k where k.job_id = j.id
    ) u
    where j.product_id = p_product_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'DONE' and u.used is not null
    order by j.finished_at desc
    limit p_limit;
end;
$$;

comment on function private.finished_use is 'What finished tasks of a product used, in tokens or in a currency, newest first.';
