-- Why: what the jobs of a run are shown as, in order: work that waits for a review is not waiting for a worker.
create function private.job_states(p_sprint_run_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(case when j.status = 'QUEUED' and j.phase = 'review' then 'REVIEW' else j.status::text end order by j.position, j.id), '[]')
    from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id);
end;
$$;

comment on function private.job_states is 'The states of a run''s jobs as people see them.';

grant execute on function private.job_states to authenticated;
