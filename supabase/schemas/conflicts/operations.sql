-- An attempt reports that its work does not merge with its own branch, main or another branch of its run. Returns what
-- follows: `go_on` (the other job resolves it, or no one needs to), `home` (the job is requeued first, without counting
-- a retry) or `paused` (after two failed tries; the run waits for a person). Other jobs continue. Refusals: 404, 403,
-- 409 for a lost attempt, 422, 429. Definer: jobs and runs are written by functions (docs/dependencies.md).
create function operations.report_job_conflict(p_job_id uuid, p_attempt integer, p_conflict jsonb)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.hold_job(p_job_id, p_attempt);
  v_kind text := lower(private.require_choice('kind', p_conflict ->> 'kind', array['BRANCH', 'BASE', 'SIBLING']));
  v_branch text := coalesce(p_conflict ->> 'branch', '');
  v_rival public.agent_jobs;
  v_decision text;
begin
  if v_job.kind = 'PLAN_CHAT' or v_job.sprint_run_id is null then
    perform private.refuse(422, 'Only work of a run can be in conflict. Report this job as failed instead.');
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
    perform private.return_conflict(v_job, v_rival, p_conflict, v_decision = 'paused');
  end if;
  return json_build_object('decision', case v_decision when 'noted' then 'go_on' else v_decision end,
    'task_id', v_rival.task_id, 'task_code', (select t.code from public.tasks t where t.id = v_rival.task_id));
end;
$$;
grant execute on function operations.report_job_conflict to authenticated;
comment on function operations.report_job_conflict is 'scope work';

-- Finds the job behind the commits a worker met on a branch of the run: the job that ended with that commit, otherwise
-- an unfinished one with work on the branch, otherwise the last finished one.
create function private.conflict_rival(p_job public.agent_jobs, p_branch text, p_theirs_sha text)
returns public.agent_jobs language plpgsql stable set search_path = '' as $$
declare
  v_rival public.agent_jobs;
begin
  select j.* into v_rival
  from public.agent_jobs j
  where j.sprint_run_id = p_job.sprint_run_id and j.branch = p_branch and j.id <> p_job.id and j.attempt > 0
    and j.status in ('QUEUED', 'CLAIMED', 'RUNNING', 'DONE')
  order by (j.status = 'DONE' and j.head_sha is not distinct from p_theirs_sha) desc, (j.status <> 'DONE') desc, j.finished_at desc, j.id
  limit 1;
  if v_rival.id is null then
    select j.* into v_rival
    from public.agent_jobs j
    where j.product_id = p_job.product_id and j.branch = p_branch and j.sprint_run_id <> p_job.sprint_run_id and j.finished_at is not null
    order by (j.head_sha is not distinct from p_theirs_sha) desc, j.finished_at desc, j.id
    limit 1;
  end if;
  return v_rival;
end;
$$;

-- Of two tasks that do not merge exactly one resolves it, even in a race: the one that ends later. Workers push before
-- they check, so one sees the other. A job that was not verified yet in its attempt, or is queued with partial work on
-- its branch, checks again at its own end: its next claim reports it, and the reporting job continues. Otherwise the
-- reporting job takes it; after two failed tries a person is asked. Under the product lock (docs/dependencies.md).
create function private.decide_conflict(
  p_job public.agent_jobs, p_kind text, p_branch text, p_rival public.agent_jobs, p_in_vain boolean
) returns text language plpgsql stable set search_path = '' as $$
declare
  v_tries bigint;
begin
  if p_kind = 'sibling' and not p_in_vain then
    if p_rival.id is null then
      return 'go_on';
    end if;
    if p_rival.finished_at is null and p_rival.phase = 'implement' and (p_rival.status = 'QUEUED' or p_rival.verify_result is null) then
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

-- The task that must resolve the conflict returns to work with both versions, first in the queue, in its agent's
-- session; no retry is counted. With p_pause its run waits for a person, who gets the two tasks and the files. Called
-- under the product lock (specification: Agent job; Sprint run, pause).
create function private.return_conflict(
  p_job public.agent_jobs, p_rival public.agent_jobs, p_conflict jsonb, p_pause boolean
) returns void language plpgsql volatile set search_path = '' as $$
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
