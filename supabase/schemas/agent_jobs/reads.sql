-- What was done for tasks, whether or not its job was deleted since. Everything that asks where code is reads this and
-- never agent_jobs alone, so that the cleanup changes no answer (docs/worker.md).
create view private.works with (security_invoker = true) as
select j.id, j.product_id, j.task_id, j.kind, j.status, j.sprint_run_id, j.branch, j.base_sha, j.head_sha,
  case when j.evidence ->> 'commits' ~ '^\d{1,6}$' then (j.evidence ->> 'commits')::integer end as commits,
  j.pushed_at, j.merged_at, j.finished_at, j.created_at, coalesce(j.finished_at, private.ended_before_review(j)) as ended_at,
  j.status = 'DONE' or j.phase = 'review' as was_handed_in
from public.agent_jobs j
where j.kind <> 'PLAN_CHAT'
union all
select p.id, p.product_id, p.task_id, p.kind, p.status, p.sprint_run_id, p.branch, p.base_sha, p.head_sha, p.commits,
  p.pushed_at, p.merged_at, p.finished_at, p.created_at, p.finished_at, p.status = 'DONE'
from public.past_jobs p;
grant select on private.works to authenticated;

-- When work ended whose run ended before its review; null without a run, or while it is at work (docs/review.md).
create function private.ended_before_review(p_job public.agent_jobs)
returns timestamptz language plpgsql stable set search_path = '' as $$
begin
  if p_job.status <> 'QUEUED' or p_job.phase <> 'review' then
    return null;
  end if;
  return (
    select max(a.ended_at) from public.job_attempts a
    where a.job_id = p_job.id
      and exists (select from public.sprint_runs r where r.id = p_job.sprint_run_id and r.status in ('DONE', 'FAILED', 'CANCELLED')));
end;
$$;
grant execute on function private.ended_before_review to authenticated;

-- One job with its attempts and questions. Definer: access is checked first (specification: Agent job).
create function operations.get_agent_job(p_job_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_job(p_job_id);
  return (
    select private.job_json(j) || jsonb_build_object('attempts', private.attempts_json(j.id), 'questions', (
      select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = j.id and private.can_read_conversation(j)
        and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))))
    from public.agent_jobs j where j.id = p_job_id);
end;
$$;
grant execute on function operations.get_agent_job to authenticated;

-- The first line of every operation on a job. Returns its product; PT404, then PT403 (specification: Errors).
create function private.require_job(p_job_id uuid) returns uuid language plpgsql stable set search_path = '' as $$
declare
  v_product_id uuid;
begin
  select j.product_id into v_product_id from public.agent_jobs j where j.id = p_job_id;
  if v_product_id is null then
    perform private.refuse_unknown('agent job');
  end if;
  perform private.require_product_access(v_product_id);
  return v_product_id;
end;
$$;

-- An idea's conversation is its user's: others see that it is, not what is said (specification: Idea; User question).
create function private.can_read_conversation(p_job public.agent_jobs)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return p_job.kind <> 'PLAN_CHAT' or coalesce(p_job.created_by = auth.uid(), false);
end;
$$;
grant execute on function private.can_read_conversation to authenticated;

-- The attempts of a job: worker, times, outcome and usage (docs/runs.md) (specification: Agent job; attempts).
create function private.attempts_json(p_job_id uuid) returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('attempt', a.attempt, 'worker_id', a.worker_id, 'worker_name', a.worker_name, 'agent', a.agent,
      'confinement', a.confinement,
      'started_at', a.started_at, 'ended_at', a.ended_at, 'outcome', a.outcome, 'head_sha', a.head_sha,
      'session_id', a.session_id, 'kept_ref', a.kept_ref, 'references', a."references", 'last_seq', a.last_seq, 'output_bytes', a.output_bytes, 'usage', private.attempt_usage_json(a.job_id, a.attempt))
      order by a.attempt), '[]')
    from public.job_attempts a
    where a.job_id = p_job_id
  );
end;
$$;

