-- Answers "why is this not moving?" for a job, a task or a run, in codes and messages; the same on the board, in
-- tool results and in a worker's log. `moving` is true while someone holds the work.
-- Refusals: 404, 403, 422. Definer: access is checked first (specification: Agent job; Sprint run).
create function operations.why_not_moving(p_kind text, p_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_kind text := lower(private.require_choice('kind', p_kind, array['JOB', 'TASK', 'RUN']));
  v_job public.agent_jobs;
  v_run public.sprint_runs;
  v_status text;
  v_reasons jsonb;
begin
  if v_kind = 'job' then
    perform private.require_job(p_id);
    select j.* into v_job from public.agent_jobs j where j.id = p_id;
    v_status := lower(v_job.status::text);
    v_reasons := private.job_reasons(v_job);
  elsif v_kind = 'run' then
    perform private.require_run(p_id);
    select r.* into v_run from public.sprint_runs r where r.id = p_id;
    v_status := lower(v_run.status::text);
    v_reasons := private.run_reasons(v_run);
  else
    perform private.require_access('task', p_id);
    select private.task_status_word(t.status) into v_status from public.tasks t where t.id = p_id;
    v_reasons := private.task_reasons(p_id);
  end if;
  v_reasons := v_reasons || private.conflict_reasons(v_kind, p_id) || private.pull_reasons(v_kind, p_id);
  return json_build_object('kind', v_kind, 'id', p_id, 'status', v_status,
    'moving', exists (select from jsonb_array_elements(v_reasons) r where r ->> 'code' = 'lease'),
    'reasons', v_reasons,
    'text', (select string_agg(r ->> 'message', ' ') from jsonb_array_elements(v_reasons) r));
end;
$$;
grant execute on function operations.why_not_moving to authenticated;

-- None if a job is held or claimable; otherwise of the next in each queue, a code once (specification: Sprint run).
create function private.run_reasons(p_run public.sprint_runs)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  if p_run.status in ('DONE', 'FAILED', 'CANCELLED') then
    return jsonb_build_array(jsonb_build_object('code', 'finished',
      'message', format('The run is %s%s', lower(p_run.status::text), coalesce(': ' || (p_run.failure ->> 'reason'), '.')),
      'failure', p_run.failure, 'finished_at', p_run.finished_at));
  end if;
  return (
    select coalesce(jsonb_agg(x.reason order by x.place, x.nth), '[]')
    from (
      select distinct on (r.reason ->> 'code') r.reason || jsonb_build_object('job_id', coalesce(r.reason -> 'job_id', to_jsonb(j.id))) as reason,
        j.position as place, r.nth
      from (
        select * from public.agent_jobs a
        where a.sprint_run_id = p_run.id and a.in_turn and a.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by a.position limit 50
      ) j
      cross join lateral jsonb_array_elements(private.job_reasons(j)) with ordinality as r (reason, nth)
      order by r.reason ->> 'code', j.position
    ) x
  );
end;
$$;

-- A task moves by its job. Without one: no run of its sprint, no sprint, or done (specification: Task; Agent job).
create function private.task_reasons(p_task_id uuid) returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_task public.tasks;
  v_run public.sprint_runs := private.active_run_of_task(p_task_id);
  v_job public.agent_jobs;
  v_sprint record;
begin
  select t.* into v_task from public.tasks t where t.id = p_task_id;
  if v_task.status = 'DONE' then
    return jsonb_build_array(jsonb_build_object('code', 'finished', 'message', 'The task is done.'));
  end if;
  if v_task.status = 'REVIEW' then
    select j.* into v_job from public.agent_jobs j where j.task_id = p_task_id and j.status = 'QUEUED' and j.phase = 'review' limit 1;
    if v_job.id is not null then
      return private.job_reasons(v_job);
    end if;
    return jsonb_build_array(jsonb_build_object('code', 'review', 'message', 'The task is waiting for a person to review it.'));
  end if;
  if v_run.id is not null then
    select j.* into v_job from public.agent_jobs j
    where j.sprint_run_id = v_run.id and (j.task_id = p_task_id or j.kind = 'SPRINT_IMPLEMENTATION')
    order by (j.status in ('QUEUED', 'CLAIMED', 'RUNNING')) desc, j.created_at desc
    limit 1;
    return private.job_reasons(v_job);
  end if;

  select j.* into v_job from public.agent_jobs j where j.task_id = p_task_id order by j.created_at desc, j.id limit 1;
  select s.id, s.code, s.status into v_sprint
  from public.stories st join public.sprints s on s.id = st.sprint_id where st.id = v_task.story_id;
  if v_task.status = 'FAILED' then
    return jsonb_build_array(jsonb_build_object('code', 'failed',
      'message', concat_ws(' ', 'The task failed. Press "Try again" on its job or sprint.', v_job.failure_reason), 'job_id', v_job.id));
  end if;
  if v_sprint.id is null then
    return jsonb_build_array(jsonb_build_object('code', 'no_sprint', 'message', 'The story of this task is not in a sprint. Run the task by itself, or put its story into a sprint.'))
      || private.dependency_reasons(array[p_task_id]);
  end if;
  return jsonb_build_array(jsonb_build_object('code', 'no_run', 'sprint_id', v_sprint.id,
    'message', format('Sprint %s (%s) has no run in progress. Start one, or run this task by itself.', v_sprint.code, lower(v_sprint.status::text))))
    || private.dependency_reasons(array[p_task_id]);
end;
$$;

-- Everything that keeps one job from moving, each as a code, a message and ids for a link. For a held job this is
-- its lease, or the person: held by whom until when. The codes: finished, budget, lease, held, those of private.job_gates and
-- private.worker_gates, blocked, dependency_failed, dependency_unmerged, ci, no_worker, consent, quota, ready
-- (specification: Agent job).
create function private.job_reasons(p_job public.agent_jobs)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_gates text[];
  v_reasons jsonb;
begin
  if p_job.status <> 'QUEUED' then
    return private.unqueued_reasons(p_job);
  end if;
  select g.gates into v_gates from private.job_gates g where g.id = p_job.id;
  if 'review' = any (v_gates) then
    return private.gate_reasons(p_job, 'review');
  end if;
  select coalesce(jsonb_agg(r.reason order by g.place, r.place), '[]') into v_reasons
  from unnest(v_gates) with ordinality g (gate, place)
  cross join lateral jsonb_array_elements(private.gate_reasons(p_job, g.gate)) with ordinality r (reason, place);
  v_reasons := v_reasons || private.budget_reasons(p_job) || private.pbi_reasons(p_job) || private.worker_reasons(p_job);
  if v_reasons = '[]' then
    return jsonb_build_array(jsonb_build_object('code', 'ready',
      'message', 'Ready. The next free worker takes it.'));
  end if;
  return v_reasons;
end;
$$;

-- How a job ended, or who holds it until when; nothing of another's conversation (specification: Agent job).
create function private.unqueued_reasons(p_job public.agent_jobs)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_worker record;
begin
  if p_job.status in ('CLAIMED', 'RUNNING') and private.is_in_hand(p_job) then
    return private.held_reasons(p_job);
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    select w.name, w.last_seen_at into v_worker from public.agent_workers w where w.id = p_job.worker_id;
    return jsonb_build_array(jsonb_build_object('code', 'lease',
      'message', format('Worker %s holds the job until %s (attempt %s%s).', coalesce(v_worker.name, 'unknown'),
        private.time_text(p_job.lease_until), p_job.attempt,
        case when p_job.lease_until <= private.now() then '; the lease has expired, so the job returns to the queue within seconds' else '' end),
      'worker_id', p_job.worker_id, 'worker_name', v_worker.name, 'lease_until', p_job.lease_until, 'last_seen_at', v_worker.last_seen_at));
  end if;
  return jsonb_build_array(jsonb_build_object(
    'code', case when p_job.status = 'FAILED' and p_job.failure_class = 'infrastructure' and p_job.retry_count >= 3
      then 'budget' else 'finished' end,
    'message', format('The job is %s%s', lower(p_job.status::text),
      coalesce(': ' || case when private.can_read_conversation(p_job) then p_job.failure_reason end, '.')),
    'failure_class', p_job.failure_class, 'finished_at', p_job.finished_at));
end;
$$;

-- What one closed gate of private.job_gates means for this job, in a sentence with ids for a link. Leaves out the
-- content of someone else's conversation about an idea (specification: Agent job).
create function private.gate_reasons(p_job public.agent_jobs, p_gate text)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_run public.sprint_runs;
  v_question public.agent_questions;
  v_first public.agent_jobs;
begin
  case p_gate
  when 'review' then
    return private.review_reasons(p_job);
  when 'held' then
    return private.held_reasons(p_job);
  when 'plan' then
    return private.plan_reasons(p_job);
  when 'paused' then
    select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
    return jsonb_build_array(jsonb_build_object('code', 'paused',
      'message', format('The run is paused (%s). Resume it when it can continue.', replace(v_run.pause_context ->> 'reason', '_', ' ')),
      'sprint_run_id', v_run.id, 'pause_context', v_run.pause_context, 'question_id', v_run.pause_question_id));
  when 'question' then
    select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
    return jsonb_build_array(jsonb_build_object('code', 'question',
      'message', case
        when v_question.expires_at <= private.now() then 'The question it is waiting for was not answered in time'
        when v_question.kind = 'permission' then format('It is waiting for a permission that only %s can give', private.username(v_question.reader_id))
        else 'It is waiting for the answer to a question' end
        || case when private.can_read_conversation(p_job) and (v_question.reader_id is null or v_question.reader_id = auth.uid())
          then ': ' || left(v_question.question, 300) else '.' end,
      'question_id', v_question.id, 'assignee_id', v_question.assignee_id, 'expires_at', v_question.expires_at));
  when 'not_before' then
    return jsonb_build_array(jsonb_build_object('code', 'not_before',
      'message', concat(case when p_job.failure_class = 'rate_limited' then 'It is rate-limited until '
        when p_job.failure_class is not null then 'Its last attempt failed; it can be tried again at '
        else concat(case when private.can_read_conversation(p_job)
          then rtrim(private.one_line(split_part(p_job.failure_reason, E'\n', 1)), '. ') || '. ' end, 'It is tried again at ')
        end, private.time_text(p_job.not_before), '.'),
      'not_before', p_job.not_before));
  when 'dependency' then
    -- Of a batch: those of its unfinished tasks that do not come with it.
    if p_job.kind = 'TASK_IMPLEMENTATION' then
      return private.dependency_reasons(array[p_job.task_id]);
    end if;
    return private.dependency_reasons(array(
      select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING')),
      p_job.sprint_run_id);
  when 'order' then
    select j.* into v_first from public.agent_jobs j
    where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.in_turn desc, j.position limit 1;
    -- It waits for an answer first, and then takes its turn.
    if v_first.id = p_job.id then
      return '[]';
    end if;
    return jsonb_build_array(jsonb_build_object('code', 'order',
      'message', format('Jobs on branch %s run one after another; task %s comes first and is %s.', p_job.branch,
        (select t.code from public.tasks t where t.id = v_first.task_id), lower(v_first.status::text)),
      'job_id', v_first.id, 'task_id', v_first.task_id));
  when 'archived' then
    return jsonb_build_array(jsonb_build_object('code', 'archived', 'message', 'The product is archived.'));
  end case;
end;
$$;

-- Work that is done waits for a person, or for CI where the product asks for that (docs/proof.md).
create function private.review_reasons(p_job public.agent_jobs)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  if (select p.done_requires = 'ci' from public.products p where p.id = p_job.product_id) then
    return jsonb_build_array(jsonb_build_object('code', 'ci', 'message', coalesce((
        select format('The work is done and waiting for CI of pull request #%s.', p.number) from public.pulls p
        where p.product_id = p_job.product_id and p.branch = p_job.branch and p.state = 'open' order by p.number desc limit 1),
        'The work is done and waiting for CI, but no pull request of its branch is known. Start a worker with --pr, or approve the work yourself.'),
      'task_id', p_job.task_id));
  end if;
  return jsonb_build_array(jsonb_build_object('code', 'review', 'task_id', p_job.task_id, 'message', coalesce((
      select format('%s has just %s. It takes effect in a few seconds.', private.username(v.user_id),
        case v.verdict when 'approve' then 'approved the work' else 'requested changes' end)
      from public.pending_verdicts v where v.job_id = p_job.id), 'The work is done and waiting for a person to review it.')));
end;
$$;

-- A PBI that was blocked after its run started is worth knowing but closes no gate (specification: PBI, status).
create function private.pbi_reasons(p_job public.agent_jobs)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('code', 'blocked', 'blocking', false,
      'message', format('PBI %s was blocked after the run started; the job can still be claimed.', b.code), 'pbi_id', b.id)), '[]')
    from public.tasks t join public.stories s on s.id = t.story_id join public.pbis b on b.id = s.pbi_id
    where t.id = p_job.task_id and b.status = 'BLOCKED');
