-- May this job be claimed? Yes, if
--   1. no gate is closed for every worker: private.job_gates,
--   2. none is closed for this worker: private.worker_gates, with agents that have quota left (private.able_agents),
--   3. its user may write there and consents: private.consented_products (asked by next_product in claim.sql), and has
--      at least the quota left that they want to keep (private.quota_reason in workers/reads.sql),
--   4. the budgets have room: private.budget_headroom, fits_budgets (budgets/claims.sql).
-- private.claim_next_job (claim.sql) takes the first such job of the run and kinds that the claim names. A claim that gets none is
-- not refused: job is null, and private.nothing_to_claim says why. People read why from private.gate_reasons, worker_reasons
-- (why_not_moving.sql) and budget_reasons (budgets/reads.sql). gate_reasons has the sentence of each gate but these, which it asks:
-- held in by_hand.sql, plan in plans.sql, dependency in dependencies/reads.sql; someone else's conversation has none. A person who
-- takes a job is not held up by their own hold, not_before or what 2 to 4 ask, but for the sandbox; no person takes one in the phase
-- verify (private.refuse_to_take in by_hand.sql).

-- What a job asks of a worker. Agent, model and effort are the most specific of task, story and product, field by
-- field; an agent that fell back to does not take the model of the one before. A batch wants what its task at work does.
-- A conversation is for its creator; author_worker_id is the worker that may not verify its own work.
create type private.job_wants as (
  needs_sandbox boolean, own_repo text, agent text, model text, effort text, requires_opus boolean,
  is_conversation boolean, created_by uuid, author_worker_id uuid);

-- Who asks for a job, as its claim says: what confines its agents, the repositories that it follows, and the agents
-- that it has. Null means any repository and any agent, an empty list none.
create type private.asker as (
  user_id uuid, worker_id uuid, confinement public.confinement, also_repos jsonb, agents jsonb);

-- The same from its parts by name, for a user's workers in general where no worker is named.
create function private.asker_of(
  p_user_id uuid, p_worker_id uuid default null, p_confinement text default null, p_also_repos jsonb default null, p_agents jsonb default null)
returns private.asker language sql immutable set search_path = '' as $$
  select row(p_user_id, p_worker_id, p_confinement, p_also_repos, p_agents)::private.asker;
$$;

-- Every queued job with the gates that are closed before it for every worker, in reporting order. Jobs in the phase
-- review wait for a person or CI, those in the phase plan for a person (specification: Agent job). A new gate needs a
-- branch in private.gate_reasons, which says why, and in nothing_to_claim, or workers hear order. The columns of a
-- job's product, story and task are one value in the view, so that a claim looks them up once and locks none of them.
create view private.job_gates with (security_invoker = true) as
select j.id, j.product_id, j.kind, j.sprint_run_id, j.task_id, j.created_by, j.phase,
  j.claim_rank, j.created_at, j.position, j.in_turn, j.open_blockers, j.failure_class,
  (
    select row(p.requires_sandbox, case when t.repo_url <> p.repo_url then t.repo_url end,
      coalesce(j.fallback_agent, t.agent, s.agent, p.agent),
      case when j.fallback_agent is null then coalesce(t.model, s.model, p.model) end,
      coalesce(t.effort, s.effort, p.effort), coalesce(t.requires_opus, false),
      j.kind = 'PLAN_CHAT', j.created_by, case when j.phase = 'verify' then j.author_worker_id end)::private.job_wants
    from public.products p
    left join public.tasks t on t.id = j.task_id
    left join public.stories s on s.id = t.story_id
    where p.id = j.product_id
  ) as wants,
  array_remove(array[
    case when j.phase = 'review' then 'review' end,
    case when j.taken_until > private.now() then 'held' end,
    case when (select r.status not in ('QUEUED', 'RUNNING') from public.sprint_runs r where r.id = j.sprint_run_id) then 'paused' end,
    case when j.phase = 'plan' then 'plan' when (select q.status = 'OPEN' and (q.on_expiry <> 'RECOMMENDED' or q.expires_at > private.now())
      from public.agent_questions q where q.id = j.parked_question_id) then 'question' end,
    case when j.not_before > private.now() then 'not_before' end,
    case when j.open_blockers > 0 then 'dependency' end,
    case when not j.in_turn then 'order' end,
    case when (select p.archived_at is not null from public.products p where p.id = j.product_id) then 'archived' end
  ], null) as gates
