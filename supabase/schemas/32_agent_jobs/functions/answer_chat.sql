-- Why: a PLAN_CHAT job ends with the answer to its question: given before by answer_user_question, or the summary now.
create function private.answer_chat(p_job public.agent_jobs, p_summary text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.user_questions u
  set status = 'ANSWERED', answer = p_summary, answered_at = private.now()
  where u.job_id = p_job.id and u.status = 'PENDING' and p_summary ~ '\S';
  if exists (select from public.user_questions u where u.job_id = p_job.id and u.status = 'PENDING') then
    perform private.refuse(422, 'Not done yet: answer the user''s question first, with answer_user_question or as the summary of this report.');
  end if;
end;
$$;

comment on function private.answer_chat is 'The worker''s answer closes the user question (specification: User question).';
