-- Why: an agent is watched while it works. Entries come in batches; a repeated seq is ignored, so that a batch whose answer
-- was lost is sent again without harm. They are a sign of life and renew the lease, once a minute. The attempt that held the job
-- last may still send what it said at its end, for ten minutes and until the next attempt begins.
-- Takes no product lock: nothing hangs on entries, and the row of the attempt serialises its own batches. The job's row comes before
-- it, as in every other write.
-- Refusals: 404, 403, 409 for a lost attempt or one that ended long ago, 422, 429. Definer: entries are written by functions only.
create function private.append_job_output(p_job_id uuid, p_attempt integer, p_entries jsonb)
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
    perform private.refuse(409, format('Attempt %s ended more than ten minutes ago and takes no more output. Ask for the next job.', p_attempt));
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

grant execute on function private.append_job_output to authenticated;

create function public.append_job_output(p_job_id uuid, p_attempt integer, p_entries jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.append_job_output(p_job_id, p_attempt, p_entries);
end;
$$;

comment on function public.append_job_output is 'Adds entries to the output of an attempt (docs/agents.md).';

grant execute on function public.append_job_output to authenticated;
