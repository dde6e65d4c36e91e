-- Why: a paused run waits for a person, and a person is told by a question. A question needs a story: that of the job that
-- asked, else of the task at work, else of the first unfinished one, else any of the run (specification: Agent question).
create function private.open_pause_question(p_run public.sprint_runs, p_job_id uuid, p_text text)
returns uuid
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_question_id uuid;
begin
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, asked_by, question)
  select p_run.product_id, t.story_id, t.id, j.id, p_run.id, auth.uid(), p_text
  from public.agent_jobs j
  join public.tasks t on t.id = j.task_id
  where j.sprint_run_id = p_run.id
  order by (j.id is not distinct from p_job_id) desc, (j.status in ('CLAIMED', 'RUNNING')) desc,
    (j.status = 'QUEUED') desc, j.position
  limit 1
  returning id into v_question_id;
  return v_question_id;
end;
$$;

comment on function private.open_pause_question is
  'The question that a pause opens (specification: Sprint run, pause; Agent question).';
