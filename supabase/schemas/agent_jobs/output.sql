-- What an agent says and does while it works, entry by entry, for people to watch or read later. Entries are never
-- changed; the same seq sent twice is one entry. Kept for 14 days.
create table public.job_outputs (
  job_id uuid not null,
  attempt integer not null,
  seq bigint not null constraint job_outputs_seq_positive check (seq >= 1),
  at timestamptz not null,
  kind text not null constraint job_outputs_kind_known
    check (kind in ('text', 'thought', 'plan', 'command', 'tool', 'edit', 'test', 'note', 'error')),
  text text not null,
  title text constraint job_outputs_title_length check (char_length(title) <= 1000),
  path text constraint job_outputs_path_length check (char_length(path) <= 2000),
  status text constraint job_outputs_status_length check (char_length(status) <= 100),
  created_at timestamptz not null default private.now(),
  primary key (job_id, attempt, seq),
  constraint job_outputs_attempt_fkey foreign key (job_id, attempt)
    references public.job_attempts (job_id, attempt) on delete cascade
);

comment on table public.job_outputs is 'Output of an attempt, entry by entry (docs/runs.md).';
create index job_outputs_created_at_idx on public.job_outputs (created_at);

alter table public.job_outputs enable row level security;

-- Read through operations.get_job_output, which checks access once per page of entries.

-- People watch an agent while it works. Entries come in batches; a repeated seq is ignored, so that a batch whose
-- answer was lost can be sent again. They renew the lease, once a minute. The last attempt to hold the job may still
-- send its final output, for ten minutes and until the next attempt begins.
-- Takes no product lock: nothing else depends on entries, and the lock of the attempt's row serializes its batches. The
-- job's row is locked before it, as in every other write.
-- Refusals: 404, 403, 409 for a lost attempt or one that ended long ago, 422, 429. Definer: entries are written by
-- functions only (docs/runs.md).
create function operations.append_job_output(p_job_id uuid, p_attempt integer, p_entries jsonb)
returns json language plpgsql volatile security definer set search_path = '' as $$
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
  v_state := private.require_known_attempt(v_job, p_attempt);
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
    returning private.output_bytes(job_outputs) as bytes, job_outputs.seq
  )
  select coalesce(sum(d.bytes), 0), greatest(max(d.seq), v_attempt.last_seq) into v_bytes, v_attempt.last_seq from added d;

  -- Hosted Realtime drops messages above its rate, so viewers hear of new output about once a second, and read once more a
  -- second later. Our worker sends a batch each second; the limit is slightly lower, so that each is announced.
  update public.job_attempts a
  set last_seq = v_attempt.last_seq,
      output_bytes = a.output_bytes + v_bytes,
      told_at = case when v_attempt.told_at > v_now - interval '0.8 seconds' then a.told_at else v_now end
  where a.job_id = p_job_id and a.attempt = p_attempt
  returning a.* into v_attempt;

  if v_attempt.output_bytes > 5242880 then
    perform private.drop_output_middle(v_attempt);
  end if;
  if v_attempt.told_at = v_now then
    -- An event carries only the last seq, and a line of what the agent is doing for boards; each process reads the entries
    -- once for all its viewers. The output of a conversation about an idea goes only to its owner (docs/runs.md).
    perform private.emit(
      case when v_job.kind = 'PLAN_CHAT' then 'user:' || v_job.created_by else 'product:' || v_job.product_id end,
      jsonb_build_object('op', 'U', 'entity', 'job_output', 'id', v_job.id, 'product_id', v_job.product_id,
        'job_id', v_job.id, 'task_id', v_job.task_id, 'attempt', v_attempt.attempt, 'last_seq', v_attempt.last_seq,
        'doing', private.doing_now(v_job.id, v_attempt.attempt)));
  end if;
  return json_build_object('last_seq', v_attempt.last_seq);
end;
$$;
grant execute on function operations.append_job_output to authenticated;
comment on function operations.append_job_output is 'scope work';

