-- Why: a job may be deleted with its task while a message waits for its agent: nobody will see it, so it is marked
-- undelivered.
create function private.tg_agent_messages__lose_job()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.state = 'sent' then
    new.state := 'undelivered';
    new.reason := 'The job was deleted before its agent saw this.';
  end if;
  return new;
end;
$$;

comment on function private.tg_agent_messages__lose_job is 'A message whose job is gone is undelivered.';

create trigger _300_lose_job before update of job_id on public.agent_messages
  for each row when (new.job_id is null and old.job_id is not null)
  execute function private.tg_agent_messages__lose_job();

-- Why: the pages of the item and the job show a message's state at once, and the job's worker hears of a new one.
-- Definer: every write sends its event, but no client may call private.emit.
create function private.tg_agent_messages__emit()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.emit('product:' || new.product_id, jsonb_build_object(
    'op', 'U', 'entity', 'comment', 'id', new.comment_id, 'product_id', new.product_id));
  perform private.emit('product:' || j.product_id, jsonb_build_object('op', 'U', 'entity', 'job', 'id', j.id,
    'product_id', j.product_id, 'changed_fields', jsonb_build_array('messages'), 'task_id', j.task_id, 'idea_id', null,
    'kind', j.kind, 'status', j.status, 'sprint_run_id', j.sprint_run_id))
  from public.agent_jobs j where j.id = new.job_id;
  return null;
end;
$$;

comment on function private.tg_agent_messages__emit is 'Announces messages to agents, and what becomes of them.';

create trigger _900_emit after insert on public.agent_messages
  for each row execute function private.tg_agent_messages__emit();
create trigger _901_emit after update of state on public.agent_messages
  for each row when (new.state <> old.state)
  execute function private.tg_agent_messages__emit();
