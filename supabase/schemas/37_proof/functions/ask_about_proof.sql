-- Why: three rounds between two workers without an end are a question to a person. The job waits for the answer, which its next
-- attempt reads.
create function private.ask_about_proof(p_job public.agent_jobs)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_question_id uuid;
begin
  insert into public.agent_questions (product_id, story_id, task_id, job_id, sprint_run_id, asked_by, question, options, recommended_option, park)
  select p_job.product_id, t.story_id, t.id, p_job.id, p_job.sprint_run_id, p_job.created_by,
    left(format('Another worker has looked at %s %s times and still finds faults: %s How shall it go on?', t.code, private.verify_rounds(p_job.id),
      (select string_agg(format('%s (%s)', left(f ->> 'text', 200), left(coalesce(f ->> 'excerpt', f ->> 'command', f ->> 'verdict'), 300)), '; ')
       from jsonb_array_elements(private.findings(p_job)) f)), 4000),
    '[{"label":"Try again"},{"label":"Try again, with what I write here"}]', 0, true
  from public.tasks t where t.id = p_job.task_id
  returning id into v_question_id;
  update public.agent_jobs j set parked_question_id = v_question_id where j.id = p_job.id;
end;
$$;

comment on function private.ask_about_proof is 'A question to a person after rounds in vain (docs/proof.md).';
