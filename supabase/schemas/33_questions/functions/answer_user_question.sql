-- Why: the worker's answer closes the user's question, once; repeating the same answer is fine. Only a worker of the
-- user who asked may answer. Refusals: 404, 403, 409 when it has another answer, 422.
-- Definer: questions are written by functions only.
create function operations.answer_user_question(p_user_question_id uuid, p_answer text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_question public.user_questions;
  v_product_id uuid;
begin
  select u.* into v_question from public.user_questions u where u.id = p_user_question_id;
  if not found then
    perform private.refuse(404, 'No such user question.');
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
      perform private.refuse(409, 'This question was already answered.');
    end if;
  end if;
  return private.user_question_json(v_question);
end;
$$;

comment on function operations.answer_user_question is 'pending to answered (specification: User question).';
grant execute on function operations.answer_user_question to authenticated;
