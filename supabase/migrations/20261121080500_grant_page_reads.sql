-- Why: the pages' reads run as their caller, and put questions and jobs in the same shape as the operations do.
grant execute on function
  private.question_status(public.agent_questions), private.question_json(public.agent_questions),
  private.job_cost(public.agent_jobs), private.job_json(public.agent_jobs)
  to authenticated;
