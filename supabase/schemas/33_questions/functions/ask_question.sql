-- Why: an agent asks a person. With job and attempt the question is linked to its job; with p_park the job waits for
-- the answer without a worker. A permission, or a question about an idea, is for the caller alone. Refusals: 404, 403,
-- 429, 409 for a lost attempt, 422.
-- Definer: questions are written by functions only.
create function operations.ask_question(
  p_question text, p_story_id uuid default null, p_idea_id uuid default null, p_task_id uuid default null,
  p_options jsonb default null, p_recommended_option integer default null, p_assignee_id uuid default null,
  p_expires_in_seconds integer default null, p_on_expiry text default null, p_escalate_to uuid default null,
  p_park boolean default false, p_job_id uuid default null, p_attempt integer default null,
  p_kind text default null, p_reach text default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_target record;
  v_on_expiry text := coalesce(private.require_choice('on_expiry', p_on_expiry, array['STOP', 'RECOMMENDED', 'ESCALATE']), 'STOP');
  v_kind public.question_kind := lower(coalesce(private.require_choice('kind', p_kind, array['QUESTION', 'PERMISSION']), 'QUESTION'))::public.question_kind;
  v_reader_id uuid := case when p_idea_id is not null or v_kind = 'permission' then auth.uid() end;
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
    select from public.product_members m where m.product_id = v_target.p_product and m.user_id = p_assignee_id and m.role <> 'VIEWER'
  ) then
    perform private.refuse(422, 'assignee_id must be a member of the product.');
  end if;
  perform private.check_private_question(v_kind, v_reader_id, p_assignee_id, p_escalate_to, v_on_expiry, p_reach);
  if p_park and p_job_id is null then
    perform private.refuse(422, 'park needs the job_id and attempt that wait for the answer.');
  end if;
  if p_job_id is not null then
    v_job := private.hold_job(p_job_id, p_attempt);
    if v_job.product_id <> v_target.p_product then
      perform private.refuse(422, 'The question must be about the product of the job.');
    end if;
  end if;

  insert into public.agent_questions (product_id, story_id, idea_id, task_id, assignee_id, job_id, sprint_run_id, asked_by,
    kind, reader_id, reach, question, options, recommended_option, expires_at, on_expiry, escalate_to, park)
  values (v_target.p_product, v_target.p_story, p_idea_id, p_task_id, p_assignee_id, v_job.id, v_job.sprint_run_id, auth.uid(),
    v_kind, v_reader_id, p_reach, p_question, v_options, p_recommended_option,
    private.now() + make_interval(secs => coalesce(p_expires_in_seconds, 604800)),
    v_on_expiry::public.question_expiry, p_escalate_to, coalesce(p_park, false))
  returning * into v_question;
  if v_question.park then
    perform private.park_job(v_job, v_question.id);
  end if;
  return private.question_json(v_question);
end;
$$;

comment on function operations.ask_question is '(none) to open: an agent asks a user (specification: Agent question).';
grant execute on function operations.ask_question to authenticated;

