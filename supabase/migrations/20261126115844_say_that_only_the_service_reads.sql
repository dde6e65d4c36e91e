-- Why: a table under row level security without a policy is a finding of Supabase's advisors, so these say again that only the service reads and writes them.
CREATE POLICY "budget_sums_service" ON "private"."budget_sums" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "changes_service" ON "private"."changes" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "event_flushes_service" ON "private"."event_flushes" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "account_identities_service" ON "public"."account_identities" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "code_counters_service" ON "public"."code_counters" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "file_contents_service" ON "public"."file_contents" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "idempotency_keys_service" ON "public"."idempotency_keys" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "job_comments_service" ON "public"."job_comments" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "job_conflicts_service" ON "public"."job_conflicts" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "job_diffs_service" ON "public"."job_diffs" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "job_guides_service" ON "public"."job_guides" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "job_outputs_service" ON "public"."job_outputs" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "job_reviews_service" ON "public"."job_reviews" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "lessons_service" ON "public"."lessons" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "login_pairings_service" ON "public"."login_pairings" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "notices_service" ON "public"."notices" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "oauth_clients_service" ON "public"."oauth_clients" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "oauth_codes_service" ON "public"."oauth_codes" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "pull_reactions_service" ON "public"."pull_reactions" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "rate_limit_counters_service" ON "public"."rate_limit_counters" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "schedule_runs_service" ON "public"."schedule_runs" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "settled_items_service" ON "public"."settled_items" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "spent_refresh_tokens_service" ON "public"."spent_refresh_tokens" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "sprint_leftovers_service" ON "public"."sprint_leftovers" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "task_returns_service" ON "public"."task_returns" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "touched_paths_service" ON "public"."touched_paths" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "viewed_files_service" ON "public"."viewed_files" FOR ALL TO "service_role" USING (true) WITH CHECK (true);
