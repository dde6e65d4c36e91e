-- A person answers with an option, text, or both; if several answer, one wins. A job that waited becomes
-- claimable and goes first. Refusals: 404, 403, 429, 409 when it is no longer open, 422.
-- Definer: questions are written by functions only (specification: Agent question).
create function operations.answer_question(
  p_question_id uuid, p_answer text default null, p_option integer default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_question public.agent_questions := private.lock_question(p_question_id);
  v_status public.agent_question_status := private.question_status(v_question);
  v_answer text;
begin
  if v_question.kind = 'permission' then
    perform private.require_session('Only the person whose machine it is gives a permission, signed in: a token cannot.');
  end if;
  perform private.take_rate_limit('answer', auth.uid()::text);
  if v_question.reader_id <> auth.uid() then
    perform private.refuse(403, format('%s has left the product, so no one can give this permission. Dismiss the question to let the job continue without it.',
      coalesce(private.username(v_question.reader_id), 'The user of the worker')));
  end if;
  if p_option not between 0 and jsonb_array_length(v_question.options) - 1 then
    perform private.refuse(422, 'option is the index of one of the options, from 0.');
  end if;
  v_answer := concat_ws(': ', v_question.options -> p_option ->> 'label', nullif(btrim(p_answer), ''));
  if v_answer = '' or char_length(v_answer) > 4000 then
    perform private.refuse(422, 'Answer with an option, a text of at most 4000 characters, or both.');
  end if;
  if v_status <> 'OPEN' then
    perform private.refuse(409, case v_status
      when 'ANSWERED' then format('This question was already answered by %s.', coalesce(private.username(v_question.answered_by), 'someone'))
      when 'CANCELLED' then 'This question was cancelled; the agent is no longer waiting for it.'
      else 'This question has expired.' end);
  end if;

  update public.agent_questions q
  set status = 'ANSWERED', answer = v_answer, answered_by = auth.uid(), answered_at = private.now(),
      answered_via = private.answer_source() ->> 'via'
  where q.id = p_question_id
  returning q.* into v_question;
  perform private.act_on_failure_answer(v_question, p_option);
  perform private.unpark_job(v_question);
  perform private.act_on_budget_answer(v_question, p_option);
  perform private.act_on_pause_answer(v_question, p_option);
  perform private.act_on_reach_answer(v_question, p_option);
  return private.question_json(v_question);
end;
$$;
grant execute on function operations.answer_question to authenticated;

-- An owner can allow a host for the product, if its list is not full; others for their worker (specification: Product).
create function private.act_on_reach_answer(p_question public.agent_questions, p_option integer)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if p_question.reach is null
    or (p_question.options -> p_option ->> 'label') is distinct from 'Allow for this product'
  then
    return;
  end if;
  update public.products p
  set may_reach = p.may_reach || to_jsonb(p_question.reach)
  where p.id = p_question.product_id and p.owner_id = auth.uid()
    and not p.may_reach ? p_question.reach and jsonb_array_length(p.may_reach) < 100;
end;
$$;

-- The worker's answer closes the user's question, once; the same answer again is fine. Only a worker of the
-- user who asked may answer. Refusals: 404, 403, 409 when it has another answer, 422.
-- Definer: questions are written by functions only (specification: User question).
create function operations.answer_user_question(p_user_question_id uuid, p_answer text)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_question public.user_questions;
  v_product_id uuid;
begin
  select u.* into v_question from public.user_questions u where u.id = p_user_question_id;
  if not found then
    perform private.refuse_unknown('user question');
  end if;
  v_product_id := private.require_own_idea(v_question.idea_id);
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  if coalesce(char_length(p_answer), 0) not between 1 and 20000 or p_answer !~ '\S' then
    perform private.refuse(422, 'answer takes 1 to 20000 characters.');
  end if;

  update public.user_questions u
  set status = 'ANSWERED', answer = p_answer, answered_at = private.now()
  where u.id = p_user_question_id and u.status = 'PENDING'
  returning u.* into v_question;
  if not found then
    select u.* into v_question from public.user_questions u where u.id = p_user_question_id;
    if v_question.answer is distinct from p_answer then
      perform private.refuse(409, 'This question was already answered. Read the answer on the page of the idea.');
    end if;
  end if;
  return private.user_question_json(v_question);
end;
$$;
grant execute on function operations.answer_user_question to authenticated;
comment on function operations.answer_user_question is 'scope plan or work';

-- A user asks about one of their ideas; a PLAN_CHAT job carries the question to one of their workers. A draft
-- becomes "discussing". Refusals: 404, 403, 429, 409 for an archived idea, 422.
-- Definer: questions and jobs are written by functions only (specification: User question).
create function operations.ask_about_idea(p_idea_id uuid, p_question text)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_own_idea(p_idea_id);
  v_idea public.ideas;
  v_job_id uuid;
  v_question public.user_questions;
begin
  perform private.require_product_access(v_product_id);
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  if coalesce(char_length(p_question), 0) not between 1 and 4000 or p_question !~ '\S' then
    perform private.refuse(422, 'question takes 1 to 4000 characters.');
  end if;
  select i.* into v_idea from public.ideas i where i.id = p_idea_id for update;
  if v_idea.archived_at is not null then
    perform private.refuse(409, 'This idea is archived. Restore it first.');
  end if;

  insert into public.agent_jobs (product_id, idea_id, kind, created_by)
  values (v_product_id, p_idea_id, 'PLAN_CHAT', auth.uid())
  returning id into v_job_id;
  insert into public.user_questions (idea_id, user_id, question, job_id)
  values (p_idea_id, auth.uid(), p_question, v_job_id)
  returning * into v_question;
  update public.ideas i set status = 'DISCUSSING' where i.id = p_idea_id and i.status = 'DRAFT';
  return private.user_question_json(v_question);
end;
$$;
grant execute on function operations.ask_about_idea to authenticated;

-- An agent asks a person. With job and attempt the question is linked to its job; with p_park the job waits for
-- the answer without a worker. A permission, or a question about an idea, is for the caller alone. Refusals: 404, 403,
-- 429, 409 for a lost attempt or the 301st that waits, 422.
-- Definer: questions are written by functions only (specification: Agent question).
create function operations.ask_question(
  p_question text, p_story_id uuid default null, p_idea_id uuid default null, p_task_id uuid default null,
  p_options jsonb default null, p_recommended_option integer default null, p_assignee_id uuid default null,
  p_expires_in_seconds integer default null, p_on_expiry text default null, p_escalate_to uuid default null,
  p_park boolean default false, p_job_id uuid default null, p_attempt integer default null, p_kind text default null,
  p_reach text default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
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
  -- Each stream of a member begins with all that are open.
  if (select count(*) from public.agent_questions q
      where q.product_id = v_target.p_product and q.status = 'OPEN' and q.expires_at > private.now() and q.asked_by = auth.uid()) >= 300 then
    perform private.refuse(409, '300 of your questions in this product wait for an answer. Cancel those that are not needed.');
  end if;
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
    -- Frees its worker: not claimable while the question is open, and first once it is answered. No retry is counted.
    update public.agent_jobs j
    set status = 'QUEUED', parked_question_id = v_question.id, failure_class = null, failure_reason = null
    where j.id = v_job.id;
  end if;
  return private.question_json(v_question);
end;
$$;
grant execute on function operations.ask_question to authenticated;
comment on function operations.ask_question is 'scope plan or work';

-- One person's question goes to no other, and an expired one grants no permission (specification: Agent question).
create function private.check_private_question(
  p_kind public.question_kind, p_reader_id uuid, p_assignee_id uuid, p_escalate_to uuid, p_on_expiry text, p_reach text
) returns void language plpgsql volatile set search_path = '' as $$
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

-- Checks a question, with messages: text, at most 8 options with a label each, a recommended one among them, an expiry
-- from 1 minute to 30 days, a policy that can be applied. Returns the options (specification: Agent question).
create function private.check_question(
  p_question text, p_options jsonb, p_recommended_option integer, p_expires_in_seconds integer, p_on_expiry text,
  p_escalate_to uuid, p_product_id uuid
) returns jsonb language plpgsql volatile set search_path = '' as $$
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

-- A question belongs to exactly one of story and idea; one about a task belongs to the task's story. Returns the story;
-- refuses both, neither, and a task of another story. Checks access: 404, then 403 (specification: Agent question).
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

-- An agent no longer needs the answer. Idempotent. A job that waited continues without it. Refusals: 404, 403, 409 when
-- it was answered or has expired. Definer: questions are written by functions only (specification: Agent question).
create function operations.cancel_question(p_question_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_question public.agent_questions := private.lock_question(p_question_id);
  v_status public.agent_question_status := private.question_status(v_question);
begin
  if v_status = 'CANCELLED' then
    return private.question_json(v_question);
  end if;
  if v_status <> 'OPEN' then
    perform private.refuse(409, format('Only an open question can be cancelled; this one is %s.', lower(v_status::text)));
  end if;
  if (private.run_paused_by(v_question)).pause_context ->> 'reason' = 'merge_conflict' then
    perform private.refuse(409, 'The run is paused and waits for this answer: resume it, cancel it, or take the task over.');
  end if;
  update public.agent_questions q set status = 'CANCELLED' where q.id = p_question_id returning q.* into v_question;
  perform private.unpark_job(v_question);
  return private.question_json(v_question);
end;
$$;
grant execute on function operations.cancel_question to authenticated;
comment on function operations.cancel_question is 'scope plan or work';

-- The scheduled expiry: open questions past their expiry become expired, pending pairings past theirs cancelled. It can
-- be called at any time, by any number of processes at once; the counts add up (specification: Scheduled endpoints).
-- Service only. Definer: questions and pairings are written by functions only.
create function operations.expire_questions()
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_questions integer;
  v_pairings integer;
begin
  update public.login_pairings l
  set status = 'CANCELLED'
  where l.id in (
    select d.id from public.login_pairings d
    where d.status = 'PENDING' and d.expires_at <= v_now
    order by d.id
    for update skip locked
  );
  get diagnostics v_pairings = row_count;
  v_questions := private.write_down_expired(false);
  return json_build_object('expired_questions', v_questions, 'expired_pairings', v_pairings, 'ran_at', to_char(v_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$$;
grant execute on function operations.expire_questions to service_role;

-- First in every change: 404, 403, the product lock, demo and archive. Returns the row (specification: Agent question).
create function private.lock_question(p_question_id uuid)
returns public.agent_questions language plpgsql volatile set search_path = '' as $$
declare
  v_question public.agent_questions;
begin
  select q.* into v_question from public.agent_questions q where q.id = p_question_id;
  if not found then
    perform private.refuse_unknown('question');
  end if;
  perform private.require_question_reader(v_question);
  perform private.lock_product(v_question.product_id);
  perform private.require_product_write(v_question.product_id);
  -- Questions of Backloom itself, after failures and on paused runs, are for people. These options are theirs.
  if v_question.options -> 0 ->> 'label' = 'Try again'
    or exists (select from public.sprint_runs r where r.pause_question_id = p_question_id and r.status = 'PAUSED')
  then
    perform private.require_session('This waits for the choice of a person: sign in and answer it in the inbox. A token can neither answer nor dismiss it.');
  end if;
  if v_question.plan is not null then
    perform private.refuse(409, 'A person approves this plan or sends it back on the page of its job, not with an answer.');
  end if;
  select q.* into v_question from public.agent_questions q where q.id = p_question_id for update;
  if not found then
    perform private.refuse_unknown('question');
  end if;
  return v_question;
end;
$$;