from public.agent_jobs j
where j.status = 'QUEUED';

-- Jobs without a closed gate. Two gates are named again because the index of the claim has them as its condition:
-- agent_jobs_claim_order_idx, whose order is claim_rank, created_at, position, id.
create view private.claimable_jobs with (security_invoker = true) as
select g.* from private.job_gates g
where g.in_turn and g.open_blockers = 0 and g.gates = '{}';

-- The gates of one job that depend on who asks. Without a worker any worker but the author may verify. Conversations
-- are for workers of their creator, a task's repository for those that follow it, a named agent for those that have it.
create function private.worker_gates(p_wants private.job_wants, p_asker private.asker)
returns text[] language plpgsql stable set search_path = '' as $$
begin
  return array_remove(array[
    case when p_wants.is_conversation and p_wants.created_by is distinct from p_asker.user_id then 'conversation' end,
    case when p_wants.author_worker_id = p_asker.worker_id then 'needs_other_worker' end,
    case when p_wants.needs_sandbox and p_asker.confinement = 'none' then 'sandbox' end,
    case when p_wants.own_repo is not null and not private.is_allowed_repo(p_wants.own_repo, p_asker.also_repos) then 'repository' end,
    case when p_wants.agent is not null and p_asker.agents = '[]' then 'agent'
      when (p_wants.agent is not null or p_wants.model is not null or p_wants.requires_opus)
        and p_asker.agents <> '[]' and private.agent_for(p_wants, p_asker.agents) is null then 'agent' end
  ], null);
end;
$$;

-- Whether a claim asks for a job: for its run and its kind, if it names them, and with no gate closed to who asks.
create function private.is_asked_for(
  p_job_run_id uuid, p_kind public.agent_job_kind, p_wants private.job_wants,
  p_asker private.asker, p_sprint_run_id uuid, p_kinds jsonb)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return (p_sprint_run_id is null or p_job_run_id = p_sprint_run_id)
    and (p_kinds is null or p_kinds ? p_kind::text)
    and private.worker_gates(p_wants, p_asker) = '{}';
end;
$$;

-- The first announced agent that may do a job: the named one, or any; with the wanted model where it announced
-- which it has. Null if there is none (docs/worker.md).
create function private.agent_for(p_wants private.job_wants, p_agents jsonb)
returns text language plpgsql immutable set search_path = '' as $$
begin
  return (
    select a.agent ->> 'id'
    from jsonb_array_elements(p_agents) with ordinality a (agent, place)
    where a.agent ->> 'id' = coalesce(p_wants.agent, a.agent ->> 'id')
      and coalesce(a.agent -> 'models' ? private.model_for(p_wants, a.agent ->> 'id'), true)
    order by a.place
    limit 1);
end;
$$;

-- requires_opus means opus for Claude Code without a set model, or nothing (specification: Task, requires_opus).
create function private.model_for(p_wants private.job_wants, p_agent text)
returns text language plpgsql immutable set search_path = '' as $$
begin
  return coalesce(p_wants.model, case when p_wants.requires_opus and p_agent = 'claude' then 'opus' end);
end;
$$;

-- An agent below the quota that its user wants to keep, or at its limit, gets no work; others of the worker do.
create function private.able_agents(p_agents jsonb, p_min_quota_pct integer)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(a.agent order by a.place), '[]')
    from jsonb_array_elements(p_agents) with ordinality a (agent, place)
    where coalesce((a.agent ->> 'quota_pct')::integer >= p_min_quota_pct, true)
      and coalesce((a.agent ->> 'limited_until')::timestamptz <= private.now(), true));
end;
$$;

-- Decides consent: the products whose jobs a person's workers may take, those where workers_allowed is on (owners
-- always have it), or the one that the claim names (specification: Agent job; claiming).
create function private.consented_products(p_user_id uuid, p_product_id uuid)
returns setof uuid language plpgsql stable set search_path = '' as $$
begin
  return query
    select m.product_id from public.product_members m
    where m.user_id = p_user_id and m.role <> 'VIEWER' and private.is_open_to_token(m.product_id)
      and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end;
end;
$$;