end;
$$;

-- A claimable job still waits if no worker can take it: none online with access, all under their quota, only of members
-- without consent, or with a closed gate of private.worker_gates (specification: Agent worker; User, min_quota_pct).
create function private.worker_reasons(p_job public.agent_jobs)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_wants private.job_wants := (select g.wants from private.job_gates g where g.id = p_job.id);
  v_online integer;
  v_with_quota integer;
  v_without_consent text;
  v_confined integer;
  v_following integer;
  v_with_agent integer;
  v_able integer;
  v_repo_url text;
  v_written_by text;
  v_elsewhere integer;
begin
  select count(*) filter (where m.workers_allowed),
    count(*) filter (where m.workers_allowed and (w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)),
    string_agg(distinct u.username, ', ') filter (where not m.workers_allowed),
    count(*) filter (where m.workers_allowed and 'sandbox' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and 'repository' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and 'agent' <> all (x.gates)),
    count(*) filter (where m.workers_allowed and x.gates = '{}')
  into v_online, v_with_quota, v_without_consent, v_confined, v_following, v_with_agent, v_able
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id and m.role <> 'VIEWER'
  cross join lateral (select private.worker_gates(v_wants, private.asker_of(w.user_id, w.id, w.confinement::text,
    w.also_repos, private.able_agents(w.offers, u.min_quota_pct))) as gates) x
  where private.is_online(w.last_seen_at, w.stopped_at) and not x.gates && '{conversation,needs_other_worker}'
    and coalesce(w.product_id, p_job.product_id) = p_job.product_id;

  if v_online = 0 and p_job.phase = 'verify' and v_without_consent is null then
    return jsonb_build_array(jsonb_build_object('code', 'needs_other_worker',
      'message', format('The work is done and must be reviewed by a worker other than %s. Start one under another name.',
        coalesce((select w.name from public.agent_workers w where w.id = p_job.author_worker_id), 'the one that did it'))));
  end if;
  if v_online = 0 and v_without_consent is not null then
    return jsonb_build_array(jsonb_build_object('code', 'consent',
      'message', format('Workers of %s are online but not allowed here yet. Each of them can press "Allow my workers" on the members page, or name the product to the worker.',
        v_without_consent)));
  end if;
  if v_online = 0 then
    select count(*) into v_elsewhere
    from public.agent_workers w
    join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id and m.role <> 'VIEWER'
    where private.is_online(w.last_seen_at, w.stopped_at) and w.product_id <> p_job.product_id;
    return (
      select jsonb_build_array(jsonb_build_object('code', 'no_worker',
        'message', case when v_elsewhere = 0 then 'No worker is online. Start one: "Connect an agent" shows the command.'
          else format('No worker takes %s: %s online for another product only (--product). Start one for this product: "Connect an agent" shows the command.',
            p.name, v_elsewhere) end,
        'command', private.agent_line(v_wants.agent) || case when v_elsewhere > 0 then ' --product ' || p.code else '' end))
      from public.products p where p.id = p_job.product_id);
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want to keep (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  if v_able > 0 then
    return '[]';
  end if;
  v_repo_url := regexp_replace(v_wants.own_repo, '://[^/?#]*@', '://');
  v_written_by := (select u.username from public.tasks t join public.users u on u.id = t.repo_url_by where t.id = p_job.task_id);
  -- If workers lack different things, only one is reported.
  return case when v_confined = 0 or (v_following > 0 and v_with_agent > 0 and v_wants.needs_sandbox) then jsonb_build_array(jsonb_build_object('code', 'sandbox',
      'message', format('The product requires a sandbox, and no online worker that could take the job has one. %s', private.sandbox_advice())))
      else '[]' end
    || case when v_following = 0 then jsonb_build_array(jsonb_build_object('code', 'repository',
      'message', format('The task has its own repository, %s%s, and no online worker follows it: %s', v_repo_url,
        ' (written by ' || v_written_by || ')', private.repository_advice(v_repo_url)),
      'repo_url', v_repo_url, 'written_by', v_written_by))
      else '[]' end
    || case when v_with_agent = 0 or (v_following > 0 and not v_wants.needs_sandbox) then private.agent_reasons(v_wants)
      else '[]' end;
end;
$$;

-- The named agent is on no online worker that may take the job, or each has it at its limit; with the line to type.
create function private.agent_reasons(p_wants private.job_wants)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_array(jsonb_strip_nulls(jsonb_build_object('code', 'agent',
    'message', format('It is for %s, and no online worker has it free: %s',
      concat_ws(' with ', 'the agent ' || p_wants.agent, 'the model ' || private.model_for(p_wants, 'claude')), private.agent_advice(p_wants.agent)),
    'agent', p_wants.agent, 'model', p_wants.model, 'command', private.agent_line(p_wants.agent))));
end;
$$;

-- What to type, so that a worker has an agent.
create function private.agent_advice(p_agent text) returns text language sql immutable set search_path = '' as $$
  select format('start one with --agent %s, or change the agent of the task, its story or its product.', coalesce(p_agent, '<agent>'));
$$;

-- The whole line that starts a worker with an agent. The name has no character that a shell would read.
create function private.agent_line(p_agent text) returns text language sql immutable set search_path = '' as $$
  select 'node ~/backloom-worker.mjs --url <address> --token <token> --repo <folder> --agent ' || coalesce(p_agent, '<agent>');
$$;

-- One wording for a worker that gets no job and a person who asks why a job does not move.
create function private.sandbox_advice() returns text language sql immutable set search_path = '' as $$
  select 'Start a worker on Linux with bubblewrap (apt-get install bubblewrap).';
$$;

-- What to type to trust a task's repository. The address is someone else's, so it is quoted as one word of a line.
create function private.repository_advice(p_address text)
returns text language plpgsql immutable set search_path = '' as $$
begin
  return format('anyone who can write there can run programs on the worker''s machine. If you trust them, start the worker with --also-repo %s',
    case when p_address ~ '^[A-Za-z0-9_@%+=:,./~-]+$' then p_address else '''' || replace(p_address, '''', '''\''''') || '''' end);
end;
$$;
