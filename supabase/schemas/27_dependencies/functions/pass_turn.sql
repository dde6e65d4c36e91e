-- Why: the jobs of a branch queue run one after another, but one that is blocked elsewhere must not hold up unblocked
-- jobs behind it. Only a job that never began passes its turn on, because one that began has work on the branch; except
-- when its blocker is in the same queue, or nothing would ever begin. A job in review has no turn to pass on, and while
-- a job of the queue is held nobody gets one: its end brings the next.
create function private.pass_turn(p_sprint_run_id uuid, p_lane_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_next_id uuid;
begin
  select n.id into v_next_id
  from public.agent_jobs n
  where n.sprint_run_id = p_sprint_run_id and n.lane_id = p_lane_id
    and n.status = 'QUEUED' and not n.in_turn and n.open_blockers = 0 and n.phase <> 'review'
  order by n.position
  limit 1;
  if v_next_id is null then
    return;
  end if;

  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = p_sprint_run_id and j.lane_id = p_lane_id
    and j.in_turn and j.status = 'QUEUED' and j.phase <> 'review' and j.open_blockers > 0
    and (j.attempt = 0 or exists (
      select from private.task_blockers b
      join public.tasks t on b.blocker_id in (t.id, t.story_id)
      join public.agent_jobs w on w.task_id = t.id and w.sprint_run_id = j.sprint_run_id and w.lane_id = j.lane_id
      where b.task_id = j.task_id and not b.resolved and w.status = 'QUEUED'));
  if found and not private.is_lane_held(p_sprint_run_id, p_lane_id) then
    update public.agent_jobs j set in_turn = true where j.id = v_next_id;
  end if;
end;
$$;

comment on function private.pass_turn is 'Lets a lane go on with a job that waits for nothing (specification: Agent job).';
