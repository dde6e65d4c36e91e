-- The branch landing now, the queue, and the newest that ended. Definer: access is checked first (docs/forges.md).
create function operations.list_landings(p_product_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_product_access(p_product_id);
  return json_build_object(
    'landing', (select p.landing from public.products p where p.id = p_product_id),
    'queue', (
      select coalesce(json_agg(json_build_object('place', q.place, 'job_id', q.job_id, 'branch', q.branch,
        'state', coalesce((select l.state from public.landings l where l.job_id = q.job_id and l.finished_at is null), 'queued')) order by q.place), '[]')
      from private.landing_queue(p_product_id) q),
    'ended', (
      select coalesce(json_agg(private.landing_json(l) order by l.finished_at desc, l.id), '[]')
      from (
        select x.* from public.landings x where x.product_id = p_product_id and x.finished_at is not null
        order by x.finished_at desc, x.id limit 50) l));
end;
$$;
grant execute on function operations.list_landings to authenticated;

-- The branches that may land, in order: all their work is done and no one is at work on them, their stories' blockers
-- have landed, and the pull request, if the product opens one, is at that commit with nothing against it. A returned
-- branch waits for its next commit; one refused by the Git host is retried after half an hour (docs/forges.md).
create function private.landing_queue(p_product_id uuid)
returns table (place bigint, job_id uuid, branch text, head_sha text) language plpgsql stable set search_path = '' as $$
declare
  v_product public.products;
begin
  select p.* into v_product from public.products p where p.id = p_product_id;
  if v_product.landing <> 'queue' then
    return;
  end if;
  return query
    with heads as (
      select distinct on (j.branch) j.*
      from public.agent_jobs j
      where j.product_id = p_product_id and j.status = 'DONE' and j.kind <> 'PLAN_CHAT' and j.finished_at >= v_product.landing_since
        and j.branch is not null and j.head_sha is not null
      order by j.branch, j.finished_at desc, j.id
    )
    select row_number() over (order by l.id is null, h.finished_at, h.id), h.id, h.branch, h.head_sha
    from heads h
    left join public.landings l on l.job_id = h.id and l.finished_at is null
    where h.merged_at is null and (l.id is not null or (
      not private.is_worked_on(h)
      and not private.follows_unlanded(h)
      and not exists (
        select from public.landings b where b.job_id = h.id and b.ours_sha = h.head_sha and b.finished_at is not null
          and (b.state <> 'refused' or b.finished_at > private.now() - interval '30 minutes'))
      and (v_product.pull_requests = 'none' or exists (
        select from public.pulls p
        where p.product_id = p_product_id and p.branch = h.branch and p.state = 'open' and p.head_sha = h.head_sha and not p.draft
          and p.ci in ('none', 'passed') and p.review <> 'changes_requested' and p.mergeable is not false))));
end;
$$;

-- A branch is unfinished if an agent will push to it again, or not all of its tasks are done (docs/forges.md).
create function private.is_worked_on(p_job public.agent_jobs)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.agent_jobs o
    where o.product_id = p_job.product_id and o.status in ('QUEUED', 'CLAIMED', 'RUNNING')
      and (o.branch = p_job.branch or (o.sprint_run_id = p_job.sprint_run_id and o.lane_id = p_job.lane_id)))
    or exists (
      select from public.agent_jobs o
      join public.tasks t on t.id = o.task_id
      where o.product_id = p_job.product_id and o.branch = p_job.branch and o.status = 'DONE' and o.kind = 'TASK_IMPLEMENTATION'
        and t.status <> 'DONE')
    or exists (
      select from public.fresh_starts f
      join public.tasks t on t.story_id = f.story_id
      where t.id = p_job.task_id and f.created_at >= p_job.finished_at);
end;
$$;

-- A branch that began on another would bring that one along before its turn (docs/forges.md).
create function private.follows_unlanded(p_job public.agent_jobs)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return exists (
    with stories as (
      select distinct t.story_id
      from public.agent_jobs o join public.tasks t on t.id = o.task_id
      where o.product_id = p_job.product_id and o.branch = p_job.branch and o.status = 'DONE'
    ), blockers as (
      select d.blocker_id as story_id from stories s join public.story_dependencies d on d.blocked_id = s.story_id
      union
      select b.story_id from stories s join public.tasks t on t.story_id = s.story_id
      join public.task_dependencies d on d.blocked_id = t.id join public.tasks b on b.id = d.blocker_id
    )
    select from private.unlanded_work(array(select b.story_id from blockers b)) w
    where w.branch is distinct from p_job.branch);
end;
$$;

-- One form of a landing.
create function private.landing_json(p_landing public.landings)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('id', p_landing.id, 'job_id', p_landing.job_id, 'branch', p_landing.branch, 'state', p_landing.state,
    'ours_sha', p_landing.ours_sha, 'head_sha', p_landing.head_sha, 'worker', p_landing.worker, 'words', p_landing.words,
    'created_at', p_landing.created_at, 'finished_at', p_landing.finished_at);
end;
$$;
grant execute on function private.landing_json to authenticated;

-- How far a branch is, for why_not_moving. Null without a queue, or outside it (docs/forges.md).
create function private.landing_words(p_product_id uuid, p_branch text)
returns text language plpgsql stable set search_path = '' as $$
declare
  v_landing public.landings;
  v_place bigint;
begin
  select l.id, l.state, l.worker, l.words into v_landing.id, v_landing.state, v_landing.worker, v_landing.words
  from public.landings l where l.product_id = p_product_id and l.branch = p_branch and l.finished_at is null;
  if v_landing.state = 'waiting_ci' then
    return 'Its branch is landing: it is waiting for CI of the merged state.';
  elsif v_landing.id is not null then
    return format('Its branch is landing now (worker %s)%s.', v_landing.worker, coalesce(': ' || v_landing.words, ''));
  end if;
  select q.place into v_place from private.landing_queue(p_product_id) q where q.branch = p_branch;
  return case when v_place is not null then format('Its branch is number %s in the merge queue.', v_place) end;
end;
$$;
