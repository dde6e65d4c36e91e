-- Why: of two tasks that do not merge exactly one mends it, whatever races: the one that ends later. Each worker pushes before it looks, so
-- at least one of them sees the other. One that was not verified yet in its attempt, or waits in the queue with half its work on its branch,
-- looks again at its own end: it is told with its next claim, and the one that asks goes on. Else the one that asks takes it home; after two
-- tries in vain a person is asked. Called under the product lock.
create function private.decide_conflict(p_job public.agent_jobs, p_kind text, p_branch text, p_rival public.agent_jobs, p_in_vain boolean)
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  v_tries bigint;
begin
  if p_kind = 'sibling' and not p_in_vain then
    if p_rival.id is null then
      return 'go_on';
    end if;
    if p_rival.status <> 'DONE' and p_rival.phase = 'implement' and (p_rival.status = 'QUEUED' or p_rival.verify_result is null) then
      return 'noted';
    end if;
  end if;

  select count(*) into v_tries
  from public.job_conflicts c
  where c.job_id = p_job.id and c.kind = p_kind and c.branch = p_branch and c.decision = 'home'
    and not exists (
      select from public.job_conflicts l where l.job_id = c.job_id and l.decision = 'paused' and l.created_at >= c.created_at);
  return case when v_tries < 2 then 'home' else 'paused' end;
end;
$$;

comment on function private.decide_conflict is 'home, paused, noted (the other one mends) or go_on (docs/dependencies.md).';
