-- Why: the owning task goes back to work with both versions, first of all that wait, in the session of its agent; no retry is counted. With
-- p_pause its run waits for a person, who is told the pair and the files. Called under the product lock.
create function private.send_conflict_home(p_job public.agent_jobs, p_rival public.agent_jobs, p_conflict jsonb, p_pause boolean)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_run public.sprint_runs;
begin
  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id for update;
  if p_pause and v_run.status in ('QUEUED', 'RUNNING') then
    perform private.pause_run(v_run, 'merge_conflict', coalesce(p_conflict ->> 'pr_url', p_job.pr_url),
      (select jsonb_agg(f -> 'path') from jsonb_array_elements(p_conflict -> 'files') f), p_job.id,
      array(select t.code from public.tasks t where t.id in (p_job.task_id, p_rival.task_id) order by (t.id = p_job.task_id) desc));
  end if;
  update public.agent_jobs j
  set status = 'QUEUED', claim_rank = 0, failure_class = null, failure_reason = null, parked_question_id = null, lease_until = null
  where j.id = p_job.id;
end;
$$;

comment on function private.send_conflict_home is 'A held job back to the queue because its work does not merge (specification: Agent job; Sprint run, pause).';
