-- Why: a question about a failed task ends the reason with a full stop and says what each choice does; a task is not said to wait for itself.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.ask_about_failure(p_job public.agent_jobs, p_reason text)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_question_id uuid;
begin
  if p_job.kind <> 'TASK_IMPLEMENTATION' or not private.is_run_unfinished(p_job.sprint_run_id)
    or (select p.on_failure from public.products p where p.id = p_job.product_id) = 'stop'
  then
    return null;
  end if;
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, asked_by, failed_attempt, question, options, park)
  select p_job.product_id, t.story_id, t.id, p_job.id, p_job.sprint_run_id, p_job.created_by, p_job.attempt,
    left(format('%s has failed in attempt %s: %s. What should happen next?', t.code, p_job.attempt, rtrim(p_reason, E'. \n')), 4000),
    jsonb_build_array(
      jsonb_build_object('label', 'Try again', 'description', 'A new attempt begins. To tell it something, write an answer instead.'),
      jsonb_build_object('label', 'Skip it and what it blocks', 'description', 'It and the tasks it blocks return to To do; the run goes on without them.'),
      jsonb_build_object('label', 'Stop the run', 'description', 'The task fails, and with it its story, PBI, sprint and run.')), true
  from public.tasks t where t.id = p_job.task_id
  returning id into v_question_id;
  return v_question_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.gate_reasons(p_job public.agent_jobs, p_gate text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_question public.agent_questions;
  v_first public.agent_jobs;
begin
  case p_gate
  when 'review' then
    return private.review_reasons(p_job);
  when 'plan' then
    return private.plan_reasons(p_job);
  when 'paused' then
    select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
    return jsonb_build_array(jsonb_build_object('code', 'paused',
      'message', format('The run is paused (%s). Resume it when it can continue.', replace(v_run.pause_context ->> 'reason', '_', ' ')),
      'sprint_run_id', v_run.id, 'pause_context', v_run.pause_context, 'question_id', v_run.pause_question_id));
  when 'question' then
    select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
    return jsonb_build_array(jsonb_build_object('code', 'question',
      'message', case
        when v_question.expires_at <= private.now() then 'The question it is waiting for was not answered in time'
        when v_question.kind = 'permission' then format('It is waiting for a permission that only %s can give', private.username(v_question.reader_id))
        else 'It is waiting for the answer to a question' end
        || case when private.may_read_talk(p_job) and (v_question.reader_id is null or v_question.reader_id = auth.uid())
          then ': ' || left(v_question.question, 300) else '.' end,
      'question_id', v_question.id, 'assignee_id', v_question.assignee_id, 'expires_at', v_question.expires_at));
  when 'not_before' then
    return jsonb_build_array(jsonb_build_object('code', 'not_before',
      'message', format(case p_job.failure_class when 'rate_limited' then 'It is rate-limited until %s.'
        else 'Its last attempt failed; it can be tried again at %s.' end, private.time_text(p_job.not_before)),
      'not_before', p_job.not_before));
  when 'dependency' then
    return private.job_dependency_reasons(p_job);
  when 'order' then
    select j.* into v_first from public.agent_jobs j
    where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.in_turn desc, j.position limit 1;
    -- It waits for an answer first, and then takes its turn.
    if v_first.id = p_job.id then
      return '[]';
    end if;
    return jsonb_build_array(jsonb_build_object('code', 'order',
      'message', format('Jobs on branch %s run one after another; task %s comes first and is %s.', p_job.branch,
        (select t.code from public.tasks t where t.id = v_first.task_id), lower(v_first.status::text)),
      'job_id', v_first.id, 'task_id', v_first.task_id));
  when 'archived' then
    return jsonb_build_array(jsonb_build_object('code', 'archived', 'message', 'The product is archived.'));
  end case;
end;
$function$;
