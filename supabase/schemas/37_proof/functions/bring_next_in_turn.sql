-- Why: jobs that share a branch run one after another; one that waits for a person does not hold up the others. A job
-- that returns from a review waits until the one at work has ended. Blocked jobs let unblocked ones go first. Under a
-- shared product lock somebody may release a job at this moment, so if all seem blocked the run is locked and checked
-- again. Returns whether the branch queue has an unfinished job.
create function private.bring_next_in_turn(p_sprint_run_id uuid, p_lane_id uuid)
returns boolean
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_next record;
begin
  for v_look in 1 .. 2 loop
    select n.id, n.in_turn, n.open_blockers, n.attempt > 0 as comes_back, n.status = 'QUEUED' and n.attempt = 0 and n.open_blockers > 0 as waits into v_next
    from public.agent_jobs n
    where n.sprint_run_id = p_sprint_run_id and n.lane_id = p_lane_id and n.status in ('QUEUED', 'CLAIMED', 'RUNNING')
      and not (n.status = 'QUEUED' and n.phase = 'review')
    order by n.in_turn desc, n.status = 'QUEUED' and n.attempt = 0 and n.open_blockers > 0, n.position
    limit 1;
    exit when v_next.id is null or v_next.in_turn or not v_next.waits;
    perform private.lock_part('run', p_sprint_run_id);
  end loop;
  if v_next.id is null then
    return exists (
      select from public.agent_jobs w
      where w.sprint_run_id = p_sprint_run_id and w.lane_id = p_lane_id and w.status in ('QUEUED', 'CLAIMED', 'RUNNING'));
  end if;
  if not v_next.in_turn and not (v_next.comes_back and private.is_lane_held(p_sprint_run_id, p_lane_id)) then
    update public.agent_jobs j set in_turn = true where j.id = v_next.id;
    if v_next.open_blockers > 0 then
      perform private.pass_turn(p_sprint_run_id, p_lane_id);
    end if;
  end if;
  return true;
end;
$$;

comment on function private.bring_next_in_turn is 'The next job of a lane is in turn (specification: Agent job; docs/proof.md).';