-- Why: a question that only one person may answer cannot be assigned to another, and an expired one never grants a
-- permission.
create function private.check_private_question(
  p_kind public.question_kind, p_reader_id uuid, p_assignee_id uuid, p_escalate_to uuid, p_on_expiry text, p_reach text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_reader_id is not null and (p_assignee_id <> p_reader_id or p_escalate_to <> p_reader_id) then
    perform private.refuse(422, 'Only you can answer this question. Leave assignee_id and escalate_to out.');
  end if;
  if p_kind = 'permission' and p_on_expiry <> 'STOP' then
    perform private.refuse(422, 'Only a person can give a permission. Leave on_expiry out.');
  end if;
  if p_reach is not null and (p_kind <> 'permission' or not private.is_host(p_reach)) then
    perform private.refuse(422, 'reach belongs to a permission and names one host, such as "pypi.org:443".');
  end if;
end;
$$;

comment on function private.check_private_question is
  'Refuses what a question for one person cannot be (specification: Agent question).';

-- Why: checks a question, with messages: text, at most 8 options with a label each, a recommended one among them, an
-- expiry from 1 minute to 30 days, a policy that can be applied. Returns the options in one form.
create function private.check_question(
  p_question text, p_options jsonb, p_recommended_option integer, p_expires_in_seconds integer,
  p_on_expiry text, p_escalate_to uuid, p_product_id uuid)
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_options jsonb;
begin
  if coalesce(char_length(p_question), 0) not between 1 and 4000 or p_question !~ '\S' then
    perform private.refuse(422, 'question takes 1 to 4000 characters.');
  end if;
  if jsonb_typeof(coalesce(p_options, '[]')) <> 'array' or jsonb_array_length(coalesce(p_options, '[]')) > 8 then
    perform private.refuse(422, 'options must be a list of at most 8, each { label, description? }.');
  end if;
  select coalesce(jsonb_agg(case jsonb_typeof(o.value)
      when 'string' then jsonb_build_object('label', o.value)
      else jsonb_strip_nulls(jsonb_build_object('label', o.value -> 'label', 'description', o.value -> 'description')) end
    order by o.ordinality), '[]')
  into v_options
  from jsonb_array_elements(coalesce(p_options, '[]')) with ordinality o;
  if exists (
    select from jsonb_array_elements(v_options) o
    where coalesce(char_length(o ->> 'label'), 0) not between 1 and 200 or coalesce(char_length(o ->> 'description'), 0) > 1000
  ) then
    perform private.refuse(422, 'Each option needs a label of 1 to 200 characters; its description takes at most 1000.');
  end if;
  if p_recommended_option not between 0 and jsonb_array_length(v_options) - 1 then
    perform private.refuse(422, 'recommended_option is the index of an option, from 0.');
  end if;
  if p_expires_in_seconds not between 60 and 2592000 then
    perform private.refuse(422, 'A question expires after 1 minute at the earliest and 30 days at the latest (expires_in_seconds 60 to 2592000).');
  end if;
  if p_on_expiry = 'RECOMMENDED' and p_recommended_option is null then
    perform private.refuse(422, 'on_expiry RECOMMENDED needs a recommended_option.');
  end if;
  if (p_on_expiry = 'ESCALATE') <> (p_escalate_to is not null) then
    perform private.refuse(422, 'on_expiry ESCALATE and escalate_to belong together.');
  end if;
  if p_escalate_to is not null and not exists (
    select from public.product_members m where m.product_id = p_product_id and m.user_id = p_escalate_to and m.role <> 'VIEWER'
  ) then
    perform private.refuse(422, 'escalate_to must be a member of the product.');
  end if;
  return v_options;
end;
$$;

comment on function private.check_question is 'Refuses what a question cannot be (specification: Agent question).';

-- Why: a job that waits for a person frees its worker: requeued, not claimable while the question is open, and first
-- once it is answered. No retry is counted. Called under the product lock.
create function private.park_job(p_job public.agent_jobs, p_question_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.agent_jobs j
  set status = 'QUEUED', parked_question_id = p_question_id, failure_class = null, failure_reason = null
  where j.id = p_job.id;
end;
$$;

comment on function private.park_job is
  'A job waits for an answer without a worker (specification: Agent job; Agent question).';

-- Why: a question belongs to exactly one of story and idea; one about a task belongs to the task's story. Returns the
-- story; refuses both, neither, and a task of another story. Checks access: 404, then 403.
create function private.question_target(
  p_story_id uuid, p_idea_id uuid, p_task_id uuid, out p_story uuid, out p_product uuid)
language plpgsql
volatile
set search_path = ''
as $$
begin
  p_story := p_story_id;
  if p_task_id is not null then
    perform private.require_access('task', p_task_id);
    p_story := coalesce(p_story_id, (select t.story_id from public.tasks t where t.id = p_task_id));
  end if;
  if num_nonnulls(p_story, p_idea_id) <> 1 then
    perform private.refuse(422, 'A question is bound to exactly one of story_id and idea_id (a task_id stands for its story).');
  end if;
  if p_idea_id is not null then
    p_product := private.require_own_idea(p_idea_id);
    perform private.require_product_access(p_product);
    return;
  end if;
  p_product := private.require_access('story', p_story);
  if p_task_id is not null and not exists (select from public.tasks t where t.id = p_task_id and t.story_id = p_story) then
    perform private.refuse(422, 'The task does not belong to the story. Leave story_id out: task_id stands for its story.');
  end if;
end;
$$;

comment on function private.question_target is
  'Story or idea of a question, and its product (specification: Agent question).';
