-- Why: asks a person what no agent can decide; with p_park the job waits for the answer, which its next attempt reads.
create function private.ask_person(p_job public.agent_jobs, p_park boolean, p_question text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_question_id uuid;
begin
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, asked_by, question, options, recommended_option, park)
  select p_job.product_id, t.story_id, t.id, p_job.id, p_job.sprint_run_id, p_job.created_by, p_question,
    case when p_park then '[{"label":"Try again"},{"label":"Try again, with what I write here"}]' else '[]' end::jsonb,
    case when p_park then 0 end, p_park
  from public.tasks t where t.id = p_job.task_id
  returning id into v_question_id;
  if p_park then
    update public.agent_jobs j set parked_question_id = v_question_id where j.id = p_job.id and j.status = 'QUEUED';
  end if;
end;
$$;

comment on function private.ask_person is 'A question to a person about work that is done (docs/forges.md).';
