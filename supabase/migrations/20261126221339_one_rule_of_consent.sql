-- Why: which products a worker may take jobs of is decided in one place, also for commits whose merge it looks for.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.awaited_heads(p_user_id uuid, p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_product public.products;
  v_work jsonb;
  v_heads jsonb := '[]';
begin
  for v_product in
    select p.*
    from private.worker_products(p_user_id, p_product_id) as w (product_id)
    join public.products p on p.id = w.product_id and p.archived_at is null and p.dependency_release = 'merged'
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
$function$;
