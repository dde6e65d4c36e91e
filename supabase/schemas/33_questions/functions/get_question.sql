-- Why: one question, for the agent that returns for the answer and for its page. Definer: access is checked first.
create function operations.get_question(p_question_id uuid)
returns json
language plpgsql
stable
security definer
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
  return private.question_json(v_question);
end;
$$;

comment on function operations.get_question is 'One agent question with its answer (specification: Agent question).';
grant execute on function operations.get_question to authenticated;
