-- Why: the tables of the state machines are read under RLS and written by functions alone. The keys of devices, the secrets of
-- webhooks and the outbox are out of reach. Inserting a job is granted and always refused: by the trigger, with the way to
-- sprint runs, and by RLS, which has no policy for it.
revoke all on public.sprint_runs, public.agent_jobs, public.task_executions, public.agent_workers, public.model_prices,
  public.agent_questions, public.user_questions, public.push_subscriptions, public.webhooks, public.notices
  from anon, authenticated;

grant select on public.sprint_runs, public.agent_jobs, public.task_executions, public.agent_workers, public.model_prices,
  public.agent_questions, public.user_questions to authenticated;
grant insert on public.agent_jobs to authenticated;
grant select (id, user_id, endpoint, user_agent, last_error, disabled_at, created_at) on public.push_subscriptions to authenticated;
grant select (id, product_id, url, events, active, created_by, created_at, updated_at) on public.webhooks to authenticated;

grant select, insert, update, delete on public.sprint_runs, public.agent_jobs, public.task_executions, public.agent_workers,
  public.model_prices, public.agent_questions, public.user_questions, public.push_subscriptions, public.webhooks,
  public.notices to service_role;
