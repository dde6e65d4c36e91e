-- What an accepted change costs, with all that was tried for it: the settled stories whose first attempt began between
-- two days (UTC, both included; without them the last 90), by agent and model, label, or month, with one row for each
-- currency. An attempt's cost is in the row of its agent, the acceptance in that of the approved work, and what has no
-- one place in `several`, so that rows add up to the total. Without a currency amounts are tokens: usage of a
-- subscription or without a price. The one source of these numbers for Insights, REST, MCP and CSV.
-- Refusals: 404, 403, 422. Definer: access is checked first (docs/budgets.md).
create function operations.get_costs(p_product_id uuid, p_from date default null, p_to date default null, p_by text default null)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_to date := coalesce(p_to, (private.now() at time zone 'UTC')::date);
  v_from date := coalesce(p_from, v_to - 89);
  v_by text := coalesce(lower(private.require_choice('by', p_by, array['AGENT', 'LABEL', 'MONTH'])), 'agent');
begin
  perform private.require_product_access(p_product_id);
  if v_from > v_to then
    perform private.refuse(422, 'from must not be later than to.');
  end if;
  return (
    with tried as materialized (
      select c.*, case v_by when 'agent' then c.agent when 'label' then c.label
          else to_char(c.began_at at time zone 'UTC', 'YYYY-MM') end as key,
        case when v_by = 'agent' then c.model end as key_model
      from private.cost_cohort(p_product_id, v_from::timestamp at time zone 'UTC', (v_to + 1)::timestamp at time zone 'UTC') c
    ), places as (
      select t.story_id, case when count(distinct (t.key, t.key_model)) = 1 then min(t.key) else 'several' end as key,
        case when count(distinct (t.key, t.key_model)) = 1 then min(t.key_model) end as key_model
      from tried t where t.story_id is not null and (t.is_approved or t.accepted_at is null) group by t.story_id
    ), parts as (
      select t.key, t.key_model, t.currency, t.cost, t.tokens, t.amount as spent, case when t.is_estimated then t.amount end as estimated,
        case when t.accepted_at is null then t.amount end as not_accepted, null::uuid as story_id, null::timestamptz as accepted_at,
        null::numeric as rounds, null::numeric as of_one
      from tried t
      union all
      select p.key, p.key_model, t.currency, null, null, null, null, null, t.story_id, t.accepted_at, max(t.rounds), sum(t.amount)
      from tried t join places p on p.story_id = t.story_id
      group by p.key, p.key_model, t.currency, t.story_id, t.accepted_at
    ), sums as (
      select p.key, p.key_model as model, p.currency, grouping(p.key) = 1 as is_total,
        count(p.story_id)::integer as settled, count(p.accepted_at)::integer as accepted,
        (count(*) filter (where p.accepted_at > private.now() - interval '14 days'))::integer as accepted_so_far,
        coalesce(sum(p.cost), 0) as cost, coalesce(sum(p.tokens), 0) as tokens, coalesce(sum(p.spent), 0) as spent,
        coalesce(sum(p.not_accepted), 0) as not_accepted, coalesce(sum(p.estimated), 0) as estimated,
        percentile_cont(array[0.2, 0.5, 0.8]) within group (order by p.of_one) filter (where p.accepted_at is not null) as of_one,
        percentile_cont(0.5) within group (order by p.rounds) filter (where p.accepted_at is not null) as rounds
      from parts p
      group by grouping sets ((p.key, p.key_model, p.currency), (p.currency))
    ), said as (
      select s.*, jsonb_build_object('settled', s.settled, 'accepted', s.accepted, 'accepted_so_far', s.accepted_so_far,
        'cost', case when s.currency is not null then round(s.cost, 6) end, 'currency', s.currency, 'tokens', round(s.tokens),
        'per_accepted', case when s.accepted >= 8 and s.spent > 0 then round(s.spent / s.accepted, 6) end,
        'median', case when s.accepted >= 8 then round(s.of_one[2]::numeric, 6) end,
        'low', case when s.accepted >= 8 then round(s.of_one[1]::numeric, 6) end,
        'high', case when s.accepted >= 8 then round(s.of_one[3]::numeric, 6) end,
        'not_accepted_share', case when s.spent > 0 then round(s.not_accepted / s.spent, 4) end,
        'rounds', s.rounds, 'too_few', s.accepted < 8, 'estimated', s.estimated > s.spent / 10) as numbers
      from sums s
    )
    select jsonb_build_object('product_id', p_product_id, 'from', v_from, 'to', v_to, 'by', v_by,
      'rows', coalesce(jsonb_agg(jsonb_build_object('key', s.key, 'model', s.model) || s.numbers
        order by s.key = 'several', s.key, s.model, s.currency) filter (where not s.is_total), '[]'),
      'total', coalesce(jsonb_agg(s.numbers order by s.currency) filter (where s.is_total), '[]'))
    from said s
  );
