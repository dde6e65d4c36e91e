-- Why: whether a worker is at work in a branch queue.
create function private.is_lane_held(p_sprint_run_id uuid, p_lane_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select from public.agent_jobs h
    where h.sprint_run_id = p_sprint_run_id and h.lane_id = p_lane_id and h.status in ('CLAIMED', 'RUNNING'));
end;
$$;

comment on function private.is_lane_held is 'Whether a job of a lane is held (specification: Agent job).';
