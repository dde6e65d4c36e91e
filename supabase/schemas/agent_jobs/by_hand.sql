-- A person has the job in a terminal, or it waits for one who takes it over: no agent works on it.
create function private.is_in_hand(p_job public.agent_jobs)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return p_job.taken_by is not null and case when p_job.status = 'QUEUED' then coalesce(p_job.taken_until > private.now(), false)
    else p_job.status in ('CLAIMED', 'RUNNING') and p_job.taken_until is null end;
end;
$$;
grant execute on function private.is_in_hand to authenticated;

-- A person takes a task's job into a terminal. If an agent has it, its worker learns at the next heartbeat that the
-- attempt ends, after its tool call or at once, and returns the job with its work; until then job is null, and the
-- person asks again every second. The claim that follows is an attempt like any other: it has a lease, and reports of the
-- attempt before are refused. A hold that is not renewed ends after half a minute, so a dead terminal keeps no job.
-- Setup, tests and proof run where p_confinement says, as those of an agent; what the person runs is theirs.
-- Refusals: 403, 404, 409 with what to do, 422. Definer: jobs are written by functions only (docs/worker.md).
create function operations.take_agent_job(
  p_task text, p_product text default null, p_worker text default null, p_at_once boolean default false,
  p_confinement text default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user_id uuid := private.require_writer();
  v_now timestamptz := private.now();
  v_job public.agent_jobs := private.lock_job(private.job_to_take(p_task, p_product));
  v_confinement public.confinement := coalesce(p_confinement, 'none');
  v_worker public.agent_workers;
begin
  perform private.refuse_to_take(v_job, v_user_id, v_confinement);
  if v_job.status <> 'QUEUED' then
    update public.agent_jobs j
    set taken_by = v_user_id, taken_until = v_now + interval '30 seconds', take_at_once = j.take_at_once or coalesce(p_at_once, false)
    where j.id = v_job.id and (j.taken_by is distinct from v_user_id or j.taken_until < v_now + interval '20 seconds'
      or (p_at_once and not j.take_at_once));
    return json_build_object('job', null, 'waits_for', (select w.name from public.agent_workers w where w.id = v_job.worker_id));
  end if;
  v_worker := private.ensure_worker(v_user_id, coalesce(p_worker, 'terminal'));
  -- No job is handed to a terminal, so it never counts as a worker that is online.
  update public.agent_workers w set stopped_at = v_now, last_seen_at = v_now where w.id = v_worker.id;
  update public.agent_jobs j
  set status = 'CLAIMED', attempt = j.attempt + 1, worker_id = v_worker.id, confinement = v_confinement, agent = null, model = null, effort = null,
      claimed_at = v_now, started_at = null, lease_until = v_now + private.lease(), not_before = null, claim_rank = 0,
      stopped_by_budget_id = null, failure_class = null, parked_question_id = null, verify_result = null,
      taken_by = v_user_id, taken_until = null, take_at_once = false,
      plan_snapshot = case when j.plan_approved_at is not null then j.plan_snapshot
        else private.plan_in_force(j.task_id, j.sprint_run_id) end
  where j.id = v_job.id
  returning j.* into v_job;
  return json_build_object('job', private.job_payload(v_job), 'waits_for', null);
end;
$$;
grant execute on function operations.take_agent_job to authenticated;
comment on function operations.take_agent_job is 'scope work';

-- A person names a task by its code. Returns its unfinished job; 404, or 409 with what to do.
create function private.job_to_take(p_task text, p_product text)
returns uuid language plpgsql stable set search_path = '' as $$
declare
  v_task_ids uuid[];
  v_products text;
  v_job_id uuid;
begin
  select array_agg(t.id), string_agg(p.code, ', ' order by p.code) into v_task_ids, v_products
  from public.product_members m
  join public.products p on p.id = m.product_id
  join public.tasks t on t.product_id = p.id and t.code = upper(btrim(p_task))
  where m.user_id = auth.uid() and private.is_open_to_token(m.product_id)
    and (p_product is null or upper(p.code) = upper(btrim(p_product)) or p.id::text = lower(btrim(p_product)));
  if v_task_ids is null then
    perform private.refuse(404, 'No such task. Give its code, such as T-42.');
  end if;
  if cardinality(v_task_ids) > 1 then
    perform private.refuse(409, format('There is such a task in %s. Name the one you mean with --product.', v_products));
  end if;
  select j.id into v_job_id from public.agent_jobs j
  where j.task_id = v_task_ids[1] and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
  order by j.created_at desc limit 1;
  if v_job_id is null and (private.active_run_of_task(v_task_ids[1])).id is not null then
    perform private.refuse(409, 'The task has no job of its own: it is done, or part of a batch, which one agent does as a whole. Cancel the run and start one that has a job for each task.');
  end if;
  if v_job_id is null then
    perform private.refuse(409, 'No run has a job for this task. Start a run with it first.');
  end if;
  return v_job_id;
end;
$$;

-- One person at a time, and nothing that a closed gate protects; a job that waits for a limit or another try can be taken.
create function private.refuse_to_take(p_job public.agent_jobs, p_user_id uuid, p_confinement public.confinement)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_words text;
begin
  if p_job.status not in ('QUEUED', 'CLAIMED', 'RUNNING') then
    perform private.refuse(409, format('The job is %s: there is nothing to take.', lower(p_job.status::text)));
  end if;
  if p_job.taken_by = p_user_id and p_job.taken_until is null then
    perform private.refuse(409, 'You have it in a terminal. Hand it in there with give, or return it with give --back.');
  end if;
  if p_job.taken_by <> p_user_id and (p_job.taken_until is null or p_job.taken_until > private.now()) then
    perform private.refuse(409, format('%s has it in a terminal, or takes it over. Ask for it to be returned with give --back.', private.username(p_job.taken_by)));
  end if;
  if p_job.phase = 'verify' then
    perform private.refuse(409, 'The work is done, and another worker reviews it. Request changes first.');
  end if;
  if p_confinement = 'none' and (select p.requires_sandbox from public.products p where p.id = p_job.product_id) then
    perform private.refuse(409, 'The product requires a sandbox for setup, tests and proof, and there is none here. Take it on Linux with bubblewrap (apt-get install bubblewrap), without --sandbox off.');
  end if;
  if p_job.status <> 'QUEUED' then
    return;
  end if;
  select string_agg(r.reason ->> 'message', ' ') into v_words
  from private.job_gates g
  cross join lateral unnest(g.gates) as x (gate)
  cross join lateral jsonb_array_elements(private.gate_reasons(p_job, x.gate)) as r (reason)
  where g.id = p_job.id and x.gate not in ('held', 'not_before');
  if v_words is not null then
    perform private.refuse(409, 'It cannot be taken now: ' || v_words);
  end if;
end;
$$;

-- What a worker hears when a person takes its job: held ends it after its tool call, held_at_once without waiting.
create function private.take_over_reason(p_job public.agent_jobs)
returns json language plpgsql stable set search_path = '' as $$
begin
  return json_build_object('code', case when p_job.take_at_once then 'held_at_once' else 'held' end,
    'message', format('%s takes this job over in a terminal. Keep your work and report queued %s.', private.username(p_job.taken_by),
      case when p_job.take_at_once then 'at once' else 'after this tool call' end));
end;
$$;

-- Who has it, until when, and the line that takes or returns it.
create function private.held_reasons(p_job public.agent_jobs)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_array(jsonb_build_object('code', 'held',
    'message', format('%s %s. It goes back to the agents by itself if the terminal is not heard of until %s.', private.username(p_job.taken_by),
      case when p_job.status = 'QUEUED' then 'takes it over in a terminal'
        else 'has it in a terminal, and hands it in with give or returns it with give --back' end,
      private.time_text(coalesce(p_job.taken_until, p_job.lease_until))),
    'command', 'node ~/backloom-worker.mjs ' || case when p_job.status = 'QUEUED'
      then 'take ' || (select t.code from public.tasks t where t.id = p_job.task_id) else 'give --back' end, 'job_id', p_job.id, 'lease_until', coalesce(p_job.taken_until, p_job.lease_until)));
end;
$$;
