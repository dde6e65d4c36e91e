-- Why: the agent comes back for the answer, the page shows one question. Definer: access is checked first.
create function private.get_question(p_question_id uuid)
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

grant execute on function private.get_question to authenticated;

create function public.get_question(p_question_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return private.get_question(p_question_id);
end;
$$;

comment on function public.get_question is 'One agent question with its answer (specification: Agent question).';

grant execute on function public.get_question to authenticated;
