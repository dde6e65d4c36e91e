-- Why: the jobs of all the caller's products, or of one product or run, newest first, in pages. p_state is one status,
-- or `unfinished`. The cursor is the id of the last job of the previous page. Definer: the query itself limits the
-- products.
create function operations.list_agent_jobs(
  p_product_id uuid default null, p_sprint_run_id uuid default null, p_state text default null,
  p_limit integer default 50, p_cursor uuid default null)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_state text := private.require_choice('state', p_state,
    array['QUEUED', 'CLAIMED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED', 'SKIPPED', 'UNFINISHED']);
  v_jobs jsonb;
  v_count integer;
  v_last uuid;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.job_json(j) order by j.created_at desc, j.position, j.id), '[]'), count(*),
    (array_agg(j.id order by j.created_at, j.position desc, j.id desc))[1]
  into v_jobs, v_count, v_last
  from (
    select x.*
    from public.agent_jobs x
    where x.product_id in (select private.accessible_product_ids())
      and (p_product_id is null or x.product_id = p_product_id)
      and (p_sprint_run_id is null or x.sprint_run_id = p_sprint_run_id)
      and (v_state is null or x.status::text = v_state
        or (v_state = 'UNFINISHED' and x.status in ('QUEUED', 'CLAIMED', 'RUNNING')))
      and (p_cursor is null or exists (
        select from public.agent_jobs c
        where c.id = p_cursor
          and (x.created_at < c.created_at or (x.created_at = c.created_at and (x.position, x.id) > (c.position, c.id)))))
    order by x.created_at desc, x.position, x.id
    limit v_limit
  ) j;
  return json_build_object('jobs', v_jobs, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$$;

comment on function operations.list_agent_jobs is 'Agent jobs in reach, newest first (specification: Agent job).';
grant execute on function operations.list_agent_jobs to authenticated;
