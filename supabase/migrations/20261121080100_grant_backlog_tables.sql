-- Why: a user's JWT sent straight to the Data API may write the columns that people edit, and nothing that is derived: no
-- status of a story, no sort_order of a story or task, no product of anything that exists. Triggers keep the rules either way.
revoke all on public.products, public.product_members, public.code_counters, public.pbis, public.sprints, public.stories,
  public.tasks, public.task_status_changes, public.story_logs, public.ideas, public.idea_products, public.idea_logs
  from anon, authenticated;

grant select on public.products, public.product_members, public.pbis, public.sprints, public.stories, public.tasks,
  public.task_status_changes, public.story_logs, public.ideas, public.idea_products, public.idea_logs to authenticated;

grant insert (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy),
  update (code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, archived_at),
  delete on public.products to authenticated;
grant insert (product_id, user_id), delete on public.product_members to authenticated;
grant insert (id, product_id, code, title, description, priority, sort_order, status),
  update (code, title, description, priority, sort_order, status, pr_url, pr_merged_at),
  delete on public.pbis to authenticated;
grant insert (id, product_id, sprint_goal, start_date, end_date),
  update (sprint_goal, start_date, end_date)
  on public.sprints to authenticated;
grant insert (id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id),
  update (pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id),
  delete on public.stories to authenticated;
grant insert (id, story_id, code, title, description, implementation_plan, priority, repo_url, verify_only,
    verify_required, requires_opus, estimated_minutes),
  update (story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only,
    verify_required, requires_opus, estimated_minutes),
  delete on public.tasks to authenticated;
grant insert (id, story_id, type, content, status, commit_hash, commit_message, metadata)
  on public.story_logs to authenticated;
grant insert (id, product_id, title, description), update (title, description, product_id, status, archived_at), delete
  on public.ideas to authenticated;
grant insert (idea_id, product_id), delete on public.idea_products to authenticated;

grant select, insert, update, delete on public.products, public.product_members, public.code_counters, public.pbis,
  public.sprints, public.stories, public.tasks, public.task_status_changes, public.story_logs, public.ideas,
  public.idea_products, public.idea_logs to service_role;
