-- Why: one form of a user question, with the state of its job.
create function private.user_question_json(p_question public.user_questions)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return to_jsonb(p_question) || jsonb_build_object(
    'status', lower(p_question.status::text),
    'idea_code', (select i.code from public.ideas i where i.id = p_question.idea_id),
    'idea_title', (select i.title from public.ideas i where i.id = p_question.idea_id),
    'product_id', (select i.product_id from public.ideas i where i.id = p_question.idea_id),
    'job_status', (select lower(j.status::text) from public.agent_jobs j where j.id = p_question.job_id),
    'job_failure_reason', (select j.failure_reason from public.agent_jobs j where j.id = p_question.job_id));
end;
$$;

comment on function private.user_question_json is 'A user question as it is shown (specification: User question).';
