-- Why: what follows when nobody answered in time, never a silent yes. STOP: the job that waits does not go on by itself; its
-- run is paused for a person, or, without a run, the job fails. RECOMMENDED: the job goes on, told that the option was taken
-- by policy. ESCALATE: the question is asked again, to the member named for it, with a week of time and STOP after that.
-- Called under the product lock for a question that was just written down as expired.
create function private.carry_out_expiry(p_question public.agent_questions)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job public.agent_jobs;
  v_run public.sprint_runs;
  v_next_id uuid;
begin
  select j.* into v_job from public.agent_jobs j where j.parked_question_id = p_question.id and j.status = 'QUEUED';

  if p_question.on_expiry = 'ESCALATE' and p_question.escalate_to is not null and (v_job.id is not null or not p_question.park) then
    insert into public.agent_questions (product_id, story_id, idea_id, task_id, assignee_id, job_id, sprint_run_id, asked_by,
      question, options, recommended_option, expires_at, park)
    values (p_question.product_id, p_question.story_id, p_question.idea_id, p_question.task_id, p_question.escalate_to,
      p_question.job_id, p_question.sprint_run_id, p_question.asked_by, p_question.question, p_question.options,
      p_question.recommended_option, private.now() + interval '7 days', p_question.park)
    returning id into v_next_id;
    update public.agent_jobs j set parked_question_id = v_next_id where j.id = v_job.id;
    return;
  end if;
  if v_job.id is null then
    return;
  end if;
  if p_question.on_expiry = 'RECOMMENDED' then
    perform private.unpark_job(p_question);
    return;
  end if;

  select r.* into v_run from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status in ('QUEUED', 'RUNNING');
  if v_run.id is not null then
    perform private.pause_run(v_run, 'question_expired', null, null, v_job.id);
  elsif v_job.sprint_run_id is null then
    update public.agent_jobs j
    set status = 'FAILED', failure_class = 'agent_error', failure_reason = 'Its question was not answered in time.'
    where j.id = v_job.id;
  end if;
end;
$$;

comment on function private.carry_out_expiry is
  'STOP, RECOMMENDED or ESCALATE after an expiry (specification: Agent question).';
