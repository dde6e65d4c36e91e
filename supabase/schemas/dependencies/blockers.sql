-- Triggers keep agent_jobs.open_blockers, which decides what agents get; `doctor` and the race tests compare it with a
-- fresh count. Service only. Definer: the service may not call private functions one by one.
create function operations.find_wrong_counters()
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object('job_id', j.id, 'open_blockers', j.open_blockers, 'counted', private.count_open_blockers(j))
      order by j.id), '[]')
    from public.agent_jobs j
    where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and j.open_blockers <> private.count_open_blockers(j)
  );
end;
$$;
grant execute on function operations.find_wrong_counters to service_role;

-- What still blocks a job: its task's blockers; of a batch, those of its open tasks that do not come with it.
create function private.count_open_blockers(p_job public.agent_jobs)
returns integer language plpgsql stable set search_path = '' as $$
begin
  if p_job.kind = 'TASK_IMPLEMENTATION' then
    return (select count(*) from private.task_blockers b where b.task_id = p_job.task_id
      and (b.status <> 'done' or not private.has_arrived(b.task_id, b.kind, b.blocker_id, p_job.product_id, p_job.branch)));
  end if;
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    return 0;
  end if;
  return (
    select count(*)
    from public.task_executions e
    join private.task_blockers b on b.task_id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING')
      and (b.status <> 'done' or not private.has_arrived(b.task_id, b.kind, b.blocker_id, p_job.product_id, p_job.branch))
      and not private.comes_with_batch(e.sprint_run_id, b.task_id, b.kind, b.blocker_id, false)
  );
end;
$$;

-- All that can only come after a task, or the start or end of a story, in the graph of private.find_path.
create function private.later_than(p_kind text, p_id uuid)
returns table (kind text, id uuid) language sql stable set search_path = '' as $$
  with recursive reach (kind, id) as (
    select s.next_kind, s.next_id from private.dependency_steps s where s.kind = p_kind and s.id = p_id
    union
    select n.next_kind, n.next_id from reach r
    cross join lateral (select s.* from private.dependency_steps s where s.kind = r.kind and s.id = r.id offset 0) n
  )
  select r.kind, r.id from reach r;
$$;

-- People may start or finish blocked tasks, but knowingly: they confirm once, and the audit trail records it. An API token
-- belongs to an agent, and no agent starts before its blockers are done. `begin` in the detail is what a page sends
-- again to confirm. Called before a write; work in progress is not affected.
-- Definer, like private.require_proof: the caller has write access, and learns only codes (docs/dependencies.md).
create function private.require_unblocked(p_task_id uuid, p_status public.task_status, p_confirmed boolean)
returns void language plpgsql volatile security definer set search_path = '' as $$
declare
  v_task record;
  v_codes text[];
  v_words text;
begin
  if p_status is null or p_status = 'TO_DO' or (p_status = 'DONE' and private.is_token()) then
    return;
  end if;
  -- Most tasks are not blocked, and this check is cheaper than listing blockers.
  if not exists (select from private.task_blockers b where b.task_id = p_task_id and not b.resolved) then
    return;
  end if;
  select array_agg(b.code order by b.sort_order, b.code), string_agg(b.code, ', ' order by b.sort_order, b.code)
  into v_codes, v_words
  from private.task_blockers b where b.task_id = p_task_id and not b.resolved;
  select t.code, t.product_id, t.status into v_task from public.tasks t where t.id = p_task_id;
  if v_task.status not in ('TO_DO', 'FAILED') then
    return;
  end if;

  if private.is_token() then
    perform private.refuse(409, format('%s is blocked by %s. Finish that first; only a person can start it anyway.', v_task.code, v_words),
      jsonb_build_object('blocked_by', v_codes));
  end if;
  if not coalesce(p_confirmed, false) then
    perform private.refuse(409, format('%s is blocked by %s. Finish that first, or %s it anyway.', v_task.code, v_words,
      case p_status when 'DONE' then 'finish' else 'start' end), jsonb_build_object('blocked_by', v_codes,
      'begin', jsonb_build_object('task_id', p_task_id, 'status', private.task_status_word(p_status))));
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'task.begun_waiting', jsonb_build_object('product_id', v_task.product_id,
    'task_id', p_task_id, 'code', v_task.code, 'blocked_by', v_codes));
end;
$$;
grant execute on function private.require_unblocked to authenticated;

