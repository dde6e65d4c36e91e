-- Who is good at what: the finished tasks of each agent and model, over all and by label, from the last 180 days and
-- at most 2,000 jobs. A job is finished when it is done or has failed by the agent's fault; what several agents worked on
-- counts for none. It passed first when the first work handed in stayed. Intervals are the caller's part.
-- Refusals: 404, 403. Definer: access is checked first (docs/running.md).
create function operations.get_scoreboard(p_product_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_product_access(p_product_id);
  return (
    with jobs as materialized (
      select j.id, j.task_id, j.status, j.author_worker_id, coalesce(j.model_id, j.model) as model
      from public.agent_jobs j
      where j.product_id = p_product_id and j.kind = 'TASK_IMPLEMENTATION' and j.finished_at >= private.now() - interval '180 days'
        and (j.status = 'DONE' or (j.status = 'FAILED' and j.failure_class in ('agent_error', 'verification_failed')))
      order by j.finished_at desc
      limit 2000
    ), tried as materialized (
      select a.job_id, max(a.agent) as agent, sum(extract(epoch from a.ended_at - a.started_at)) / 60 as minutes,
        count(*) filter (where a.outcome = 'failed') as failures
      from jobs j join public.job_attempts a on a.job_id = j.id
      -- Another worker may have checked it.
      where a.ended_at is not null and a.worker_id is not distinct from coalesce(j.author_worker_id, a.worker_id)
      group by a.job_id
      having count(distinct coalesce(a.agent, '')) = 1
    ), measured as materialized (
      select j.id, j.task_id, j.model, t.agent, t.minutes, j.status = 'DONE' as is_done,
        t.failures + private.returns_of(j.id) + (j.status = 'DONE')::integer as rounds,
        c.cost, c.currency
      from jobs j
      join tried t on t.job_id = j.id
      left join lateral (
        select sum(e.cost) as cost, max(e.currency) as currency from public.usage_events e
        where e.job_id = j.id and e.cost is not null and not e.subscription
        having count(distinct e.currency) = 1) c on true
    ), placed as (
      select m.*, null as label from measured m
      union all
      select m.*, l.name from measured m
      join public.tasks k on k.id = m.task_id
      join public.labels l on l.id = any (k.label_ids)
    )
    select json_build_object('rows', coalesce(json_agg(r order by r.label nulls first, r.finished desc, r.agent, r.model), '[]'))
    from (
      select p.agent, p.model, p.label, count(*)::integer as finished,
        (count(*) filter (where p.is_done and p.rounds = 1))::integer as passed,
        percentile_cont(0.5) within group (order by p.rounds) as rounds,
        case when count(distinct p.currency) = 1 then round((percentile_cont(0.5) within group (order by p.cost))::numeric, 4) end as cost,
        round((percentile_cont(0.5) within group (order by p.minutes))::numeric, 1) as minutes
      from placed p
      group by p.agent, p.model, p.label
    ) r);
end;
$$;
grant execute on function operations.get_scoreboard to authenticated;

-- How often work that was handed in came back: from another worker, a person, a Git host or the merge queue.
create function private.returns_of(p_job_id uuid) returns bigint language plpgsql stable set search_path = '' as $$
begin
  return private.verify_rounds(p_job_id)
    + (select count(*) from public.job_reviews r where r.job_id = p_job_id and r.verdict = 'request_changes');
end;
$$;
