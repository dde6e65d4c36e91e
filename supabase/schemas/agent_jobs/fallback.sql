-- The agent that takes over what an attempt leaves: the first of the product's list that has not tried this job.
-- With a time, only if the job would wait for it longer than fallback_after. Null where the list is through, and for who
-- only looks at the work of another. Called under the product lock, before the job changes (docs/worker.md).
create function private.next_agent(p_job public.agent_jobs, p_until timestamptz)
returns text language plpgsql stable set search_path = '' as $$
begin
  return (
    select f.agent
    from public.products p
    cross join lateral jsonb_array_elements_text(p.fallback) with ordinality f (agent, place)
    where p.id = p_job.product_id and p_job.phase = 'implement' and f.agent is distinct from p_job.agent
      and coalesce(p_until > private.now() + p.fallback_after * interval '1 minute', true)
      and not exists (select from public.job_attempts a where a.job_id = p_job.id and a.agent = f.agent)
    order by f.place
    limit 1);
end;
$$;

-- Until when a job waits for a limit. A time that is over or less than a minute ahead, or none, would begin a model
-- call after model call: then it waits 1, 2, 4 minutes and so on up to an hour. No limit lasts more than 31 days. A
-- paused run waits for its person anyway (docs/worker.md).
create function private.pause_until(p_resets_at timestamptz, p_attempt integer, p_run_id uuid)
returns timestamptz language plpgsql stable set search_path = '' as $$
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
