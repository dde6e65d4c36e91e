-- What all tabs of the job page show in one read: the job, its run, and why it does not move until it has ended.
create function operations.get_job_page(p_job_id uuid) returns json language plpgsql stable set search_path = '' as $$
declare
  v_job json := operations.get_agent_job(p_job_id);
  v_run uuid := v_job ->> 'sprint_run_id';
begin
  return json_build_object(
    'job', v_job,
    'run', case when v_run is not null then operations.get_sprint_run(v_run) end,
    'why', case when v_job ->> 'finished_at' is null then operations.why_not_moving('job', p_job_id) end);
end;
$$;
grant execute on function operations.get_job_page to authenticated;
