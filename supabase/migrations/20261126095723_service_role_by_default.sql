-- Why: the service role gets its rights on tables by default, and needs no policies, because it bypasses row level security.
set local check_function_bodies = off;

DROP POLICY "budget_sums_service" ON "private"."budget_sums";

DROP POLICY "changes_service" ON "private"."changes";

DROP POLICY "event_flushes_service" ON "private"."event_flushes";

DROP POLICY "account_identities_service" ON "public"."account_identities";

DROP POLICY "code_counters_service" ON "public"."code_counters";

DROP POLICY "file_contents_service" ON "public"."file_contents";

DROP POLICY "idempotency_keys_service" ON "public"."idempotency_keys";

DROP POLICY "job_comments_service" ON "public"."job_comments";

DROP POLICY "job_conflicts_service" ON "public"."job_conflicts";

DROP POLICY "job_diffs_service" ON "public"."job_diffs";

DROP POLICY "job_guides_service" ON "public"."job_guides";

DROP POLICY "job_outputs_service" ON "public"."job_outputs";

DROP POLICY "job_reviews_service" ON "public"."job_reviews";

DROP POLICY "lessons_service" ON "public"."lessons";

DROP POLICY "login_pairings_service" ON "public"."login_pairings";

DROP POLICY "notices_service" ON "public"."notices";

DROP POLICY "oauth_clients_service" ON "public"."oauth_clients";

DROP POLICY "oauth_codes_service" ON "public"."oauth_codes";

DROP POLICY "pull_reactions_service" ON "public"."pull_reactions";

DROP POLICY "rate_limit_counters_service" ON "public"."rate_limit_counters";

DROP POLICY "schedule_runs_service" ON "public"."schedule_runs";

DROP POLICY "settled_items_service" ON "public"."settled_items";

DROP POLICY "spent_refresh_tokens_service" ON "public"."spent_refresh_tokens";

DROP POLICY "sprint_leftovers_service" ON "public"."sprint_leftovers";

DROP POLICY "task_returns_service" ON "public"."task_returns";

DROP POLICY "touched_paths_service" ON "public"."touched_paths";

DROP POLICY "viewed_files_service" ON "public"."viewed_files";

DROP FUNCTION "private"."has_product_access"(uuid);

ALTER DEFAULT PRIVILEGES FOR ROLE "postgres" IN SCHEMA "public" GRANT DELETE, INSERT, SELECT, UPDATE ON TABLES TO "service_role";
