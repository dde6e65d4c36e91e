-- Why: the worker of a talk about an idea is handed all that was asked and answered about it.
create function private.chat_questions(p_job public.agent_jobs)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object('id', u.id, 'question', u.question, 'answer', u.answer,
      'status', lower(u.status::text), 'asked_for_this_job', u.job_id = p_job.id, 'created_at', u.created_at)
      order by u.created_at, u.id), '[]')
    from public.user_questions u where u.idea_id = p_job.idea_id);
end;
$$;

comment on function private.chat_questions is 'Questions and answers about an idea (specification: Agent job, PLAN_CHAT).';
