-- Why: an open question past its expiry counts as expired at once; the schedule only stores that.
create function private.question_status(p_question public.agent_questions)
returns public.agent_question_status
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_question.status = 'OPEN' and p_question.expires_at <= private.now() then
    return 'EXPIRED';
  end if;
  return p_question.status;
end;
$$;

comment on function private.question_status is 'The status of a question at this moment (specification: Agent question).';

grant execute on function private.question_status to authenticated;
