-- Why: the one place where the consequences of a job's change begin; private.after_job_change says which. They come before
-- the job's own event: who waits for a job's end finds its task finished. Definer: the caller may not write tasks, runs, attempts,
-- messages and the ledger.
create function private.tg_agent_jobs__follow()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform private.advance_branch_queue(old);
  elsif tg_op = 'INSERT' then
    perform private.advance_task(new);
  else
    perform private.after_job_change(old, new);
  end if;
  return null;
end;
$$;

comment on function private.tg_agent_jobs__follow is 'What follows from a new, changed or deleted job (specification: Agent job).';

create trigger _890_follow_insert after insert on public.agent_jobs
  for each row when (new.task_id is not null and new.status not in ('QUEUED', 'CANCELLED'))
  execute function private.tg_agent_jobs__follow();
create trigger _890_follow_update after update of status, attempt, phase on public.agent_jobs
  for each row when (new.status <> old.status or new.attempt <> old.attempt or new.phase <> old.phase)
  execute function private.tg_agent_jobs__follow();
create trigger _890_follow_delete after delete on public.agent_jobs
  for each row when (old.sprint_run_id is not null and old.status in ('QUEUED', 'CLAIMED', 'RUNNING'))
  execute function private.tg_agent_jobs__follow();

-- Why: in products that wait for the merge, work that reaches the main branch releases what it blocks.
-- Definer: the caller may not write jobs.
create function private.tg_agent_jobs__settle_merged()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if (select p.dependency_release from public.products p where p.id = old.product_id) = 'merged' then
    perform private.settle_waiting(nullif(private.waiting_for(private.tasks_of_work(old.kind, old.task_id, old.sprint_run_id)), '{}'));
  end if;
  return null;
end;
$$;

comment on function private.tg_agent_jobs__settle_merged is 'Counters follow work to the main branch (docs/dependencies.md).';

create trigger _891_settle_merged
after update of merged_at on public.agent_jobs
for each row when (new.merged_at is distinct from old.merged_at)
execute function private.tg_agent_jobs__settle_merged();

-- Why: the solo stream sends job events. A heartbeat that only renews the lease sends none, nor does getting the turn:
-- the end of the job before says it. A lower number of blockers is sent only when it reaches 0.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_agent_jobs__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  v_event jsonb;
begin
  if tg_op = 'UPDATE' and new.in_turn <> old.in_turn and new.status = old.status then
    return null;
  end if;
  if tg_op = 'UPDATE' then
    v_event := private.change_event(tg_op, 'job', null,
      jsonb_build_object('id', new.id, 'product_id', new.product_id), private.changed_job_fields(old, new));
  else
    v_event := private.change_event(tg_op, 'job', to_jsonb(old), to_jsonb(new));
  end if;
  if v_event is null or v_event -> 'changed_fields' = '["lease_until"]' then
    return null;
  end if;
  if v_event -> 'changed_fields' = '["open_blockers"]' and new.open_blockers > 0 then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'task_id', coalesce(new.task_id, old.task_id),
    'idea_id', coalesce(new.idea_id, old.idea_id),
    'kind', coalesce(new.kind, old.kind),
    'status', coalesce(new.status, old.status),
    'sprint_run_id', coalesce(new.sprint_run_id, old.sprint_run_id)
  );
  perform private.emit('product:' || coalesce(new.product_id, old.product_id), v_event);
  return null;
end;
$$;

comment on function private.tg_agent_jobs__emit is
  'Announces changes of agent jobs on product:<id> (specification: Solo stream).';

create trigger _900_emit
after insert or update or delete on public.agent_jobs
for each row execute function private.tg_agent_jobs__emit();

-- Why: claims and ends write a job often, and always the same few columns. If no others differ, this finds their names
-- without converting the row to JSON twice, the most expensive part of an event. A column missing here is still found.
-- The names are in the order of private.changed_fields.
create function private.changed_job_fields(p_old public.agent_jobs, p_new public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_rest public.agent_jobs := p_new;
begin
  v_rest.attempt := p_old.attempt;
  v_rest.claimed_at := p_old.claimed_at;
  v_rest.confinement := p_old.confinement;
  v_rest.finished_at := p_old.finished_at;
  v_rest.head_sha := p_old.head_sha;
  v_rest.lease_until := p_old.lease_until;
  v_rest.plan_snapshot := p_old.plan_snapshot;
  v_rest.started_at := p_old.started_at;
  v_rest.status := p_old.status;
  v_rest.summary := p_old.summary;
  v_rest.updated_at := p_old.updated_at;
  v_rest.verify_result := p_old.verify_result;
  v_rest.worker_id := p_old.worker_id;
  if v_rest is distinct from p_old then
    return private.changed_fields(to_jsonb(p_old), to_jsonb(p_new));
  end if;
  return to_jsonb(array_remove(array[
    case when p_new.attempt is distinct from p_old.attempt then 'attempt' end,
    case when p_new.claimed_at is distinct from p_old.claimed_at then 'claimed_at' end,
    case when p_new.confinement is distinct from p_old.confinement then 'confinement' end,
    case when p_new.finished_at is distinct from p_old.finished_at then 'finished_at' end,
    case when p_new.head_sha is distinct from p_old.head_sha then 'head_sha' end,
    case when p_new.lease_until is distinct from p_old.lease_until then 'lease_until' end,
    case when p_new.plan_snapshot is distinct from p_old.plan_snapshot then 'plan_snapshot' end,
    case when p_new.started_at is distinct from p_old.started_at then 'started_at' end,
    case when p_new.status is distinct from p_old.status then 'status' end,
    case when p_new.summary is distinct from p_old.summary then 'summary' end,
    case when p_new.verify_result is distinct from p_old.verify_result then 'verify_result' end,
    case when p_new.worker_id is distinct from p_old.worker_id then 'worker_id' end
  ], null));
end;
$$;

comment on function private.changed_job_fields is
  'Names of the columns in which two versions of a job differ, as private.changed_fields finds them (specification: Solo stream, changed_fields).';