-- A pull request merged after a job ended has brought its work to the main branch; a changed pull request has not.
-- For one PBI, or all of a product. Triggers then count the blockers again. Called under the product's lock.
create function private.note_merged_requests(p_product_id uuid, p_pbi_id uuid, p_was_at timestamptz default null)
returns void language plpgsql volatile set search_path = '' as $$
begin
  perform private.set_merged(array[j.id], case when x.pr_merged_at > j.finished_at then x.pr_merged_at end)
  from (
    select w.id, min(b.pr_merged_at) as pr_merged_at
    from public.pbis b
    join public.stories s on s.pbi_id = b.id
    join public.tasks t on t.story_id = s.id
    cross join lateral (
      select a.id from private.works a where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.status = 'DONE'
      union all
      select a.id from public.task_executions e
      join private.works a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION' and a.finished_at is not null
      where e.task_id = t.id and e.status = 'DONE'
    ) w
    where b.product_id = p_product_id and (p_pbi_id is null or b.id = p_pbi_id)
    group by w.id
  ) x
  join private.works j on j.id = x.id
  where (j.merged_at is null and x.pr_merged_at > j.finished_at
    or j.merged_at = p_was_at and (x.pr_merged_at > j.finished_at) is not true);
end;
$$;

-- The answer to the end of a task names what can start now. Kept for the transaction.
create function private.remember_released(p_task_ids uuid[])
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_codes jsonb;
begin
  select jsonb_agg(t.code order by t.sort_order, t.code) into v_codes
  from public.tasks t
  where t.id = any (p_task_ids) and t.status = 'TO_DO' and not private.is_blocked(t.id);
  if v_codes is not null then
    perform set_config('backloom.released',
      (coalesce(nullif(current_setting('backloom.released', true), '')::jsonb, '[]') || v_codes)::text, true);
  end if;
end;
$$;

-- Runs for a few tasks at every end of a task. A separate function, because Postgres plans "not exists" over the
-- view for many tasks as a join with every blocked task anywhere. Null for a task without blockers.
create function private.is_blocked(p_task_id uuid) returns boolean language plpgsql stable set search_path = '' as $$
begin
  return (select not bool_and(b.resolved) from private.task_blockers b where b.task_id = p_task_id);
end;
$$;

-- The claim's index reads agent_jobs.open_blockers, so it is kept in the transaction of every change it depends
-- on. Counted from scratch under the lock of the job's row, never incremented: if two blockers end at the same moment,
-- the second sees the first. Releases are remembered for the operation's answer (private.released). If a blocked job
-- holds the turn of its branch queue while another could begin, the turn passes on.
create function private.recount_blockers(p_task_ids uuid[])
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_job_ids uuid[];
begin
  select array_agg(l.id) into v_job_ids
  from (
    select j.id
    from public.agent_jobs j
    where j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
      and j.id in (
        select a.id from public.agent_jobs a where a.task_id = any (p_task_ids) and a.kind = 'TASK_IMPLEMENTATION'
        union all
        select a.id from public.task_executions e
        join public.agent_jobs a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION'
        where e.task_id = any (p_task_ids)
      )
    order by j.id
    for update
  ) l;
  if v_job_ids is null then
    return;
  end if;

  update public.agent_jobs j
  set open_blockers = c.open_blockers
  from (
    select a.id, private.count_open_blockers(a) as open_blockers from public.agent_jobs a where a.id = any (v_job_ids)
  ) c
  where j.id = c.id and j.open_blockers <> c.open_blockers;
  if found then
    perform private.pass_turn(j.sprint_run_id, j.lane_id)
    from (select distinct a.sprint_run_id, a.lane_id from public.agent_jobs a where a.id = any (v_job_ids) order by 1, 2) j;
  end if;
end;
$$;

-- In a batch no task begins before its blockers are on the branch (specification: Sprint run, executions).
create function private.refuse_blocked(p_task_id uuid, p_sprint_run_id uuid)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_codes text[] := array(
    select b.code from private.task_blockers b
    where b.task_id = p_task_id and not b.resolved
      and not private.comes_with_batch(p_sprint_run_id, b.task_id, b.kind, b.blocker_id, true)
    order by b.sort_order, b.code);
begin
  if v_codes <> '{}' then
    perform private.refuse(409,
      format('This task is blocked by %s. You still hold the job: continue with the next task, and come back to this one.', array_to_string(v_codes, ', ')),
      jsonb_build_object('blocked_by', v_codes));
  end if;
