-- Why: the first line of every change of a question: 404, 403, the product lock, demo and archive. Returns the current
-- row.
create function private.lock_question(p_question_id uuid)
returns public.agent_questions
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_question public.agent_questions;
begin
  select q.* into v_question from public.agent_questions q where q.id = p_question_id;
  if not found then
    perform private.refuse(404, 'No such question.');
  end if;
  perform private.require_question_reader(v_question);
  perform private.lock_product(v_question.product_id);
  perform private.require_product_write(v_question.product_id);
  select q.* into v_question from public.agent_questions q where q.id = p_question_id for update;
  if not found then
    perform private.refuse(404, 'No such question.');
  end if;
  return v_question;
end;
$$;

comment on function private.lock_question is
  'A question under the product lock, for a change (specification: Agent question).';
