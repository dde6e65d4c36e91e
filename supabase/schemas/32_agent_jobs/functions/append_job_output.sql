-- Why: people watch an agent while it works. Entries come in batches; a repeated seq is ignored, so that a batch whose
-- answer was lost can be sent again. They renew the lease, once a minute. The last attempt to hold the job may still
-- send its final output, for ten minutes and until the next attempt begins.
-- Takes no product lock: nothing else depends on entries, and the lock of the attempt's row serializes its batches. The
-- job's row is locked before it, as in every other write.
-- Refusals: 404, 403, 409 for a lost attempt or one that ended long ago, 422, 429. Definer: entries are written by
-- functions only.
create function operations.append_job_output(p_job_id uuid, p_attempt integer, p_entries jsonb)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := private.require_job(p_job_id);
  v_job public.agent_jobs;
  v_attempt public.job_attempts;
  v_now timestamptz := private.now();
  v_bytes bigint;
  v_state text;
begin
  perform private.require_writer();
  perform private.require_product_write(v_product_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  v_state := private.attempt_state(v_job, p_attempt);
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  perform private.take_rate_limit('job_output', p_job_id::text);
  if pg_column_size(p_entries) > 262144 then
    perform private.refuse(422, 'A batch holds at most 64 KiB of text. Send it in parts.');
  end if;

  if v_state = 'held' and v_job.lease_until < v_now + private.lease() - interval '1 minute' then
    update public.agent_jobs j set lease_until = v_now + private.lease()
    where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING');
  end if;
  v_attempt := private.lock_attempt(v_job, p_attempt);
  -- Read under the lock: whoever had to wait for it is later than the one before.
  v_now := private.now();
  if v_attempt.ended_at < v_now - interval '10 minutes' then
    perform private.refuse(409, format('Attempt %s ended more than ten minutes ago and accepts no more output. Ask for the next job.', p_attempt));
  end if;

  with added as (
    insert into public.job_outputs (job_id, attempt, seq, at, kind, text, title, path, status)
    select p_job_id, p_attempt, e.seq, e.at, e.kind, e.text, e.title, e.path, e.status
    from jsonb_to_recordset(p_entries)
      as e (seq bigint, at timestamptz, kind text, text text, title text, path text, status text)
    on conflict (job_id, attempt, seq) do nothing
    returning octet_length(job_outputs.text) as bytes, job_outputs.seq
  )
  select coalesce(sum(d.bytes), 0), greatest(max(d.seq), v_attempt.last_seq) into v_bytes, v_attempt.last_seq from added d;

  update public.job_attempts a
  set last_seq = v_attempt.last_seq,
      output_bytes = a.output_bytes + v_bytes,
      told_at = case when private.is_output_news(v_attempt.told_at, v_now) then v_now else a.told_at end
  where a.job_id = p_job_id and a.attempt = p_attempt
  returning a.* into v_attempt;

  if v_attempt.output_bytes > 5242880 then
    perform private.drop_output_middle(v_attempt);
  end if;
  if v_attempt.told_at = v_now then
    perform private.emit_job_output(v_job, v_attempt);
  end if;
  return json_build_object('last_seq', v_attempt.last_seq);
end;
$$;

comment on function operations.append_job_output is 'Adds entries to the output of an attempt (docs/agents.md).';
grant execute on function operations.append_job_output to authenticated;

-- Why: an attempt keeps 5 MiB of output. The excess is deleted from the middle, because people read how an attempt
-- began and ended. A quarter of the space is freed at once, so that this is rare.
create function private.drop_output_middle(p_attempt public.job_attempts)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_first bigint;
  v_last bigint;
  v_freed bigint;
begin
  with sized as (
    select o.seq, octet_length(o.text) as bytes, sum(octet_length(o.text)) over (order by o.seq) as so_far
    from public.job_outputs o
    where o.job_id = p_attempt.job_id and o.attempt = p_attempt.attempt
  ),
  gone as (
    delete from public.job_outputs o
    using sized s
    where o.job_id = p_attempt.job_id and o.attempt = p_attempt.attempt and o.seq = s.seq
      and s.so_far > 1048576 and s.so_far <= 1048576 + 1310720 + (p_attempt.output_bytes - 5242880)
    returning o.seq, s.bytes
  )
  select min(g.seq), max(g.seq), sum(g.bytes) into v_first, v_last, v_freed from gone g;

  update public.job_attempts a
  set output_bytes = a.output_bytes - coalesce(v_freed, 0),
      dropped_from = least(a.dropped_from, v_first),
      dropped_to = greatest(a.dropped_to, v_last)
  where a.job_id = p_attempt.job_id and a.attempt = p_attempt.attempt;
end;
$$;

comment on function private.drop_output_middle is 'Lets the middle of a long output go and notes which entries those were.';

-- Why: an event carries only the last seq, and a line of what the agent is doing for boards; each process reads the
-- entries once for all its viewers. The output of a conversation about an idea goes only to its owner's topic.
create function private.emit_job_output(p_job public.agent_jobs, p_attempt public.job_attempts)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.emit(
    case when p_job.kind = 'PLAN_CHAT' then 'user:' || p_job.created_by else 'product:' || p_job.product_id end,
    jsonb_build_object('op', 'U', 'entity', 'job_output', 'id', p_job.id, 'product_id', p_job.product_id,
      'job_id', p_job.id, 'task_id', p_job.task_id, 'attempt', p_attempt.attempt, 'last_seq', p_attempt.last_seq,
      'doing', private.doing_now(p_job.id, p_attempt.attempt)));
end;
$$;

comment on function private.emit_job_output is 'Says how far the output of a job goes (docs/agents.md, live output).';

-- Why: hosted Realtime counts messages and drops those above its rate, so viewers hear of new output about once a
-- second. They read once more a second later, which catches what came in between. Our worker sends a batch each second;
-- the limit here is slightly lower, so that each is announced even if one took longer on its way than the next.
create function private.is_output_news(p_told_at timestamptz, p_now timestamptz)
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return p_told_at is null or p_now >= p_told_at + interval '0.8 seconds';
end;
$$;

comment on function private.is_output_news is 'Whether about a second has passed since viewers were told of an output.';

-- Why: serializes all additions to an attempt. A job claimed without the triggers has no row for its attempt yet.
create function private.lock_attempt(p_job public.agent_jobs, p_attempt integer)
returns public.job_attempts
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_attempt public.job_attempts;
begin
  select a.* into v_attempt from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_attempt for update;
  if not found then
    insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, started_at)
    values (p_job.id, p_attempt, p_job.product_id, p_job.worker_id,
      (select w.name from public.agent_workers w where w.id = p_job.worker_id), coalesce(p_job.claimed_at, private.now()))
    on conflict (job_id, attempt) do nothing;
    select a.* into v_attempt from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_attempt for update;
  end if;
  return v_attempt;
end;
$$;

comment on function private.lock_attempt is 'The row of an attempt, locked (specification: Agent job; attempts).';
