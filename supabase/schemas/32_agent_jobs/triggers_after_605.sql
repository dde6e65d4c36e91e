-- Why: a dependency may come while a job is at work. When the job comes back to the queue and what it waits for stands behind it in its
-- lane, the turn passes on, or nobody would ever begin. Definer: the caller may not write jobs.
create function private.tg_agent_jobs__pass_turn()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.pass_turn(new.sprint_run_id, new.lane_id);
  return null;
end;
$$;

comment on function private.tg_agent_jobs__pass_turn is 'Lets a lane go on when its job comes back and waits (specification: Agent job).';

create trigger _605_pass_turn
after update of status on public.agent_jobs
for each row when (
  new.status = 'QUEUED' and old.status in ('CLAIMED', 'RUNNING') and new.open_blockers > 0 and new.in_turn and new.sprint_run_id is not null
)
execute function private.tg_agent_jobs__pass_turn();

-- Why: what waits for a person is in their inbox at once (36_inbox).
create trigger _890_tell_inbox
after update of status on public.agent_jobs
for each row
when (old.status is distinct from new.status and 'FAILED' in (old.status, new.status) and new.idea_id is not null)
execute function private.tg_any__tell_inbox();

-- Why: the solo stream forwards job events. A heartbeat that only renews the lease is no news, and neither is that a job's
-- turn has come: the end of the job before it says so. That it waits for one thing less is news once it waits for nothing.
-- Definer: an event is sent whoever writes, and no client may call private.emit.
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
