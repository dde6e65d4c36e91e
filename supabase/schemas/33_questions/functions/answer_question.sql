-- Why: a person answers with an option, text, or both; of concurrent answers one wins. A job that waited becomes
-- claimable and goes first. Refusals: 404, 403, 429, 409 when it is no longer open, 422.
-- Definer: questions are written by functions only.
create function operations.answer_question(p_question_id uuid, p_answer text default null, p_option integer default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_question public.agent_questions := private.lock_question(p_question_id);
  v_status public.agent_question_status := private.question_status(v_question);
  v_answer text;
begin
  perform private.take_rate_limit('answer', auth.uid()::text);
  if v_question.reader_id <> auth.uid() then
    perform private.refuse(403, format('%s has left the product, so nobody can give this permission. Dismiss the question to let the job continue without it.',
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
      when 'ANSWERED' then format('This question was already answered by %s.', coalesce(private.username(v_question.answered_by), 'somebody'))
      when 'CANCELLED' then 'This question was cancelled; the agent is no longer waiting for it.'
      else 'This question has expired.' end);
  end if;

  update public.agent_questions q
  set status = 'ANSWERED', answer = v_answer, answered_by = auth.uid(), answered_at = private.now()
  where q.id = p_question_id
  returning q.* into v_question;
  perform private.unpark_job(v_question);
  perform private.act_on_budget_answer(v_question, p_option);
  perform private.act_on_reach_answer(v_question, p_option);
  return private.question_json(v_question);
end;
$$;

comment on function operations.answer_question is 'open to answered (specification: Agent question).';
grant execute on function operations.answer_question to authenticated;

-- Why: an owner can allow a host for the whole product when answering. Anybody else's answer counts for their own
-- worker only, and a full list is not changed.
create function private.act_on_reach_answer(p_question public.agent_questions, p_option integer)
returns void
language plpgsql
volatile
set search_path = ''
as $$
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

comment on function private.act_on_reach_answer is 'Adds the host of a permission to the product of its owner (specification: Product).';
