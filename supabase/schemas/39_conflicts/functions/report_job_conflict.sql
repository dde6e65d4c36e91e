-- Why: an attempt says that its work does not merge with its own branch, the main branch or another branch of its run. The answer says what
-- follows: `go_on` (the other one mends it, or nobody has to), `home` (the job went back to the queue, first of all that
-- wait, no retry counted) or `paused` (two tries were in vain; the run waits for a person and names tasks and files). Other jobs go on.
-- Refusals: 404, 403, 409 for a lost attempt, 422, 429. Definer: jobs and runs are written by functions only.
create function private.report_job_conflict(p_job_id uuid, p_attempt integer, p_conflict jsonb)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.hold_job(p_job_id, p_attempt);
  v_kind text := lower(private.require_choice('kind', p_conflict ->> 'kind', array['BRANCH', 'BASE', 'SIBLING']));
  v_branch text := coalesce(p_conflict ->> 'branch', '');
  v_rival public.agent_jobs;
  v_decision text;
begin
  if v_job.kind = 'PLAN_CHAT' or v_job.sprint_run_id is null then
    perform private.refuse(422, 'Only work of a run can be in conflict.');
  end if;
  perform private.take_rate_limit('job_conflict', p_job_id::text);
  perform private.require_link('pr_url', p_conflict ->> 'pr_url');
  if v_kind = 'sibling' then
    v_rival := private.conflict_rival(v_job, v_branch, p_conflict ->> 'theirs_sha');
  end if;
  v_decision := private.decide_conflict(v_job, v_kind, v_branch, v_rival,
    coalesce((p_conflict ->> 'in_vain')::boolean, false));

  if v_decision = 'noted' then
    perform private.note_conflict(v_rival, v_job, p_conflict || jsonb_build_object('branch', v_job.branch,
      'ours_sha', p_conflict -> 'theirs_sha', 'theirs_sha', p_conflict -> 'ours_sha',
      'files', (select jsonb_agg(f || jsonb_build_object('ours', f -> 'theirs', 'theirs', f -> 'ours'))
        from jsonb_array_elements(p_conflict -> 'files') f)), 'noted');
  elsif v_decision <> 'go_on' then
    perform private.note_conflict(v_job, v_rival, p_conflict, v_decision);
    perform private.note_attempt(v_job, jsonb_populate_record(null::private.job_report, p_conflict));
    perform private.send_conflict_home(v_job, v_rival, p_conflict, v_decision = 'paused');
  end if;
  return json_build_object('decision', case v_decision when 'noted' then 'go_on' else v_decision end,
    'task_id', v_rival.task_id, 'task_code', (select t.code from public.tasks t where t.id = v_rival.task_id));
end;
$$;

grant execute on function private.report_job_conflict to authenticated;

create function public.report_job_conflict(p_job_id uuid, p_attempt integer, p_conflict jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.report_job_conflict(p_job_id, p_attempt, p_conflict);
end;
$$;

comment on function public.report_job_conflict is 'Work that does not merge goes back to whoever can mend it (docs/dependencies.md).';

grant execute on function public.report_job_conflict to authenticated;