-- The usage of one attempt. Null means "never reported"; the sources show whether its cost was reported,
-- calculated from prices, or unknown (specification: Agent job, token usage).
create function private.attempt_usage_json(p_job_id uuid, p_attempt integer)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object('input_tokens', sum(e.input_tokens), 'output_tokens', sum(e.output_tokens),
      'cache_read_tokens', sum(e.cache_read_tokens), 'cache_write_tokens', sum(e.cache_write_tokens),
      'estimated', coalesce(bool_or(e.estimated), false),
      'sources', coalesce(jsonb_agg(distinct e.source), '[]'),
      'costs', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
        from (
          select x.currency, round(sum(x.cost), 6) as cost
          from public.usage_events x
          where x.job_id = p_job_id and x.attempt = p_attempt and x.cost is not null and not x.subscription
          group by x.currency
        ) s))
    from public.usage_events e
    where e.job_id = p_job_id and e.attempt = p_attempt
  );
end;
$$;

-- The jobs of all the caller's products, or of one product or run, newest first, in pages. p_state is one status,
-- or `unfinished`. Definer: the query itself limits the products (specification: Agent job).
create function operations.list_agent_jobs(
  p_product_id uuid default null, p_sprint_run_id uuid default null, p_state text default null,
  p_limit integer default 50, p_cursor text default null
) returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_after record := private.read_cursor(p_cursor, 2);
  v_at timestamptz := private.time_at(v_after.place[1]);
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_state text := private.require_choice('state', p_state,
    array['QUEUED', 'CLAIMED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED', 'SKIPPED', 'UNFINISHED']);
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  return (select private.page_json('jobs', array_agg(private.job_json(j) order by j.created_at desc, j.position, j.id),
    array_agg(private.cursor_of(j.id, private.microseconds(j.created_at), j.position) order by j.created_at desc, j.position, j.id), v_limit)
  from (
    select x.*
    from public.agent_jobs x
    where x.product_id in (select private.accessible_product_ids())
      and (p_product_id is null or x.product_id = p_product_id)
      and (p_sprint_run_id is null or x.sprint_run_id = p_sprint_run_id)
      and (v_state is null or x.status::text = v_state
        or (v_state = 'UNFINISHED' and x.status in ('QUEUED', 'CLAIMED', 'RUNNING')))
      and (p_cursor is null or x.created_at < v_at
        or (x.created_at = v_at and (x.position, x.id) > (v_after.place[2], v_after.id)))
    order by x.created_at desc, x.position, x.id
    limit v_limit
  ) j);
end;
$$;
grant execute on function operations.list_agent_jobs to authenticated;

-- Each claim is a numbered attempt, and every later call of a worker carries the number. Returns the state of an
-- attempt: held; an end of its own kind (cancelled, finished, handed_over to another phase, parked with a question, stopped
-- by a budget, requeued by a limit, sent_home by a conflict, returned by its worker, failed_look of a verifier, failed
-- where a person is asked what follows or another agent takes over) while no one else has the job; or lost. The outcome is
-- kept in the attempt's row, which later changes of the job do not touch. Only the user of the claiming worker can hold it.
-- An expired lease that was not taken back yet still counts as held: no one else works on the job (specification: Agent
-- job; attempts).
create function private.attempt_state(p_job public.agent_jobs, p_attempt integer)
returns text language plpgsql stable set search_path = '' as $$
begin
  if p_attempt is distinct from p_job.attempt or p_job.attempt = 0 then
    return 'lost';
  end if;
  if not exists (
    select from public.agent_workers w where w.id = p_job.worker_id and w.user_id = auth.uid()
  ) then
    return 'lost';
  end if;
  return case
    when p_job.status in ('CLAIMED', 'RUNNING') then 'held'
    when p_job.status = 'CANCELLED' then 'cancelled'
    when p_job.status <> 'QUEUED' then 'finished'
    else coalesce((
      select case a.outcome
        when 'rate_limited' then 'requeued'
        when 'done' then 'handed_over'
        when 'question' then 'parked'
        when 'budget' then 'budget'
        when 'conflict' then 'sent_home'
        when 'returned' then 'returned'
        when 'failed_look' then 'failed_look'
        when 'failed' then 'failed'
      end
      from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_attempt), 'lost')
  end;
end;
$$;

