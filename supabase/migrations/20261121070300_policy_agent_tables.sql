-- Members read what belongs to their products; nobody writes here directly (specification: Authentication 3, 4). A worker's
-- presence is read by those who share a product with its user. Ideas and what is asked about them belong to one user.
create policy sprint_runs_select on public.sprint_runs for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy agent_jobs_select on public.agent_jobs for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy task_executions_select on public.task_executions for select to authenticated
  using (sprint_run_id in (
    select r.id from public.sprint_runs r where r.product_id in (select private.accessible_product_ids())));
create policy agent_workers_select on public.agent_workers for select to authenticated
  using (user_id in (
    select m.user_id from public.product_members m where m.product_id in (select private.accessible_product_ids()))
    or user_id = (select auth.uid()));
create policy model_prices_select on public.model_prices for select to authenticated using (true);
create policy agent_questions_select on public.agent_questions for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
create policy user_questions_select on public.user_questions for select to authenticated
  using (user_id = (select auth.uid()));
create policy push_subscriptions_select on public.push_subscriptions for select to authenticated
  using (user_id = (select auth.uid()));
create policy webhooks_select on public.webhooks for select to authenticated
  using (product_id in (select private.owned_product_ids()));
create policy notices_service on public.notices for all to service_role using (true) with check (true);
