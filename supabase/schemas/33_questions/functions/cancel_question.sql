-- Why: an agent no longer needs the answer. Idempotent. A job that waited continues without it.
-- Refusals: 404, 403, 409 when it was answered or has expired. Definer: questions are written by functions only.
create function operations.cancel_question(p_question_id uuid)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
  update public.agent_questions q set status = 'CANCELLED' where q.id = p_question_id returning q.* into v_question;
  perform private.unpark_job(v_question);
  return private.question_json(v_question);
end;
$$;

comment on function operations.cancel_question is 'open to cancelled (specification: Agent question).';
grant execute on function operations.cancel_question to authenticated;