end;
$$;
grant execute on function operations.get_costs to authenticated;

-- The settled stories whose first attempt began in a window, with what each agent and model used for them, in each
-- currency. Settled is what no attempt runs for and what was approved, cancelled, or left for 30 days; an archived
-- product is. Accepted is what a person approved, what landed where the product lands, and what was not taken back within
-- 14 days. Use of deleted stories has no story. A batch's use is split evenly over its tasks.
create function private.cost_cohort(p_product_id uuid, p_from timestamptz, p_to timestamptz)
returns table (story_id uuid, began_at timestamptz, accepted_at timestamptz, label text, rounds integer, agent text, model text,
  is_approved boolean, currency text, is_estimated boolean, cost numeric, tokens numeric, amount numeric)
language plpgsql stable set search_path = '' as $$
declare
  v_product public.products;
begin
  select p.* into v_product from public.products p where p.id = p_product_id;
  return query
    with works as materialized (
      select w.id as job_id, w.task_id, w.status::text, w.head_sha, w.merged_at, w.finished_at, w.created_at
      from private.works w where w.product_id = p_product_id and w.kind = 'TASK_IMPLEMENTATION'
      union all
      select w.id, e.task_id, case when e.finished_at is null then w.status::text else e.status::text end,
        coalesce(e.head_sha, w.head_sha), w.merged_at, coalesce(e.finished_at, w.finished_at), w.created_at
      from private.works w join public.task_executions e on e.sprint_run_id = w.sprint_run_id
      where w.product_id = p_product_id and w.kind = 'SPRINT_IMPLEMENTATION'
    ), lines as materialized (
      select k.task_id, e.job_id, e.attempt, e.model_id, e.created_at, x.currency, e.estimated, x.cost * k.part as cost, x.tokens * k.part as tokens
      from public.usage_events e
      left join public.sprint_runs r on r.id = e.sprint_run_id and r.pr_strategy = 'SPRINT_BATCH'
      cross join lateral (
        select case when not e.subscription then e.cost end as cost, case when not e.subscription then e.currency end as currency,
          (coalesce(e.input_tokens, 0) + coalesce(e.output_tokens, 0) + coalesce(e.cache_write_tokens, 0))::numeric as tokens) x
      left join lateral (
        select e.task_id, 1::numeric as part where r.id is null
        union all
        select i.task_id, 1::numeric / count(*) over () from public.task_executions i where i.sprint_run_id = r.id) k on true
      -- Conversations about ideas are no work on a story.
      where e.product_id = p_product_id and (k.task_id is not null or e.sprint_run_id is not null)
    ), attempts as materialized (
      select w.task_id, w.job_id, a.attempt, a.agent, a.started_at, coalesce(a.ended_at, a.started_at) as ended_at, a.outcome,
        coalesce(m.model, j.model_id, j.model) as model,
        a.attempt = max(a.attempt) filter (where a.worker_id is not distinct from coalesce(j.author_worker_id, a.worker_id))
          over (partition by w.task_id, w.job_id) as is_last
      from works w
      join public.agent_jobs j on j.id = w.job_id
      join public.job_attempts a on a.job_id = w.job_id
      left join lateral (
        select l.model_id as model from lines l where l.job_id = a.job_id and l.attempt = a.attempt and l.model_id is not null
        group by l.model_id order by sum(l.cost) desc nulls last, sum(l.tokens) desc limit 1) m on true
    ), begun as materialized (
      select t.story_id, min(x.at) as began_at, max(x.until) as until
      from (
        select a.task_id, a.started_at as at, a.ended_at as until from attempts a
        union all select l.task_id, l.created_at, l.created_at from lines l) x
      join public.tasks t on t.id = x.task_id
      group by t.story_id
      having min(x.at) >= p_from and min(x.at) < p_to
    ), newest as materialized (
      select distinct on (w.task_id) t.story_id, w.*, t.status = 'DONE' as is_done,
        (private.decision_for('review', w.job_id) ->> 'at')::timestamptz as approved_at
      from begun b
      join public.tasks t on t.story_id = b.story_id
      join works w on w.task_id = t.id
      order by w.task_id, w.created_at desc, w.job_id
    ), ended as materialized (
      select n.story_id, bool_or(n.status in ('CLAIMED', 'RUNNING')) as is_running,
        (array_agg(n.status order by n.finished_at desc nulls first))[1] = 'CANCELLED' as is_cancelled,
        -- A task that was done and reopened had ended as well: the approval still says so.
        bool_and((n.status = 'DONE' or n.is_done) and (n.approved_at is not null or n.head_sha is null)) and count(n.approved_at) > 0
          and not exists (
            select from public.tasks t where t.story_id = n.story_id and t.status <> 'DONE' and t.id <> all (array_agg(n.task_id))) as is_approved,
        bool_and(n.head_sha is null or n.merged_at is not null or (v_product.pull_requests = 'none'
          and (v_product.landing <> 'queue' or n.finished_at < v_product.landing_since))) as has_landed,
        greatest(max(n.approved_at), max(n.merged_at), max(c.done_at)) as at,
        min(c.left_at) filter (where not n.is_done and c.left_at >= n.approved_at) as taken_back_at
      from newest n
      cross join lateral (
        select max(h.changed_at) filter (where h.to_status = 'DONE') as done_at, max(h.changed_at) filter (where h.from_status = 'DONE') as left_at
        from public.task_status_changes h where h.task_id = n.task_id and h.from_status is distinct from h.to_status) c
      group by n.story_id
    ), settled as materialized (
      select b.story_id, b.began_at,
        case when e.is_approved and e.has_landed and (e.taken_back_at < e.at + interval '14 days') is not true and not exists (
          select from newest n
          join public.change_indexes x on x.product_id = p_product_id
          join public.known_changes k on k.index_id = x.id and (length(k.reverts) >= 7 or k.title ~ '^Revert "(?!Revert)')
            and k.at < e.at + interval '14 days'
          join public.tasks t on t.id = n.task_id join public.stories s on s.id = t.story_id
          left join public.landings l on l.job_id = n.job_id and l.state = 'landed'
          -- Of what a person squashed only the names are known.
          where n.story_id = b.story_id and (starts_with(n.head_sha, k.reverts) or starts_with(l.head_sha, k.reverts)
            or k.title like 'Revert %' and k.at > n.created_at and k.paths && private.changed_paths(n.job_id)
              and private.names_of(k.title) && array[lower(t.code), lower(t.title), lower(s.code), lower(s.title)]))
        then e.at end as accepted_at
      from begun b
      left join ended e on e.story_id = b.story_id
      where e.is_running is not true and (e.is_approved or e.is_cancelled or v_product.archived_at is not null
        or b.until < private.now() - interval '30 days')
    ), spent as (
      select l.task_id, l.job_id, l.attempt, case when a.job_id is null then l.model_id else a.model end as model, a.agent,
        coalesce(a.is_last, false) as is_last, l.currency, l.estimated, l.created_at, l.cost, l.tokens
      from lines l left join attempts a on a.task_id = l.task_id and a.job_id = l.job_id and a.attempt = l.attempt
      union all
      select a.task_id, a.job_id, a.attempt, a.model, a.agent, a.is_last, null, false, a.started_at, null, 0
      from attempts a
      where not exists (select from lines l where l.task_id = a.task_id and l.job_id = a.job_id and l.attempt = a.attempt)
    )
    select s.story_id, s.began_at, s.accepted_at,
      (select case when count(*) = 1 then min(l.name) when count(*) > 1 then 'several' end
       from public.stories k join public.labels l on l.id = any (k.label_ids) where k.id = s.story_id),
      (select max(x.rounds)::integer from (
        select 1 + count(*) filter (where a.outcome = 'failed') + coalesce((
          select sum(private.returns_of(n.job_id)) from (select distinct w.job_id from works w where w.task_id = a.task_id) n), 0) as rounds
        from attempts a join public.tasks t on t.id = a.task_id where t.story_id = s.story_id group by a.task_id) x),
      p.agent, p.model, bool_or(p.is_last and exists (
        select from newest n where n.task_id = p.task_id and n.job_id = p.job_id and n.approved_at is not null)),
      p.currency, p.estimated, sum(p.cost), sum(p.tokens), sum(case when p.currency is null then p.tokens else p.cost end)
    from settled s
    join public.tasks t on t.story_id = s.story_id
    join spent p on p.task_id = t.id
    group by s.story_id, s.began_at, s.accepted_at, p.agent, p.model, p.currency, p.estimated
    union all
    select null, p.created_at, null, null, null, null, p.model, false, p.currency, p.estimated, p.cost, p.tokens,
      case when p.currency is null then p.tokens else p.cost end
    from spent p where p.task_id is null and p.created_at >= p_from and p.created_at < p_to;
end;
$$;
