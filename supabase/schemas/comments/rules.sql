create trigger _900_emit after insert or update or delete on public.comments for each row
  execute function private.tg_any__emit('comment', '{product:product_id}',
    '{"pbi_id": "pbi_id", "story_id": "story_id", "task_id": "task_id"}', 'without changed fields');

-- A job may be deleted while a message waits for its agent: no one will see it, so it is marked undelivered.
create function private.tg_agent_messages__lose_job() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.state = 'sent' then
    new.state := 'undelivered';
    new.reason := 'The job was deleted before its agent saw this.';
  end if;
  return new;
end;
$$;
create trigger _300_lose_job before update of job_id on public.agent_messages
  for each row when (new.job_id is null and old.job_id is not null)
  execute function private.tg_agent_messages__lose_job();

-- Item and job show its state at once, the worker hears of a new one. Definer: no client may call private.emit.
create function private.tg_agent_messages__emit()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.emit('product:' || new.product_id, jsonb_build_object(
    'op', 'U', 'entity', 'comment', 'id', new.comment_id, 'product_id', new.product_id));
  perform private.emit_part_change('job', new.job_id, 'messages');
  return null;
end;
$$;
create trigger _900_emit after insert on public.agent_messages
  for each row execute function private.tg_agent_messages__emit();
create trigger _901_emit after update of state on public.agent_messages
  for each row when (new.state <> old.state)
  execute function private.tg_agent_messages__emit();

-- Counted in the inbox at once. Only the mentioned member gets the event. Definer: no client may call private.emit.
create function private.tg_comment_mentions__notify_inbox()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_row public.comment_mentions := coalesce(new, old);
begin
  perform private.emit('user:' || v_row.user_id,
    jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', v_row.comment_id, 'product_id', null));
  return null;
end;
$$;
create trigger _900_notify_inbox after insert or delete on public.comment_mentions
  for each row execute function private.tg_comment_mentions__notify_inbox();

-- The response to a heartbeat carries messages for the agent. A worker that confirms (p_seen, even an empty list) gets
-- each message until its agent has seen it. Otherwise a message counts as seen when sent; the next answer repeats it in
-- case this one is lost. A verifier forms its own view, so it gets none. Null without messages.
create function private.deliver_messages(p_job public.agent_jobs, p_seen jsonb)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_told uuid[];
begin
  if p_job.phase = 'verify' or not exists (
    select from public.agent_messages m where m.job_id = p_job.id and m.state in ('sent', 'seen'))
  then
    return null;
  end if;
  if p_seen is not null then
    update public.agent_messages m
    set state = 'seen', attempt = p_job.attempt, seen_at = coalesce(m.seen_at, private.now())
    where m.job_id = p_job.id and p_seen ? m.id::text
      and (m.state = 'sent' or (m.state = 'seen' and m.attempt is distinct from p_job.attempt));
    return private.messages_json(array(
      select m.id from public.agent_messages m where m.job_id = p_job.id and m.state = 'sent'));
  end if;
  with told as (
    update public.agent_messages m
    set state = 'seen', attempt = p_job.attempt, seen_at = coalesce(m.seen_at, private.now()),
        told = case when m.attempt is distinct from p_job.attempt then 1 else m.told + 1 end
    where m.job_id = p_job.id
      and (m.state = 'sent' or (m.state = 'seen' and (m.attempt is distinct from p_job.attempt or m.told < 2)))
    returning m.id)
  select array_agg(t.id) into v_told from told t;
  return private.messages_json(v_told);
end;
$$;

-- No message waits for an agent that will not come. Messages that the delivering attempt had seen count as acted on; it
-- has also seen what came with its claim. An attempt that failed may not have read anything.
create function private.close_messages(p_old public.agent_jobs, p_new public.agent_jobs)
returns void language plpgsql volatile set search_path = '' as $$
begin
  -- Nearly always there are none, and preparing two updates costs more than this look.
  if not exists (select from public.agent_messages m where m.job_id = p_new.id and m.state in ('sent', 'seen')) then
    return;
  end if;
  if p_new.status in ('DONE', 'SKIPPED', 'QUEUED') then
    update public.agent_messages m
    set state = 'acted_on', attempt = coalesce(m.attempt, p_new.attempt), seen_at = coalesce(m.seen_at, private.now())
    where m.job_id = p_new.id and (m.state = 'seen' or (m.state = 'sent' and p_old.phase = 'implement' and m.sent_at <= (
      select a.started_at from public.job_attempts a where a.job_id = p_new.id and a.attempt = p_new.attempt)));
  end if;
  if p_new.status in ('DONE', 'SKIPPED', 'FAILED', 'CANCELLED') then
    update public.agent_messages m
    set state = 'undelivered', reason = format('The job %s before its agent saw this.',
      case p_new.status when 'FAILED' then 'failed' when 'CANCELLED' then 'was cancelled' else 'was done' end)
    where m.job_id = p_new.id and m.state = 'sent';
  end if;
end;
$$;
