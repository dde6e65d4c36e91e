-- Why: forecasts stand on tasks that agents have finished: what each took in all its attempts, newest first. Tasks whose agents
-- told nothing say nothing. p_limit: no more than so many are read; a claim asks for it, with thousands behind it.
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
