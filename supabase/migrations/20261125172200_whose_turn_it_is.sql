-- Why: a job that waits for others of its branch names the one whose turn it is, for whoever asks why it does not move.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.job_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_reasons jsonb := '[]';
  v_run public.sprint_runs;
  v_question public.agent_questions;
  v_first public.agent_jobs;
  v_worker record;
  v_pbi record;
begin
  if not private.may_read_talk(p_job) then
    p_job.failure_reason := null;
  end if;
  if p_job.status in ('DONE', 'SKIPPED', 'CANCELLED', 'FAILED') then
    return jsonb_build_array(jsonb_build_object(
      'code', case when p_job.status = 'FAILED' and p_job.failure_class = 'infrastructure' and p_job.retry_count >= 3
        then 'budget' else 'finished' end,
      'message', format('The job is %s%s', lower(p_job.status::text), coalesce(': ' || p_job.failure_reason, '.')),
      'failure_class', p_job.failure_class, 'finished_at', p_job.finished_at));
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    select w.name, w.last_seen_at into v_worker from public.agent_workers w where w.id = p_job.worker_id;
    return jsonb_build_array(jsonb_build_object('code', 'lease',
      'message', format('Worker %s holds the job until %s (attempt %s%s).', coalesce(v_worker.name, 'unknown'),
        to_char(p_job.lease_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), p_job.attempt,
        case when p_job.lease_until <= v_now then '; the lease has expired, so the job returns to the queue within seconds' else '' end),
      'worker_id', p_job.worker_id, 'worker_name', v_worker.name, 'lease_until', p_job.lease_until, 'last_seen_at', v_worker.last_seen_at));
  end if;

  if p_job.phase = 'review' and (select p.done_requires = 'ci' from public.products p where p.id = p_job.product_id) then
    return jsonb_build_array(jsonb_build_object('code', 'ci', 'message', coalesce((
        select format('The work is done and waiting for CI of pull request #%s.', p.number) from public.pulls p
        where p.product_id = p_job.product_id and p.branch = p_job.branch and p.state = 'open' order by p.number desc limit 1),
        'The work is done and waiting for CI, but no pull request of its branch is known. Start a worker with --pr, or approve the work yourself.'),
      'task_id', p_job.task_id));
  end if;
  if p_job.phase = 'review' then
    return jsonb_build_array(jsonb_build_object('code', 'review',
      'message', 'The work is done and waiting for a person to review it.', 'task_id', p_job.task_id));
  end if;

  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  if v_run.status = 'PAUSED' then
    v_reasons := v_reasons || jsonb_build_object('code', 'paused',
      'message', format('The run is paused (%s). Resume it when it can continue.', replace(v_run.pause_context ->> 'reason', '_', ' ')),
      'sprint_run_id', v_run.id, 'pause_context', v_run.pause_context, 'question_id', v_run.pause_question_id);
  end if;
  select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
  if v_question.status = 'OPEN' and not (v_question.on_expiry = 'RECOMMENDED' and v_question.expires_at <= v_now) then
    v_reasons := v_reasons || jsonb_build_object('code', 'question',
      'message', case
        when v_question.expires_at <= v_now then 'The question it is waiting for was not answered in time'
        when v_question.kind = 'permission' then format('It is waiting for a permission that only %s can give', private.username(v_question.reader_id))
        else 'It is waiting for the answer to a question' end
        || case when private.may_read_talk(p_job) and (v_question.reader_id is null or v_question.reader_id = auth.uid())
          then ': ' || left(v_question.question, 300) else '.' end,
      'question_id', v_question.id, 'assignee_id', v_question.assignee_id, 'expires_at', v_question.expires_at);
  end if;
  if p_job.not_before > v_now then
    v_reasons := v_reasons || jsonb_build_object('code', 'not_before',
      'message', format('It is rate-limited until %s.', to_char(p_job.not_before at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
      'not_before', p_job.not_before);
  end if;
  if p_job.open_blockers > 0 then
    v_reasons := v_reasons || private.job_dependency_reasons(p_job);
  end if;
  v_reasons := v_reasons || private.budget_reasons(p_job);
  if not p_job.in_turn then
    select j.* into v_first from public.agent_jobs j
    where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.in_turn desc, j.position limit 1;
    v_reasons := v_reasons || jsonb_build_object('code', 'order',
      'message', format('Jobs on branch %s run one after another; task %s comes first and is %s.', p_job.branch,
        (select t.code from public.tasks t where t.id = v_first.task_id), lower(v_first.status::text)),
      'job_id', v_first.id, 'task_id', v_first.task_id);
  end if;
  select b.id, b.code into v_pbi
  from public.tasks t join public.stories s on s.id = t.story_id join public.pbis b on b.id = s.pbi_id
  where t.id = p_job.task_id and b.status = 'BLOCKED';
  if found then
    v_reasons := v_reasons || jsonb_build_object('code', 'blocked', 'blocking', false,
      'message', format('PBI %s was blocked after the run started; the job can still be claimed.', v_pbi.code), 'pbi_id', v_pbi.id);
  end if;
  if exists (select from public.products p where p.id = p_job.product_id and p.archived_at is not null) then
    v_reasons := v_reasons || jsonb_build_object('code', 'archived', 'message', 'The product is archived.');
  end if;
  v_reasons := v_reasons || private.worker_reasons(p_job);
  if v_reasons = '[]' then
    v_reasons := jsonb_build_array(jsonb_build_object('code', 'ready', 'message', 'Ready. The next free worker takes it. A worker that was started with --product takes jobs of that product only.'));
  end if;
  return v_reasons;
end;
$function$;
