-- Why: until when a job waits for a limit. A time that is over or less than a minute ahead, or none, would begin a model
-- call after model call: then it waits 1, 2, 4 minutes and so on up to an hour. No limit lasts more than 31 days. A
-- paused run waits for its person anyway.
create function private.pause_until(p_resets_at timestamptz, p_attempt integer, p_run_id uuid)
returns timestamptz
language plpgsql
stable
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
begin
  if p_resets_at >= v_now + interval '1 minute' then
    return least(p_resets_at, v_now + interval '31 days');
  end if;
  if exists (select from public.sprint_runs r where r.id = p_run_id and r.status = 'PAUSED') then
    return v_now;
  end if;
  return v_now + least(60, 2 ^ least(p_attempt - 1, 6)) * interval '1 minute';
end;
$$;

comment on function private.pause_until is 'The end of a rate limit for a job (specification: Agent job, not_before).';
