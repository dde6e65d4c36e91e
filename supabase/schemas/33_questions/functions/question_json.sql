-- Why: one form of a question for all readers. If nobody answered a question whose policy is the recommended option,
-- `effective_answer` is that option, marked as taken by policy: an agent never mistakes it for a person's yes.
create function private.question_json(p_question public.agent_questions)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_status public.agent_question_status := private.question_status(p_question);
begin
  return to_jsonb(p_question) || jsonb_build_object(
    'status', lower(v_status::text),
    'product_code', (select p.code from public.products p where p.id = p_question.product_id),
    'product_name', (select p.name from public.products p where p.id = p_question.product_id),
    'story_code', (select s.code from public.stories s where s.id = p_question.story_id),
    'story_title', (select s.title from public.stories s where s.id = p_question.story_id),
    'task_code', (select t.code from public.tasks t where t.id = p_question.task_id),
    'idea_code', (select i.code from public.ideas i where i.id = p_question.idea_id),
    'asked_by_name', private.username(p_question.asked_by),
    'assignee_name', private.username(p_question.assignee_id),
    'reader_name', private.username(p_question.reader_id),
    'reader_left', private.is_left_to_owner(p_question),
    'answered_by_name', private.username(p_question.answered_by),
    'effective_answer', case
      when v_status = 'ANSWERED' then p_question.answer
      when v_status = 'EXPIRED' and p_question.on_expiry = 'RECOMMENDED'
        then p_question.options -> p_question.recommended_option ->> 'label'
    end,
    'taken_by_policy', v_status = 'EXPIRED' and p_question.on_expiry = 'RECOMMENDED'
  );
end;
$$;

comment on function private.question_json is 'An agent question as the contract shows it (specification: Agent question).';

grant execute on function private.question_json to authenticated;