-- Boards and runs show in one line what an agent is doing: the latest entry of an attempt, cut to a line. Not for
-- conversations about ideas. Definer: entries have no policy for users; access to the product is checked
-- (docs/runs.md).
create function private.doing_now(p_job_id uuid, p_attempt integer)
returns jsonb language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select jsonb_build_object('kind', o.kind, 'status', o.status, 'at', o.at,
      'title', left(coalesce(nullif(o.title, ''), nullif(o.path, ''), split_part(ltrim(o.text, E' \n'), E'\n', 1)), 200))
    from public.agent_jobs j
    join public.job_outputs o on o.job_id = j.id and o.attempt = p_attempt
    where j.id = p_job_id and j.kind <> 'PLAN_CHAT' and j.product_id in (select private.accessible_product_ids())
    order by o.seq desc
    limit 1);
end;
$$;
grant execute on function private.doing_now to authenticated;

-- A job for all readers: the contract's fields, and codes and names for pages (specification: Agent job).
create function private.job_json(p_job public.agent_jobs)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v record;
  v_is_in_hand boolean := private.is_in_hand(p_job);
begin
  select t.code as task_code, t.title as task_title, t.status as task_status, t.story_id, s.code as story_code, s.title as story_title,
    p.code as product_code, w.name as worker_name, i.code as idea_code, a.ended_at as attempt_ended_at,
    (select private.pull_json(u) from public.pulls u
      where u.product_id = p_job.product_id and u.branch = p_job.branch order by u.number desc limit 1) as pull,
    -- One sum per currency: currencies are never added, and subscription usage is not money spent. Empty while nothing that
    -- the job used has a price (specification: Model price).
    (select coalesce(jsonb_agg(jsonb_build_object('currency', c.currency, 'cost', c.cost) order by c.currency), '[]')
      from (
        select e.currency, round(sum(e.cost), 6) as cost
        from public.usage_events e
        where e.job_id = p_job.id and e.cost is not null and not e.subscription
        group by e.currency) c) as costs
  into v
  from (select) as job
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.products p on p.id = p_job.product_id
  left join public.agent_workers w on w.id = p_job.worker_id
  left join public.ideas i on i.id = p_job.idea_id
  left join public.job_attempts a on a.job_id = p_job.id and a.attempt = p_job.attempt;

  if not private.can_read_conversation(p_job) then
    p_job.summary := null;
    p_job.failure_reason := null;
    p_job.evidence := null;
    v.idea_code := null;
  end if;
  return to_jsonb(p_job) - '{lane_id,claim_rank,taken_by,taken_until,take_at_once}'::text[] || jsonb_build_object(
    'holder', case when v_is_in_hand then 'person' end,
    'holder_name', case when v_is_in_hand then private.username(p_job.taken_by) end,
    'status', lower(p_job.status::text),
    'pending_verdict', case when p_job.phase = 'review' then private.pending_verdict(p_job.id) end,
    'task_code', v.task_code,
    'task_title', v.task_title,
    'task_status', case v.task_status when 'TO_DO' then 'todo' else lower(v.task_status::text) end,
    'story_id', v.story_id,
    'story_code', v.story_code,
    'story_title', v.story_title,
    'idea_code', v.idea_code,
    'product_code', v.product_code,
    'worker_name', v.worker_name,
    'attempt_ended_at', v.attempt_ended_at,
    'pull', v.pull,
    'doing', case when p_job.status in ('CLAIMED', 'RUNNING') then private.doing_now(p_job.id, p_job.attempt) end,
    'costs', v.costs,
    'cost', case when jsonb_array_length(v.costs) = 1 then v.costs -> 0 -> 'cost' end
  );
end;
$$;
grant execute on function private.job_json to authenticated;

-- Only its owner may read a conversation about an idea. Returns the job; 404, 403 (specification: Errors; Idea).
create function private.require_job_reader(p_job_id uuid)
returns public.agent_jobs language plpgsql stable set search_path = '' as $$
declare
  v_job public.agent_jobs;
begin
  perform private.require_job(p_job_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  if v_job.kind = 'PLAN_CHAT' and v_job.created_by is distinct from auth.uid() then
    perform private.refuse(403, 'Only the person who asked can read a conversation about an idea.');
  end if;
  return v_job;
end;
$$;