end;
$$;

-- Answers to status changes carry `released` only if they released work; otherwise they are unchanged.
create function private.released() returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_codes jsonb := nullif(current_setting('backloom.released', true), '')::jsonb;
begin
  if v_codes is null then
    return '{}';
  end if;
  return jsonb_build_object('released', (select jsonb_agg(distinct c) from jsonb_array_elements(v_codes) c));
end;
$$;
grant execute on function private.released to authenticated;

-- Undo of a wrong mark as merged. Tasks that it released are blocked again, unless an agent has begun it: its work
-- would build on code that is not there. Returns null, or the reason why it cannot. Called under the product lock.
create function private.restore_unmerged(p_change private.changes)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_job private.works;
  v_begun text;
begin
  select w.* into v_job from private.works w where w.id = p_change.thing_id;
  if not found then
    return 'was deleted since';
  end if;
  perform private.require_product_owner(v_job.product_id);
  if v_job.merged_at is distinct from (p_change.after ->> 'merged_at')::timestamptz then
    return 'was changed since';
  end if;

  select string_agg(distinct private.code_of('job', a.id), ', ') into v_begun
  from public.agent_jobs a
  where a.product_id = v_job.product_id and a.claimed_at >= p_change.changed_at
    and private.tasks_of_job(a) && private.tasks_blocked_by(private.tasks_of_work(v_job.kind, v_job.task_id, v_job.sprint_run_id));
  if v_begun is not null then
    return format('unblocked work that an agent has started since (%s)', v_begun);
  end if;

  perform private.set_merged(array[v_job.id], null);
  perform private.audit(auth.uid(), auth.uid(), 'job.merge_taken_back', jsonb_build_object('product_id', v_job.product_id,
    'job_id', v_job.id, 'code', p_change.code, 'head_sha', v_job.head_sha));
  return null;
end;
$$;

-- Changes when finished work releases what it blocks. This affects everything blocked now, so it is set and
-- recounted under the product's lock; no column grant lets a client write it directly. Null changes nothing. Refusals:
-- 404, 403, owner only.
-- Definer: jobs and this column are written by functions only (docs/dependencies.md).
create function private.set_dependency_release(p_product_id uuid, p_release public.dependency_release)
returns void language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_write('product', p_product_id), private.require_product_owner(p_product_id);
  if p_release is null or p_release = (select p.dependency_release from public.products p where p.id = p_product_id) then
    return;
  end if;
  if p_release = 'merged' then
    perform private.note_merged_requests(p_product_id, null);
  end if;
  update public.products p set dependency_release = p_release where p.id = p_product_id;
  perform private.recount_blockers(array(
    select b.task_id from public.tasks t join private.task_blockers b on b.task_id = t.id where t.product_id = p_product_id));
end;
$$;
grant execute on function private.set_dependency_release to authenticated;

-- The end of a task changes what is blocked. Under the exclusive product lock it is counted at once. Under a
-- shared one, locks are taken in the order story, PBI, run, and this comes before the PBI's: so the tasks are stored
-- until the job's own trigger asks for them, and the run is locked while they are counted.
create function private.recount_now_or_at_job_end(p_task_ids uuid[])
returns void language plpgsql volatile set search_path = '' as $$
begin
  if p_task_ids = '{}' then
    return;
  end if;
  if coalesce(current_setting('backloom.shared_product', true), '') = '' then
    perform private.recount_blockers(p_task_ids), private.remember_released(p_task_ids);
    return;
  end if;
  perform set_config('backloom.waiting',
    concat_ws(',', nullif(current_setting('backloom.waiting', true), ''), array_to_string(p_task_ids, ',')), true);
end;
$$;

-- To recount when these change: tasks blocked by the tasks, and those of stories blocked by the stories or theirs.
create function private.tasks_blocked_by(p_task_ids uuid[], p_story_ids uuid[] default '{}')
returns uuid[] language plpgsql stable set search_path = '' as $$
declare
  v_story_ids uuid[] := p_story_ids || array(select t.story_id from public.tasks t where t.id = any (p_task_ids));
begin
  return array(
    select d.blocked_id from public.task_dependencies d where d.blocker_id = any (p_task_ids)
    union
    select t.id from public.story_dependencies d join public.tasks t on t.story_id = d.blocked_id where d.blocker_id = any (v_story_ids));
end;
$$;
