-- Why: only a repository shows whether code has been merged, and the service never opens one. So a worker that asks for
-- work gets the awaited commits, to check whether the main branch has them (report_merged). Null if there are none:
-- nearly always, and then this costs one look-up of the product.
create function private.awaited_heads(p_user_id uuid, p_product_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_product public.products;
  v_work jsonb;
  v_heads jsonb := '[]';
begin
  for v_product in
    select p.*
    from public.product_members m
    join public.products p on p.id = m.product_id and p.archived_at is null and p.dependency_release = 'merged'
    where m.user_id = p_user_id and private.is_open_to_token(m.product_id)
      and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end
    order by p.id
  loop
    for v_work in
      select w
      from jsonb_array_elements(private.awaited_work(array(
        select a.task_id
        from public.sprint_runs r
        join public.agent_jobs j on j.sprint_run_id = r.id and j.status = 'QUEUED' and j.open_blockers > 0
        cross join lateral unnest(private.tasks_of_job(j)) as a (task_id)
        where r.product_id = v_product.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      ), 50)) w
      where w ->> 'head_sha' is not null
    loop
      v_heads := v_heads || (v_work || jsonb_build_object('product_repo_url', v_product.repo_url, 'repo_url', (
        select coalesce(nullif(t.repo_url, ''), v_product.repo_url) from private.works j join public.tasks t on t.id = j.task_id
        where j.id = (v_work ->> 'job_id')::uuid)));
    end loop;
  end loop;
  return nullif(v_heads, '[]');
end;
$$;

comment on function private.awaited_heads is 'Commits that work waits for on main branches, for a worker to look for.';
