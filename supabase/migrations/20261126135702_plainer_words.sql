-- Why: refusals say what to do next, and comments of tables use the words of the documents. Nothing behaves differently.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.answer_user_question(p_user_question_id uuid, p_answer text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_question public.user_questions;
  v_product_id uuid;
begin
  select u.* into v_question from public.user_questions u where u.id = p_user_question_id;
  if not found then
    perform private.refuse(404, 'No such user question. Check the ID: it may have been deleted.');
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
$function$;

CREATE OR REPLACE FUNCTION operations.decide_lesson(p_lesson_id uuid, p_verdict text, p_text text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_verdict text;
  v_lesson public.lessons;
  v_text text;
begin
  select l.* into v_lesson from public.lessons l where l.id = p_lesson_id;
  if not found then
    perform private.refuse(404, 'No such lesson. List the lessons of the product.');
  end if;
  perform private.require_write('product', v_lesson.product_id);
  if private.is_token() then
    perform private.refuse(403, 'A lesson needs a person: sign in and decide it there.');
  end if;
  perform private.take_rate_limit('lesson', auth.uid()::text);
  v_verdict := lower(private.require_choice('verdict', p_verdict, array['ACCEPT', 'DECLINE', 'RETIRE']));
  select l.* into v_lesson from public.lessons l where l.id = p_lesson_id for update;
  if v_lesson.status is distinct from (case v_verdict when 'retire' then 'accepted' else 'proposed' end) then
    perform private.refuse(409, format('This lesson is %s. Reload the page.', v_lesson.status), jsonb_build_object('status', v_lesson.status));
  end if;
  if p_text is not null and v_verdict <> 'accept' then
    perform private.refuse(422, 'Only a lesson that is accepted takes another text.');
  end if;
  v_text := case when p_text is null then v_lesson.text else private.require_lesson_text(p_text) end;
  if v_verdict = 'accept' and (
    select count(*) >= 50 from public.lessons l where l.product_id = v_lesson.product_id and l.status = 'accepted')
  then
    perform private.refuse(409, 'This product has 50 lessons, which is the most that agents can heed. Retire one first.');
  end if;

  update public.lessons l
  set text = v_text,
    status = case v_verdict when 'accept' then 'accepted' when 'decline' then 'declined' else 'retired' end,
    accepted_by = case v_verdict when 'accept' then coalesce(private.username(auth.uid()), 'someone') else l.accepted_by end,
    since = case v_verdict when 'accept' then private.now() else l.since end,
    counted_from = case v_verdict when 'accept' then private.now() end,
    before = case when v_verdict = 'retire' then l.before else private.effect_until_now(l) end,
    after = case when v_verdict = 'retire' then private.effect_since(l) else l.after end
  where l.id = p_lesson_id
  returning l.* into v_lesson;
  if v_verdict = 'accept' then
    update public.lessons l set status = 'declined'
    where l.product_id = v_lesson.product_id and l.status = 'proposed' and l.text = v_text;
  end if;
  return private.lesson_json(v_lesson, v_lesson.before, v_lesson.after);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.delete_recurrence(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('story', p_story_id);
  delete from public.recurrences r where r.story_id = p_story_id;
  if not found then
    perform private.refuse(404, 'This story does not recur. Make it a template first.');
  end if;
  perform set_config('backloom.undoing', 'yes', true);
  update public.stories s set is_template = false, in_triage = false where s.id = p_story_id;
  perform set_config('backloom.undoing', '', true);
  return json_build_object('story_id', p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.link_identity(p_issuer text, p_subject text, p_account uuid, p_by_address boolean DEFAULT false, p_ip text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_user public.users;
  v_other uuid;
  v_is_taken_over boolean;
begin
  select * into v_user from public.users u where u.id = p_account for update;
  if v_user.id is null then
    perform private.refuse(404, 'This account no longer exists. Sign in with another one.');
  end if;
  if v_user.is_demo then
    perform private.refuse(403, 'A demo account cannot be connected. Sign in with an account of your own first.');
  end if;
  if exists (select from public.account_identities i where i.account = p_account and i.issuer = p_issuer and i.subject <> p_subject) then
    perform private.refuse(409, 'This account is connected to another account at the provider. Sign in there with that one.');
  end if;
  insert into public.account_identities (issuer, subject, account) values (p_issuer, p_subject, p_account)
  on conflict (issuer, subject) do nothing;
  select i.account into v_other from public.account_identities i where i.issuer = p_issuer and i.subject = p_subject;
  if v_other is distinct from p_account then
    perform private.refuse(409, 'This account at the provider is connected to another account here. Sign out, then sign in through the provider.');
  end if;

  v_is_taken_over := p_by_address and not private.is_address_confirmed(p_account);
  if v_is_taken_over then
    perform private.end_access(p_account);
  end if;
  perform private.audit(p_account, p_account, 'identity.linked', jsonb_build_object('issuer', p_issuer, 'by_address', p_by_address,
    'access_ended', v_is_taken_over), p_ip);
  return json_build_object('account', p_account);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.mark_inbox_item(p_kind text, p_item_id uuid, p_mark text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_mark text := lower(private.require_choice('mark', p_mark, array['DONE', 'LATER', 'OPEN']));
  v_until timestamptz := coalesce(p_until, date_trunc('day', v_now at time zone 'UTC') at time zone 'UTC' + interval '31 hours');
  v_item record;
begin
  select i.product_id, i.at into v_item from private.inbox_items() i where i.kind = p_kind and i.id = p_item_id;
  if not found then
    perform private.refuse(404, 'Someone has already dealt with this. Reload the inbox.');
  end if;
  perform private.require_no_demo();
  perform private.take_rate_limit('inbox', auth.uid()::text);
  if v_mark = 'later' and not v_until between v_now and v_now + interval '31 days' then
    perform private.refuse(422, 'Choose a time in the future, at most a month away.');
  end if;

  delete from public.inbox_marks m
  where m.user_id = auth.uid()
    and (m.marked_at < v_now - interval '90 days' or m.item_kind = p_kind and m.item_id = p_item_id);
  if v_mark <> 'open' then
    insert into public.inbox_marks (user_id, item_kind, item_id, item_at, later_until)
    values (auth.uid(), p_kind, p_item_id, v_item.at, case when v_mark = 'later' then v_until end);
  end if;
  perform private.emit('user:' || auth.uid(), jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_item_id, 'product_id', null));
  return json_build_object('kind', p_kind, 'id', p_item_id, 'state', v_mark, 'later_until', case when v_mark = 'later' then v_until end);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.propose_lesson(p_product_id uuid, p_text text, p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
  v_text text;
  v_cause text;
  v_known text;
  v_lesson public.lessons;
begin
  perform private.require_product_access(p_product_id);
  perform private.require_product_write(p_product_id);
  if not exists (select from public.agent_jobs j where j.id = p_job_id and j.product_id = p_product_id) then
    perform private.refuse(422, 'This product has no such job. Name a job of this product whose work came back.',
      '{"issues":[{"path":"job_id","message":"Must be a job of this product."}]}');
  end if;
  v_job := private.lock_job(p_job_id, true);
  perform private.take_rate_limit('lesson', auth.uid()::text);
  v_text := private.require_lesson_text(p_text);
  v_cause := private.cause_of_rework(v_job);
  if v_cause is null then
    perform private.refuse(409, 'A lesson comes from work that came back: after requested changes, a refuted proof or failed CI. This job''s work did not.');
  end if;
  if (select count(*) >= 3 from public.lessons l where l.job_id = p_job_id) then
    perform private.refuse(409, 'This job has proposed three lessons, which is the limit. Go on without another one.');
  end if;
  select l.status into v_known from public.lessons l
  where l.product_id = p_product_id and l.text = v_text and l.status <> 'proposed' limit 1;
  if found then
    perform private.refuse(409, format('The team has decided about this lesson already: it is %s.', v_known), jsonb_build_object('status', v_known));
  end if;
  v_lesson := private.insert_lesson(v_job, v_text, v_cause);
  return private.lesson_json(v_lesson, private.effect_until_now(v_lesson), v_lesson.after);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.report_job_conflict(p_job_id uuid, p_attempt integer, p_conflict jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION operations.report_merged(p_job_id uuid, p_head_sha text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job private.works := private.lock_work(p_job_id);
begin
  if not private.is_token() then
    perform private.require_product_owner(v_job.product_id);
  end if;
  perform private.hear_worker(v_job.product_id);
  if private.is_token() and p_head_sha is null then
    perform private.refuse(422, 'head_sha names the commit that you found on the main branch.');
  end if;
  perform private.take_rate_limit('job_merged', p_job_id::text);
  if v_job.finished_at is null or (v_job.kind = 'TASK_IMPLEMENTATION' and v_job.status <> 'DONE') then
    perform private.refuse(409, 'The work of this job is not done, so it cannot have been merged. Report it once the job is done.');
  end if;
  if p_head_sha is not null and p_head_sha is distinct from v_job.head_sha then
    perform private.refuse(409, format('The work of this job is at %s now. Report that commit once it is on the main branch.',
      coalesce(left(v_job.head_sha, 8), 'no commit')));
  end if;
  if v_job.merged_at is null then
    v_job.merged_at := private.now();
    perform private.set_merged(array[p_job_id], v_job.merged_at);
    perform private.audit(auth.uid(), auth.uid(), 'job.merged', jsonb_build_object('product_id', v_job.product_id, 'job_id', v_job.id,
      'code', (select t.code from public.tasks t where t.id = v_job.task_id), 'head_sha', v_job.head_sha, 'by_token', private.is_token()));
    if not private.is_token() then
      perform private.remember_change('job', v_job.id, v_job.product_id, private.code_of('job', v_job.id),
        '{"merged_at": null}', jsonb_build_object('merged_at', v_job.merged_at));
    end if;
  end if;
  return jsonb_build_object('job_id', v_job.id, 'merged_at', v_job.merged_at) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION operations.revoke_intake_hook(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  delete from public.intake_hooks h where h.product_id = p_product_id;
  if not found then
    perform private.refuse(404, 'This product has no incoming webhook. Create a URL in its settings first.');
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'intake_hook.revoked', jsonb_build_object('product_id', p_product_id));
  return json_build_object('product_id', p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.set_model_price(p_model_id text, p_input_per_million numeric DEFAULT NULL::numeric, p_output_per_million numeric DEFAULT NULL::numeric, p_cache_read_per_million numeric DEFAULT NULL::numeric, p_cache_write_per_million numeric DEFAULT NULL::numeric, p_currency text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_price public.model_prices;
begin
  if not exists (select from public.users u where u.id = v_user_id and u.role = 'ADMIN') then
    perform private.refuse(403, 'Only an administrator can set prices. Ask one.');
  end if;
  if coalesce(char_length(p_model_id), 0) not between 1 and 200 then
    perform private.refuse(422, 'model_id takes 1 to 200 characters.');
  end if;
  if num_nonnulls(p_input_per_million, p_output_per_million, p_cache_read_per_million, p_cache_write_per_million) = 0 then
    delete from public.model_prices m where m.model_id = p_model_id;
    return json_build_object('model_id', p_model_id, 'removed', found);
  end if;
  if least(p_input_per_million, p_output_per_million, p_cache_read_per_million, p_cache_write_per_million) < 0
    or greatest(p_input_per_million, p_output_per_million, p_cache_read_per_million, p_cache_write_per_million) > 1000000
    or coalesce(p_currency, 'USD') !~ '^[A-Z]{3}$' then
    perform private.refuse(422, 'Prices are 0 to 1000000 per million tokens; currency is three capital letters.');
  end if;

  insert into public.model_prices as m
    (model_id, input_per_million, output_per_million, cache_read_per_million, cache_write_per_million, currency)
  values (p_model_id, coalesce(p_input_per_million, 0), coalesce(p_output_per_million, 0),
    coalesce(p_cache_read_per_million, 0), coalesce(p_cache_write_per_million, 0), coalesce(p_currency, 'USD'))
  on conflict (model_id) do update
  set input_per_million = coalesce(p_input_per_million, m.input_per_million),
      output_per_million = coalesce(p_output_per_million, m.output_per_million),
      cache_read_per_million = coalesce(p_cache_read_per_million, m.cache_read_per_million),
      cache_write_per_million = coalesce(p_cache_write_per_million, m.cache_write_per_million),
      currency = coalesce(p_currency, m.currency)
  returning * into v_price;
  return row_to_json(v_price);
end;
$function$;

CREATE OR REPLACE FUNCTION operations.waive_criterion(p_story_id uuid, p_criterion text, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('story', p_story_id);
  v_text text;
begin
  if private.is_token() then
    perform private.refuse(403, 'Only a person who is signed in can waive a criterion, not an API token.');
  end if;
  if btrim(coalesce(p_reason, '')) = '' or char_length(p_reason) > 2000 then
    perform private.refuse_evidence(null, 'reason', 'Say why this criterion does not need to be proven (at most 2000 characters).');
  end if;
  v_text := private.require_criterion(p_story_id, p_criterion, null);

  insert into public.waivers (product_id, story_id, criterion, criterion_text, reason, user_id, waived_by)
  values (v_product_id, p_story_id, p_criterion, v_text, btrim(p_reason), auth.uid(), coalesce(private.username(auth.uid()), 'someone'))
  on conflict (story_id, criterion) do nothing;
  if not found then
    perform private.refuse(409, 'This criterion was already waived. Reload the page to see by whom.');
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'criterion.waived', jsonb_build_object('product_id', v_product_id,
    'story_id', p_story_id, 'criterion', p_criterion, 'text', left(v_text, 500), 'reason', btrim(p_reason)));
  return private.proof_json(p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_plan(p_job public.agent_jobs, p_task_id uuid, p_plan text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_plan text;
begin
  perform private.check_plan('implementation_plan', p_plan);
  if private.needs_approved_plan(p_job, p_task_id) then
    perform private.refuse_unapproved();
  end if;
  if p_job.phase <> 'implement' or p_task_id is null then
    perform private.refuse(422, 'Only the attempt that implements a task plans it. Report without implementation_plan.');
  end if;
  update public.tasks t set implementation_plan = p_plan
  where t.id = p_task_id and coalesce(t.implementation_plan, '') !~ '\S';
  select t.implementation_plan into v_plan from public.tasks t where t.id = p_task_id;
  update public.agent_jobs j set plan_snapshot = v_plan
  where j.id = p_job.id and j.task_id = p_task_id and coalesce(j.plan_snapshot, '') !~ '\S';
  update public.task_executions e set plan_snapshot = v_plan
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id and coalesce(e.plan_snapshot, '') !~ '\S';
end;
$function$;

CREATE OR REPLACE FUNCTION private.put_budget(p_product_id uuid, p_scope text, p_period text, p_target_id uuid, p_unit text, p_amount numeric)
 RETURNS public.budgets
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_scope text := lower(private.require_choice('scope', p_scope, array['PRODUCT', 'SPRINT', 'RUN', 'TASK']));
  v_period text := lower(private.require_choice('period', p_period, array['DAY', 'WEEK', 'MONTH']));
  v_budget public.budgets;
begin
  if v_scope is null or (v_scope = 'product') <> (v_period is not null) then
    perform private.refuse(422, 'A budget of a product has a period: day, week or month; one of a sprint, run or task has none.');
  end if;
  if (v_scope = 'product') <> (p_target_id is null) then
    perform private.refuse(422, format('Name the %s that the budget is for.', coalesce(v_scope, 'scope')));
  end if;
  if coalesce(p_unit, '') !~ '^(tokens|[A-Z]{3})$' then
    perform private.refuse(422, 'unit is tokens, or a currency as three capital letters.');
  end if;
  if p_amount is null or p_amount <= 0 or p_amount > 1000000000000 then
    perform private.refuse(422, 'amount must be more than 0 and at most 1000000000000.');
  end if;
  if v_scope = 'sprint' and not exists (select from public.sprints s where s.id = p_target_id and s.product_id = p_product_id)
    or v_scope = 'run' and not exists (select from public.sprint_runs r where r.id = p_target_id and r.product_id = p_product_id)
    or v_scope = 'task' and not exists (select from public.tasks t where t.id = p_target_id and t.product_id = p_product_id) then
    perform private.refuse(422, format('There is no such %s in this product. Check target_id.', v_scope));
  end if;

  select b.* into v_budget from public.budgets b
  where b.product_id = p_product_id and b.scope = v_scope and b.period is not distinct from v_period and b.unit = p_unit
    and coalesce(b.sprint_id, b.sprint_run_id, b.task_id) is not distinct from p_target_id;
  if not found then
    insert into public.budgets (product_id, scope, period, sprint_id, sprint_run_id, task_id, unit, amount, due_at, created_by)
    values (p_product_id, v_scope, v_period, case when v_scope = 'sprint' then p_target_id end,
      case when v_scope = 'run' then p_target_id end, case when v_scope = 'task' then p_target_id end, p_unit, p_amount,
      private.now(), auth.uid())
    returning * into v_budget;
    perform private.audit(auth.uid(), auth.uid(), 'budget.set', jsonb_build_object('product_id', p_product_id,
      'budget', private.budget_name(v_budget), 'unit', p_unit, 'amount', p_amount));
  else
    perform private.raise_budget(v_budget, p_amount);
  end if;
  perform private.apply_budgets(p_product_id);
  select b.* into v_budget from public.budgets b where b.id = v_budget.id;
  return v_budget;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_waiting_plan(p_job public.agent_jobs)
 RETURNS public.agent_questions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_question public.agent_questions;
begin
  if p_job.status <> 'QUEUED' or p_job.phase <> 'plan' then
    perform private.refuse(409, 'No plan of this job waits for a verdict. Reload the page of the job.');
  end if;
  select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id for update;
  if v_question.id is null or private.question_status(v_question) <> 'OPEN' then
    perform private.refuse(409, 'This plan was not judged in time. Resume the run to be asked again.');
  end if;
  return v_question;
end;
$function$;

COMMENT ON COLUMN "public"."account_identities"."ended_at" IS 'When the provider refused to renew the sign-in. The account is closed until its user signs in there again.';

COMMENT ON COLUMN "public"."agent_jobs"."take_at_once" IS 'Whether its agent ends at once instead of after its tool call.';

COMMENT ON COLUMN "public"."agent_jobs"."taken_by" IS 'Person who has it in a terminal, or is taking it over.';

COMMENT ON COLUMN "public"."agent_messages"."told" IS 'Number of heartbeat responses of that attempt that had it, for callers that confirm none.';

COMMENT ON COLUMN "public"."evidence"."voided_by" IS 'Name, at that time, of the person who requested changes of the work it was seen in. It no longer proves anything.';

COMMENT ON COLUMN "public"."fresh_starts"."left_branches" IS 'One object per branch: branch and head_sha, as they were.';

COMMENT ON COLUMN "public"."job_conflicts"."job_id" IS 'The job that resolves it; attempt is the one that had ended, or was at work, when the conflict was found.';

COMMENT ON COLUMN "public"."products"."auto_pr" IS 'Whether pull_requests is not none. The contract has this name.';

COMMENT ON COLUMN "public"."products"."branch_prefix" IS 'Prefix of the branches of its work. Some remotes refuse other names.';

COMMENT ON COLUMN "public"."products"."review_marks" IS 'Path patterns per review mark, which replace the default ones.';

COMMENT ON TABLE "public"."account_identities" IS 'Accounts at the identity provider, and the accounts here that they sign in to. Service only.';

COMMENT ON TABLE "public"."agent_messages" IS 'Comments that were sent to the agent of a job, and their delivery (docs/rest.md).';

COMMENT ON TABLE "public"."fresh_starts" IS 'Stories that a person started over from main, and the work left out since then (docs/worker.md).';

COMMENT ON TABLE "public"."intake_hooks" IS 'The URL at which a product takes items of other services, one per product.';

COMMENT ON TABLE "public"."job_conflicts" IS 'Work that does not merge, and the job that resolves it (docs/dependencies.md).';

COMMENT ON TABLE "public"."lessons" IS 'Lessons from rework that people accept (docs/inbox.md, Lessons).';

COMMENT ON TABLE "public"."saved_views" IS 'Saved filters and layouts of backlog and board, each for one person or for all members.';

COMMENT ON TABLE "public"."sprint_leftovers" IS 'Stories that were not done when their sprint ended (docs/planning.md).';

COMMENT ON TABLE "public"."task_returns" IS 'Work that came back to its agent, by cause (docs/inbox.md, Lessons).';

COMMENT ON TABLE "public"."viewed_files" IS 'Files of changes that people have viewed, readable only by them (docs/review.md).';

COMMENT ON TABLE "public"."waivers" IS 'Criteria that a person waived, with the reason (docs/proof.md).';
