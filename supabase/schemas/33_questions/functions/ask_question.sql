-- Why: an agent asks a person. With job and attempt the question is linked to its job; with p_park the job waits for the
-- answer without a worker. Refusals: 404, 403, 429, 409 for a lost attempt, 422.
-- Definer: questions are written by functions only.
create function private.ask_question(
  p_question text, p_story_id uuid, p_idea_id uuid, p_task_id uuid, p_options jsonb, p_recommended_option integer,
  p_assignee_id uuid, p_expires_in_seconds integer, p_on_expiry text, p_escalate_to uuid,
  p_park boolean, p_job_id uuid, p_attempt integer)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_target record;
  v_on_expiry text := coalesce(private.require_choice('on_expiry', p_on_expiry, array['STOP', 'RECOMMENDED', 'ESCALATE']), 'STOP');
  v_options jsonb;
  v_job public.agent_jobs;
  v_question public.agent_questions;
begin
  v_target := private.question_target(p_story_id, p_idea_id, p_task_id);
  perform private.lock_product(v_target.p_product);
  perform private.require_product_write(v_target.p_product);
  perform private.take_rate_limit('question', auth.uid()::text);
  v_options := private.check_question(p_question, p_options, p_recommended_option, p_expires_in_seconds, v_on_expiry,
    p_escalate_to, v_target.p_product);
  if p_assignee_id is not null and not exists (
    select from public.product_members m where m.product_id = v_target.p_product and m.user_id = p_assignee_id
  ) then
    perform private.refuse(422, 'assignee_id must be a member of the product.');
  end if;
  if p_park and p_job_id is null then
    perform private.refuse(422, 'park needs the job_id and attempt that wait for the answer.');
  end if;
  if p_job_id is not null then
    v_job := private.hold_job(p_job_id, p_attempt);
    if v_job.product_id <> v_target.p_product then
      perform private.refuse(422, 'The job belongs to another product than the question. Ask about what its own product holds.');
    end if;
  end if;

  insert into public.agent_questions (product_id, story_id, idea_id, task_id, assignee_id, job_id, sprint_run_id, asked_by,
    question, options, recommended_option, expires_at, on_expiry, escalate_to, park)
  values (v_target.p_product, v_target.p_story, p_idea_id, p_task_id, p_assignee_id, v_job.id, v_job.sprint_run_id, auth.uid(),
    p_question, v_options, p_recommended_option,
    private.now() + make_interval(secs => coalesce(p_expires_in_seconds, 604800)),
    v_on_expiry::public.question_expiry, p_escalate_to, coalesce(p_park, false))
  returning * into v_question;
  if v_question.park then
    perform private.park_job(v_job, v_question.id);
  end if;
  return private.question_json(v_question);
end;
$$;

grant execute on function private.ask_question to authenticated;

create function public.ask_question(
  p_question text, p_story_id uuid default null, p_idea_id uuid default null, p_task_id uuid default null,
  p_options jsonb default null, p_recommended_option integer default null, p_assignee_id uuid default null,
  p_expires_in_seconds integer default null, p_on_expiry text default null, p_escalate_to uuid default null,
  p_park boolean default false, p_job_id uuid default null, p_attempt integer default null)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  return private.ask_question(p_question, p_story_id, p_idea_id, p_task_id, p_options, p_recommended_option, p_assignee_id,
    p_expires_in_seconds, p_on_expiry, p_escalate_to, p_park, p_job_id, p_attempt);
end;
$$;

comment on function public.ask_question is '(none) to open: an agent asks a user (specification: Agent question).';

grant execute on function public.ask_question to authenticated;
