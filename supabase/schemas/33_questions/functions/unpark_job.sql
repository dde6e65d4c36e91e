-- Why: a job that waited for a question goes first once the question is closed.
create function private.unpark_job(p_question public.agent_questions)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  update public.agent_jobs j
  set claim_rank = 0
  where j.parked_question_id = p_question.id and j.status = 'QUEUED';
end;
$$;

comment on function private.unpark_job is 'A parked job comes first once it is answered (specification: Agent job).';
