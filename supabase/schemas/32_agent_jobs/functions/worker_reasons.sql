-- Why: a claimable job still waits when nobody is there to take it: no worker online that reaches it, or all under their quota.
create function private.worker_reasons(p_job public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_online integer;
  v_with_quota integer;
begin
  select count(*), count(*) filter (where w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)
  into v_online, v_with_quota
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id
  where w.stopped_at is null and w.last_seen_at > private.now() - interval '2 minutes'
    and (p_job.kind <> 'PLAN_CHAT' or w.user_id = p_job.created_by);

  if v_online = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'no_worker',
      'message', 'No worker is online. Start one with: npm run worker -- --url <address> --token <token> --repo <folder> --exec "<command>"'));
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want kept (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  return '[]';
end;
$$;

comment on function private.worker_reasons is 'no_worker and quota (specification: Agent worker; User, min_quota_pct).';
