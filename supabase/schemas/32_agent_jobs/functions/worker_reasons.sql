-- Why: a claimable job still waits when nobody is there to take it: no worker online that reaches it, all under their quota, or of
-- members who have not allowed their workers to work here, without the sandbox that the product asks for, or without the task's own
-- repository among those that they follow.
create function private.worker_reasons(p_job public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_online integer;
  v_with_quota integer;
  v_without_consent text;
  v_confined integer;
  v_following integer;
  v_able integer;
  v_place record;
begin
  select p.requires_sandbox, regexp_replace(t.repo_url, '://[^/?#]*@', '://') as repo_url, u.username as written_by
  into v_place
  from public.products p
  left join public.tasks t on t.id = p_job.task_id and t.repo_url <> p.repo_url
  left join public.users u on u.id = t.repo_url_by
  where p.id = p_job.product_id;
  select count(*) filter (where m.workers_allowed),
    count(*) filter (where m.workers_allowed and (w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)),
    string_agg(distinct u.username, ', ') filter (where not m.workers_allowed),
    count(*) filter (where m.workers_allowed and x.is_confined),
    count(*) filter (where m.workers_allowed and x.is_following),
    count(*) filter (where m.workers_allowed and x.is_confined and x.is_following)
  into v_online, v_with_quota, v_without_consent, v_confined, v_following, v_able
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id and m.role <> 'VIEWER'
  cross join lateral (
    select not v_place.requires_sandbox or w.confinement <> 'none' as is_confined,
      v_place.repo_url is null or private.is_followed(v_place.repo_url, w.also_repos) as is_following) x
  where private.is_online(w.last_seen_at, w.stopped_at)
    and (p_job.kind <> 'PLAN_CHAT' or w.user_id = p_job.created_by)
    and (p_job.phase <> 'verify' or w.id is distinct from p_job.author_worker_id);

  if v_online = 0 and p_job.phase = 'verify' and v_without_consent is null then
    return jsonb_build_array(jsonb_build_object('code', 'needs_other_worker',
      'message', format('The work is done and must be reviewed by a worker other than %s. Start one under another name.',
        coalesce((select w.name from public.agent_workers w where w.id = p_job.author_worker_id), 'the one that did it'))));
  end if;
  if v_online = 0 and v_without_consent is not null then
    return jsonb_build_array(jsonb_build_object('code', 'consent',
      'message', format('Workers of %s are online but not allowed here yet. Each of them can switch on "My workers may work here" on the members page, or name the product to the worker.',
        v_without_consent)));
  end if;
  if v_online = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'no_worker',
      'message', 'No worker is online. Start one: the Connect page has the command.',
      'command', 'node backloom-worker.mjs --url <address> --token <token> --repo <folder> --agent <agent>'));
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want to keep (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  if v_able > 0 then
    return '[]';
  end if;
  return case when v_following > 0 or v_confined = 0 then jsonb_build_array(jsonb_build_object('code', 'sandbox',
      'message', format('The product requires a sandbox, and no online worker that could take the job has one. %s', private.sandbox_advice())))
      else '[]' end
    || case when v_following = 0 then jsonb_build_array(jsonb_build_object('code', 'repository',
      'message', format('The task has its own repository, %s%s, and no online worker follows it: %s', v_place.repo_url,
        ' (written by ' || v_place.written_by || ')', private.repository_advice(v_place.repo_url)),
      'repo_url', v_place.repo_url, 'written_by', v_place.written_by))
      else '[]' end;
end;
$$;

comment on function private.worker_reasons is 'no_worker, consent, quota, sandbox and repository (specification: Agent worker; User, min_quota_pct).';