-- An attempt keeps 5 MiB of output. The excess is deleted from the middle, because people read how an attempt
-- began and ended. A quarter of the space is freed at once, so that this is rare.
create function private.drop_output_middle(p_attempt public.job_attempts)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_first bigint;
  v_last bigint;
  v_freed bigint;
begin
  select min(z.seq), max(z.seq), sum(z.bytes) into v_first, v_last, v_freed
  from (
    select o.seq, private.output_bytes(o) as bytes, sum(private.output_bytes(o)) over (order by o.seq) as so_far
    from public.job_outputs o
    where o.job_id = p_attempt.job_id and o.attempt = p_attempt.attempt
  ) z
  where z.so_far > 1048576 and z.so_far <= 1048576 + 1310720 + (p_attempt.output_bytes - 5242880);
  delete from public.job_outputs o
  where o.job_id = p_attempt.job_id and o.attempt = p_attempt.attempt and o.seq between v_first and v_last;

  update public.job_attempts a
  set output_bytes = a.output_bytes - coalesce(v_freed, 0),
      dropped_from = least(a.dropped_from, v_first),
      dropped_to = greatest(a.dropped_to, v_last)
  where a.job_id = p_attempt.job_id and a.attempt = p_attempt.attempt;
end;
$$;

-- Entries with little text, or none, take room too: an attempt has no more of them than its 5 MiB hold.
create function private.output_bytes(p_entry public.job_outputs)
returns bigint language sql stable set search_path = '' as $$
  select 64 + octet_length(concat(p_entry.text, p_entry.title, p_entry.path));
$$;

-- Serializes additions to an attempt. Without the triggers it has no row yet (specification: Agent job; attempts).
create function private.lock_attempt(p_job public.agent_jobs, p_attempt integer)
returns public.job_attempts language plpgsql volatile set search_path = '' as $$
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

-- Entries of one attempt after a seq, live and afterwards; by default of the newest attempt. `complete` means that
-- no more entries will follow. Refusals: 404, 403, 422. Definer: access is checked first (docs/runs.md).
create function operations.get_job_output(
  p_job_id uuid, p_attempt integer default null, p_after bigint default null, p_limit integer default null
) returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
  v_attempt public.job_attempts;
begin
  select a.* into v_attempt
  from public.job_attempts a
  where a.job_id = p_job_id and (p_attempt is null or a.attempt = p_attempt)
  order by a.attempt desc
  limit 1;
  if p_attempt is not null and v_attempt.job_id is null then
    perform private.refuse(404, format('This job has no attempt %s.', p_attempt));
  end if;
  return json_build_object(
    'job_id', p_job_id,
    'attempt', v_attempt.attempt,
    'last_seq', coalesce(v_attempt.last_seq, 0),
    'complete', v_attempt.ended_at is not null
      or v_job.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED'),
    'dropped', case when v_attempt.dropped_from is not null then
      json_build_object('from', v_attempt.dropped_from, 'to', v_attempt.dropped_to) end,
    'entries', (
      select coalesce(json_agg(json_build_object('seq', o.seq, 'at', o.at, 'kind', o.kind, 'text', o.text,
        'title', o.title, 'path', o.path, 'status', o.status) order by o.seq), '[]')
      from (
        select x.* from public.job_outputs x
        where x.job_id = p_job_id and x.attempt = v_attempt.attempt and x.seq > coalesce(p_after, 0)
        order by x.seq
        limit least(coalesce(p_limit, 500), 5000)
      ) o));
end;
$$;
grant execute on function operations.get_job_output to authenticated;

-- The first state of a job's stream and its reader, in one statement. Definer: access is checked first (docs/runs.md).
create function operations.read_job_stream(p_job_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
begin
  perform private.require_stream_product(v_job.product_id);
  return json_build_object('viewer', private.stream_viewer(),
    'job', private.job_json(v_job) || jsonb_build_object('attempts', private.attempts_json(p_job_id)));
end;
$$;
grant execute on function operations.read_job_stream to authenticated;
