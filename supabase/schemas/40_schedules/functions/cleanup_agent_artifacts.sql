-- Why: the scheduled cleanup: hard-deletes failed and cancelled jobs that finished more than 7 days ago, and no others
-- (specification: Scheduled endpoints). Each call deletes one portion, under the locks of its products, and says
-- whether there is more, so that a large backlog never times out. Parallel calls wait for each other product by
-- product; the one that deletes a job counts it. Service only. Definer: jobs are written by functions only.
create function operations.cleanup_agent_artifacts()
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_portion constant integer := 1000;
  v_ids uuid[];
  v_product_id uuid;
  v_deleted integer;
begin
  v_ids := array(
    select d.id from public.agent_jobs d
    where d.status in ('FAILED', 'CANCELLED') and d.finished_at < v_now - interval '7 days'
    order by d.product_id, d.id
    limit v_portion);
  for v_product_id in
    select distinct j.product_id from public.agent_jobs j where j.id = any (v_ids) order by 1
  loop
    perform private.lock_product(v_product_id);
  end loop;
  delete from public.agent_jobs j where j.id = any (v_ids) and j.status in ('FAILED', 'CANCELLED');
  get diagnostics v_deleted = row_count;
  return json_build_object('deleted', v_deleted, 'more', cardinality(v_ids) = v_portion, 'ran_at', to_char(v_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$$;

comment on function operations.cleanup_agent_artifacts is
  'Deletes FAILED and CANCELLED jobs after 7 days (specification: Scheduled endpoints). Service only.';
grant execute on function operations.cleanup_agent_artifacts to service_role;
