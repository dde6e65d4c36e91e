-- What 0.2.0 changed in tables and moved between them.
DROP INDEX "public"."agent_jobs_claim_order_idx";

DROP INDEX "public"."agent_workers_current_job_id_idx";

DROP INDEX "public"."agent_workers_last_seen_at_idx";

ALTER TABLE "public"."agent_jobs" DROP CONSTRAINT "agent_jobs_attempt_positive";

ALTER TABLE "public"."agent_jobs" DROP CONSTRAINT "agent_jobs_cache_read_tokens_positive";

ALTER TABLE "public"."agent_jobs" DROP CONSTRAINT "agent_jobs_cache_write_tokens_positive";

ALTER TABLE "public"."agent_jobs" DROP CONSTRAINT "agent_jobs_input_tokens_positive";

ALTER TABLE "public"."agent_jobs" DROP CONSTRAINT "agent_jobs_output_tokens_positive";

ALTER TABLE "public"."agent_jobs" DROP CONSTRAINT "agent_jobs_retry_count_positive";

ALTER TABLE "public"."agent_workers" DROP CONSTRAINT "agent_workers_current_job_id_fkey";

ALTER TABLE "public"."notices" DROP CONSTRAINT "notices_kind";

ALTER TABLE "public"."story_logs" DROP CONSTRAINT "story_logs_metadata_size";

ALTER TABLE "public"."task_status_changes" DROP CONSTRAINT "task_status_changes_product_id_fkey";

ALTER TABLE "public"."agent_jobs" DROP COLUMN "earlier_usage";

ALTER TABLE "public"."agent_workers" DROP COLUMN "current_job_id";

CREATE TABLE "private"."budget_sums" ("budget_id" uuid NOT NULL, "from_at" timestamp with time zone NOT NULL, "last_id" bigint NOT NULL, "amount" numeric NOT NULL, CONSTRAINT "budget_sums_pkey" PRIMARY KEY (budget_id));

CREATE TABLE "private"."changes" ("id" bigint GENERATED ALWAYS AS IDENTITY NOT NULL, "session_id" uuid NOT NULL, "transaction_id" xid8 NOT NULL DEFAULT pg_current_xact_id(), "product_id" uuid NOT NULL, "kind" text NOT NULL, "thing_id" uuid NOT NULL, "code" text NOT NULL, "before" jsonb NOT NULL, "after" jsonb, "lost" text, CONSTRAINT "changes_pkey" PRIMARY KEY (id), "changed_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."budget_reservations" ("job_id" uuid NOT NULL, "unit" text NOT NULL, "attempt" integer NOT NULL, "product_id" uuid NOT NULL, "amount" numeric(20,6) NOT NULL DEFAULT 0, "seen" numeric(20,6) NOT NULL DEFAULT 0, "step" numeric(20,6) NOT NULL DEFAULT 0, CONSTRAINT "budget_reservations_pkey" PRIMARY KEY (job_id, unit));

CREATE TABLE "public"."budget_settings" ("product_id" uuid NOT NULL, "time_zone" text NOT NULL DEFAULT 'UTC'::text, "unreported" text NOT NULL DEFAULT 'allow'::text, "expected_tokens" bigint NOT NULL DEFAULT 200000, "expected_cost" numeric(16,6) NOT NULL DEFAULT 1, CONSTRAINT "budget_settings_expected_cost_positive" CHECK ((expected_cost > (0)::numeric)), CONSTRAINT "budget_settings_expected_tokens_positive" CHECK ((expected_tokens > 0)), CONSTRAINT "budget_settings_pkey" PRIMARY KEY (product_id), CONSTRAINT "budget_settings_time_zone_length" CHECK (((char_length(time_zone) >= 1) AND (char_length(time_zone) <= 64))), CONSTRAINT "budget_settings_unreported_known" CHECK ((unreported = ANY (ARRAY['allow'::text, 'refuse'::text]))));

CREATE TABLE "public"."budgets" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "scope" text NOT NULL, "period" text, "sprint_id" uuid, "sprint_run_id" uuid, "task_id" uuid, "unit" text NOT NULL, "amount" numeric(20,6) NOT NULL, "spent_before" numeric(20,6) NOT NULL DEFAULT 0, "due_at" timestamp with time zone, "reached_at" timestamp with time zone, "warned_at" timestamp with time zone, "overshoot" numeric(20,6) NOT NULL DEFAULT 0, "finish_job_ids" uuid[] NOT NULL DEFAULT '{}'::uuid[], "created_by" uuid, CONSTRAINT "budgets_amount_range" CHECK (((amount > (0)::numeric) AND (amount <= ('1000000000000'::bigint)::numeric))), CONSTRAINT "budgets_one_each" UNIQUE NULLS NOT DISTINCT (product_id, scope, period, sprint_id, sprint_run_id, task_id, unit), CONSTRAINT "budgets_period_known" CHECK ((period = ANY (ARRAY['day'::text, 'week'::text, 'month'::text]))), CONSTRAINT "budgets_pkey" PRIMARY KEY (id), CONSTRAINT "budgets_scope_known" CHECK ((scope = ANY (ARRAY['product'::text, 'sprint'::text, 'run'::text, 'task'::text]))), CONSTRAINT "budgets_scope_target" CHECK (((num_nonnulls(sprint_id, sprint_run_id, task_id) =
CASE scope
    WHEN 'product'::text THEN 0
    ELSE 1
END) AND ((scope = 'product'::text) = (period IS NOT NULL)) AND ((scope = 'sprint'::text) = (sprint_id IS NOT NULL)) AND ((scope = 'run'::text) = (sprint_run_id IS NOT NULL)) AND ((scope = 'task'::text) = (task_id IS NOT NULL)))), CONSTRAINT "budgets_unit_form" CHECK (((unit = 'tokens'::text) OR (unit ~ '^[A-Z]{3}$'::text))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "updated_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."evidence" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "story_id" uuid NOT NULL, "seq" bigint GENERATED ALWAYS AS IDENTITY NOT NULL, "criterion" text NOT NULL, "criterion_text" text NOT NULL, "command" text, "exit_code" integer, "excerpt" text, "url" text, "head_sha" text, "job_id" uuid, "attempt" integer, "worker_id" uuid, "user_id" uuid, "observed_by" text NOT NULL, CONSTRAINT "evidence_command_length" CHECK ((char_length(command) <= 2000)), CONSTRAINT "evidence_criterion_form" CHECK ((criterion ~ '^[0-9a-f]{12}$'::text)), CONSTRAINT "evidence_excerpt_size" CHECK ((octet_length(excerpt) <= 8192)), CONSTRAINT "evidence_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "evidence_pkey" PRIMARY KEY (id), CONSTRAINT "evidence_url_form" CHECK (((url ~ '^https?://'::text) AND (char_length(url) <= 2000))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."inbox_marks" ("user_id" uuid NOT NULL, "item_kind" text NOT NULL, "item_id" uuid NOT NULL, "item_at" timestamp with time zone NOT NULL, "later_until" timestamp with time zone, CONSTRAINT "inbox_marks_kind" CHECK ((item_kind = ANY (ARRAY['question'::text, 'review'::text, 'run'::text, 'job'::text, 'added'::text]))), CONSTRAINT "inbox_marks_pkey" PRIMARY KEY (user_id, item_kind, item_id), "marked_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."job_attempts" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "product_id" uuid NOT NULL, "worker_id" uuid, "worker_name" text NOT NULL, "started_at" timestamp with time zone NOT NULL, "ended_at" timestamp with time zone, "outcome" text, "head_sha" text, "session_id" text, "kept_ref" text, "last_seq" bigint NOT NULL DEFAULT 0, "output_bytes" bigint NOT NULL DEFAULT 0, "dropped_from" bigint, "dropped_to" bigint, "told_at" timestamp with time zone, CONSTRAINT "job_attempts_attempt_positive" CHECK ((attempt >= 1)), CONSTRAINT "job_attempts_ended" CHECK (((ended_at IS NULL) = (outcome IS NULL))), CONSTRAINT "job_attempts_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "job_attempts_kept_ref_length" CHECK ((char_length(kept_ref) <= 300)), CONSTRAINT "job_attempts_outcome_known" CHECK ((outcome = ANY (ARRAY['done'::text, 'skipped'::text, 'failed'::text, 'cancelled'::text, 'rate_limited'::text, 'question'::text, 'lost'::text, 'returned'::text, 'budget'::text, 'conflict'::text]))), CONSTRAINT "job_attempts_pkey" PRIMARY KEY (job_id, attempt), CONSTRAINT "job_attempts_session_id_length" CHECK ((char_length(session_id) <= 300)));

CREATE TABLE "public"."job_comments" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "job_id" uuid, "product_id" uuid NOT NULL, "review_id" uuid, "attempt" integer NOT NULL, "path" text NOT NULL, "line" integer NOT NULL, "side" text NOT NULL, "line_text" text NOT NULL, "body" text NOT NULL, "author_id" uuid, "author" text NOT NULL, CONSTRAINT "job_comments_attempt_positive" CHECK ((attempt >= 1)), CONSTRAINT "job_comments_body_length" CHECK (((char_length(body) >= 1) AND (char_length(body) <= 10000))), CONSTRAINT "job_comments_has_place" CHECK (((job_id IS NOT NULL) OR (review_id IS NOT NULL))), CONSTRAINT "job_comments_line_positive" CHECK ((line >= 1)), CONSTRAINT "job_comments_line_text_length" CHECK ((char_length(line_text) <= 2000)), CONSTRAINT "job_comments_path_length" CHECK (((char_length(path) >= 1) AND (char_length(path) <= 4096))), CONSTRAINT "job_comments_pkey" PRIMARY KEY (id), CONSTRAINT "job_comments_side_known" CHECK ((side = ANY (ARRAY['old'::text, 'new'::text]))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."job_conflicts" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "job_id" uuid NOT NULL, "attempt" integer NOT NULL, "kind" text NOT NULL, "other_job_id" uuid, "branch" text NOT NULL, "ours_sha" text NOT NULL, "theirs_sha" text NOT NULL, "files" jsonb NOT NULL, "decision" text NOT NULL, CONSTRAINT "job_conflicts_attempt_positive" CHECK ((attempt >= 0)), CONSTRAINT "job_conflicts_branch_length" CHECK ((char_length(branch) <= 200)), CONSTRAINT "job_conflicts_decision_known" CHECK ((decision = ANY (ARRAY['home'::text, 'paused'::text, 'noted'::text]))), CONSTRAINT "job_conflicts_files_list" CHECK ((jsonb_typeof(files) = 'array'::text)), CONSTRAINT "job_conflicts_kind_known" CHECK ((kind = ANY (ARRAY['branch'::text, 'base'::text, 'sibling'::text]))), CONSTRAINT "job_conflicts_ours_sha_length" CHECK ((char_length(ours_sha) <= 64)), CONSTRAINT "job_conflicts_pkey" PRIMARY KEY (id), CONSTRAINT "job_conflicts_theirs_sha_length" CHECK ((char_length(theirs_sha) <= 64)), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."job_diffs" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "product_id" uuid NOT NULL, "base_sha" text NOT NULL, "head_sha" text NOT NULL, "additions" integer NOT NULL, "deletions" integer NOT NULL, "files" jsonb NOT NULL, "bytes" integer NOT NULL, CONSTRAINT "job_diffs_additions_positive" CHECK ((additions >= 0)), CONSTRAINT "job_diffs_base_sha_length" CHECK ((char_length(base_sha) <= 64)), CONSTRAINT "job_diffs_bytes_positive" CHECK ((bytes >= 0)), CONSTRAINT "job_diffs_deletions_positive" CHECK ((deletions >= 0)), CONSTRAINT "job_diffs_files_list" CHECK ((jsonb_typeof(files) = 'array'::text)), CONSTRAINT "job_diffs_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "job_diffs_pkey" PRIMARY KEY (job_id, attempt), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."job_outputs" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "seq" bigint NOT NULL, "at" timestamp with time zone NOT NULL, "kind" text NOT NULL, "text" text NOT NULL, "title" text, "path" text, "status" text, CONSTRAINT "job_outputs_kind_known" CHECK ((kind = ANY (ARRAY['text'::text, 'thought'::text, 'plan'::text, 'command'::text, 'tool'::text, 'edit'::text, 'test'::text, 'note'::text, 'error'::text]))), CONSTRAINT "job_outputs_path_length" CHECK ((char_length(path) <= 2000)), CONSTRAINT "job_outputs_pkey" PRIMARY KEY (job_id, attempt, seq), CONSTRAINT "job_outputs_seq_positive" CHECK ((seq >= 1)), CONSTRAINT "job_outputs_status_length" CHECK ((char_length(status) <= 100)), CONSTRAINT "job_outputs_title_length" CHECK ((char_length(title) <= 1000)), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."job_reviews" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "job_id" uuid, "product_id" uuid NOT NULL, "attempt" integer NOT NULL, "verdict" text NOT NULL, "summary" text NOT NULL, "author_id" uuid, "author" text NOT NULL, "task_id" uuid, CONSTRAINT "job_reviews_attempt_positive" CHECK ((attempt >= 1)), CONSTRAINT "job_reviews_one_place" CHECK ((num_nonnulls(job_id, task_id) = 1)), CONSTRAINT "job_reviews_pkey" PRIMARY KEY (id), CONSTRAINT "job_reviews_summary_length" CHECK ((char_length(summary) <= 10000)), CONSTRAINT "job_reviews_verdict_known" CHECK ((verdict = ANY (ARRAY['approve'::text, 'request_changes'::text]))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."saved_views" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "user_id" uuid, "created_by" uuid, "page" text NOT NULL, "name" text NOT NULL, "look" jsonb NOT NULL, CONSTRAINT "saved_views_look_form" CHECK (((jsonb_typeof(look) = 'object'::text) AND (octet_length((look)::text) <= 4000))), CONSTRAINT "saved_views_name_form" CHECK (((name <> ''::text) AND (char_length(name) <= 60) AND (name = btrim(name)) AND (name !~ '[[:cntrl:]]'::text))), CONSTRAINT "saved_views_page_known" CHECK ((page = ANY (ARRAY['backlog'::text, 'board'::text]))), CONSTRAINT "saved_views_pkey" PRIMARY KEY (id), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "updated_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."sprint_leftovers" ("sprint_id" uuid NOT NULL, "story_id" uuid NOT NULL, CONSTRAINT "sprint_leftovers_pkey" PRIMARY KEY (sprint_id, story_id));

CREATE TABLE "public"."story_dependencies" ("blocked_id" uuid NOT NULL, "blocker_id" uuid NOT NULL, "product_id" uuid NOT NULL, CONSTRAINT "story_dependencies_pkey" PRIMARY KEY (blocked_id, blocker_id), CONSTRAINT "story_dependencies_two_ends" CHECK ((blocked_id <> blocker_id)), "created_by" uuid DEFAULT auth.uid(), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."story_heads" ("story_id" uuid NOT NULL, "head_sha" text NOT NULL, "job_id" uuid, "attempt" integer NOT NULL, CONSTRAINT "story_heads_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "story_heads_pkey" PRIMARY KEY (story_id), "moved_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."task_dependencies" ("blocked_id" uuid NOT NULL, "blocker_id" uuid NOT NULL, "product_id" uuid NOT NULL, CONSTRAINT "task_dependencies_pkey" PRIMARY KEY (blocked_id, blocker_id), CONSTRAINT "task_dependencies_two_ends" CHECK ((blocked_id <> blocker_id)), "created_by" uuid DEFAULT auth.uid(), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."tasks_in_review" ("task_id" uuid NOT NULL, "product_id" uuid NOT NULL, CONSTRAINT "tasks_in_review_pkey" PRIMARY KEY (task_id), "since" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."usage_events" ("id" bigint GENERATED ALWAYS AS IDENTITY NOT NULL, "product_id" uuid NOT NULL, "job_id" uuid, "task_id" uuid, "sprint_run_id" uuid, "worker_id" uuid, "attempt" integer NOT NULL, "seq" bigint NOT NULL, "model_id" text, "input_tokens" bigint, "output_tokens" bigint, "cache_read_tokens" bigint, "cache_write_tokens" bigint, "reported_cost" numeric(16,8), "rates" jsonb, "cost" numeric(16,8), "currency" text, "source" text NOT NULL, "estimated" boolean NOT NULL DEFAULT false, "subscription" boolean NOT NULL DEFAULT false, CONSTRAINT "usage_events_cost_has_currency" CHECK (((cost IS NULL) = (currency IS NULL))), CONSTRAINT "usage_events_currency_form" CHECK ((currency ~ '^[A-Z]{3}$'::text)), CONSTRAINT "usage_events_model_id_length" CHECK ((char_length(model_id) <= 200)), CONSTRAINT "usage_events_once" UNIQUE (job_id, attempt, seq), CONSTRAINT "usage_events_pkey" PRIMARY KEY (id), CONSTRAINT "usage_events_seq_not_zero" CHECK ((seq <> 0)), CONSTRAINT "usage_events_source_fits" CHECK (((source = 'unpriced'::text) = (cost IS NULL))), CONSTRAINT "usage_events_source_known" CHECK ((source = ANY (ARRAY['reported'::text, 'list_price'::text, 'unpriced'::text]))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."usage_so_far" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "model_id" text NOT NULL DEFAULT ''::text, "after_seq" bigint NOT NULL DEFAULT 0, "product_id" uuid NOT NULL, "task_id" uuid, "sprint_run_id" uuid, "worker_id" uuid, "input_tokens" bigint, "output_tokens" bigint, "cache_read_tokens" bigint, "cache_write_tokens" bigint, "reported_cost" numeric(16,8), "rates" jsonb, "cost" numeric(16,8), "currency" text, "source" text NOT NULL, "subscription" boolean NOT NULL DEFAULT false, CONSTRAINT "usage_so_far_currency_form" CHECK ((currency ~ '^[A-Z]{3}$'::text)), CONSTRAINT "usage_so_far_model_id_length" CHECK ((char_length(model_id) <= 200)), CONSTRAINT "usage_so_far_pkey" PRIMARY KEY (job_id, attempt, model_id), CONSTRAINT "usage_so_far_source_known" CHECK ((source = ANY (ARRAY['reported'::text, 'list_price'::text, 'unpriced'::text]))), "told_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."waivers" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "story_id" uuid NOT NULL, "criterion" text NOT NULL, "criterion_text" text NOT NULL, "reason" text NOT NULL, "user_id" uuid, "waived_by" text NOT NULL, CONSTRAINT "waivers_criterion_form" CHECK ((criterion ~ '^[0-9a-f]{12}$'::text)), CONSTRAINT "waivers_pkey" PRIMARY KEY (id), CONSTRAINT "waivers_reason_length" CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 2000))), CONSTRAINT "waivers_story_id_criterion_key" UNIQUE (story_id, criterion), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."agent_jobs" ADD COLUMN "open_blockers" integer NOT NULL DEFAULT 0;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "author_worker_id" uuid;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "merged_at" timestamp with time zone;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "additions" integer;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "deletions" integer;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "stopped_by_budget_id" uuid;

ALTER TABLE "public"."agent_workers" ADD COLUMN "agents" jsonb;

ALTER TABLE "public"."api_tokens" ADD COLUMN "session_id" uuid;

ALTER TABLE "public"."login_pairings" ADD COLUMN "approved_in" uuid;

ALTER TABLE "public"."product_members" ADD COLUMN "workers_allowed" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."product_members" ADD COLUMN "workers_decided_at" timestamp with time zone;

ALTER TABLE "public"."push_subscriptions" ADD COLUMN "session_id" uuid;

ALTER TABLE "public"."schedule_runs" ADD COLUMN "finished_at" timestamp with time zone;

CREATE TYPE "private"."budget_room" AS ("budget_id" uuid, "unit" text, "room" numeric, "need" numeric, "is_full" boolean);

CREATE TYPE "private"."job_report" AS ("status" text, "verify_result" text, "summary" text, "failure_class" text, "failure_reason" text, "resets_at" timestamp with time zone, "base_sha" text, "head_sha" text, "branch" text, "pushed_at" timestamp with time zone, "pr_url" text, "session_id" text, "kept_ref" text, "model_id" text, "input_tokens" bigint, "output_tokens" bigint, "cache_read_tokens" bigint, "cache_write_tokens" bigint, "events" jsonb, "evidence" jsonb);

CREATE TYPE "public"."dependency_release" AS ENUM ('done', 'merged');

ALTER TABLE "public"."products" ADD COLUMN "dependency_release" public.dependency_release NOT NULL DEFAULT 'done'::public.dependency_release;

CREATE TYPE "public"."done_requires" AS ENUM ('none', 'worker', 'other_worker', 'person');

ALTER TABLE "public"."products" ADD COLUMN "done_requires" public.done_requires NOT NULL DEFAULT 'none'::public.done_requires;

CREATE TYPE "public"."evidence_grade" AS ENUM ('said', 'worker', 'other_worker', 'ci', 'person');

ALTER TABLE "public"."evidence" ADD COLUMN "grade" public.evidence_grade NOT NULL;

CREATE TYPE "private"."proven_criterion" AS ("story_id" uuid, "place" integer, "id" text, "kind" text, "text" text, "state" text, "grade" public.evidence_grade, "evidence_id" uuid);

CREATE TYPE "public"."evidence_kind" AS ENUM ('command', 'diff', 'file', 'picture', 'link', 'person');

ALTER TABLE "public"."evidence" ADD COLUMN "kind" public.evidence_kind NOT NULL;

CREATE TYPE "public"."evidence_verdict" AS ENUM ('pass', 'fail', 'unverifiable');

ALTER TABLE "public"."evidence" ADD COLUMN "verdict" public.evidence_verdict NOT NULL;

CREATE TYPE "public"."job_phase" AS ENUM ('implement', 'verify', 'review');

ALTER TABLE "public"."agent_jobs" ADD COLUMN "phase" public.job_phase NOT NULL DEFAULT 'implement'::public.job_phase;

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_author_worker_id_fkey" FOREIGN KEY (author_worker_id) REFERENCES public.agent_workers(id) ON DELETE SET NULL;

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_counts_positive" CHECK ((LEAST((open_blockers)::bigint, (retry_count)::bigint, (attempt)::bigint, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, (additions)::bigint, (deletions)::bigint) >= 0));

ALTER TABLE "public"."agent_workers" ADD CONSTRAINT "agent_workers_agents_list" CHECK (((jsonb_typeof(agents) = 'array'::text) AND (jsonb_array_length(agents) <= 20) AND (octet_length((agents)::text) <= 4096)));

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_session_id_fkey" FOREIGN KEY (session_id) REFERENCES public.user_sessions(id) ON DELETE SET NULL;

ALTER TABLE "public"."budget_reservations" ADD CONSTRAINT "budget_reservations_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."budget_reservations" ADD CONSTRAINT "budget_reservations_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."budget_settings" ADD CONSTRAINT "budget_settings_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."budgets" ADD CONSTRAINT "budgets_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "private"."budget_sums" ADD CONSTRAINT "budget_sums_budget_id_fkey" FOREIGN KEY (budget_id) REFERENCES public.budgets(id) ON DELETE CASCADE;

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_stopped_by_budget_id_fkey" FOREIGN KEY (stopped_by_budget_id) REFERENCES public.budgets(id) ON DELETE SET NULL;

ALTER TABLE "public"."budgets" ADD CONSTRAINT "budgets_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."budgets" ADD CONSTRAINT "budgets_sprint_id_fkey" FOREIGN KEY (sprint_id) REFERENCES public.sprints(id) ON DELETE CASCADE;

ALTER TABLE "public"."budgets" ADD CONSTRAINT "budgets_sprint_run_id_fkey" FOREIGN KEY (sprint_run_id) REFERENCES public.sprint_runs(id) ON DELETE CASCADE;

ALTER TABLE "public"."budgets" ADD CONSTRAINT "budgets_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE SET NULL;

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_person" CHECK (((grade = 'person'::public.evidence_grade) = (kind = 'person'::public.evidence_kind)));

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_story_id_fkey" FOREIGN KEY (story_id) REFERENCES public.stories(id) ON DELETE CASCADE;

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_worker_id_fkey" FOREIGN KEY (worker_id) REFERENCES public.agent_workers(id) ON DELETE SET NULL;

ALTER TABLE "public"."inbox_marks" ADD CONSTRAINT "inbox_marks_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_attempts" ADD CONSTRAINT "job_attempts_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_attempts" ADD CONSTRAINT "job_attempts_worker_id_fkey" FOREIGN KEY (worker_id) REFERENCES public.agent_workers(id) ON DELETE SET NULL;

ALTER TABLE "public"."job_comments" ADD CONSTRAINT "job_comments_author_id_fkey" FOREIGN KEY (author_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_comments" ADD CONSTRAINT "job_comments_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_comments" ADD CONSTRAINT "job_comments_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_conflicts" ADD CONSTRAINT "job_conflicts_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_conflicts" ADD CONSTRAINT "job_conflicts_other_job_id_fkey" FOREIGN KEY (other_job_id) REFERENCES public.agent_jobs(id) ON DELETE SET NULL;

ALTER TABLE "public"."job_conflicts" ADD CONSTRAINT "job_conflicts_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_diffs" ADD CONSTRAINT "job_diffs_attempt_fkey" FOREIGN KEY (job_id, attempt) REFERENCES public.job_attempts(job_id, attempt) ON DELETE CASCADE;

ALTER TABLE "public"."job_diffs" ADD CONSTRAINT "job_diffs_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_outputs" ADD CONSTRAINT "job_outputs_attempt_fkey" FOREIGN KEY (job_id, attempt) REFERENCES public.job_attempts(job_id, attempt) ON DELETE CASCADE;

ALTER TABLE "public"."job_reviews" ADD CONSTRAINT "job_reviews_author_id_fkey" FOREIGN KEY (author_id) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."job_reviews" ADD CONSTRAINT "job_reviews_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_comments" ADD CONSTRAINT "job_comments_review_id_fkey" FOREIGN KEY (review_id) REFERENCES public.job_reviews(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_reviews" ADD CONSTRAINT "job_reviews_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_reviews" ADD CONSTRAINT "job_reviews_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE "public"."login_pairings" ADD CONSTRAINT "login_pairings_approved_in_fkey" FOREIGN KEY (approved_in) REFERENCES public.user_sessions(id) ON DELETE SET NULL;

ALTER TABLE "public"."notices" ADD CONSTRAINT "notices_kind" CHECK ((kind = ANY (ARRAY['question_opened'::text, 'question_answered'::text, 'question_expired'::text, 'run_paused'::text, 'run_failed'::text, 'run_done'::text, 'review_needed'::text, 'budget_warning'::text, 'ping'::text])));

update public.product_members m set workers_allowed = true where m.role = 'OWNER';

ALTER TABLE "public"."product_members" ADD CONSTRAINT "product_members_owner_workers" CHECK (((role <> 'OWNER'::public.member_role) OR workers_allowed));

ALTER TABLE "public"."push_subscriptions" ADD CONSTRAINT "push_subscriptions_session_id_fkey" FOREIGN KEY (session_id) REFERENCES public.user_sessions(id) ON DELETE CASCADE;

ALTER TABLE "public"."saved_views" ADD CONSTRAINT "saved_views_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."saved_views" ADD CONSTRAINT "saved_views_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."saved_views" ADD CONSTRAINT "saved_views_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."sprint_leftovers" ADD CONSTRAINT "sprint_leftovers_sprint_id_fkey" FOREIGN KEY (sprint_id) REFERENCES public.sprints(id) ON DELETE CASCADE;

ALTER TABLE "public"."sprint_leftovers" ADD CONSTRAINT "sprint_leftovers_story_id_fkey" FOREIGN KEY (story_id) REFERENCES public.stories(id) ON DELETE CASCADE;

ALTER TABLE "public"."story_dependencies" ADD CONSTRAINT "story_dependencies_blocked_fkey" FOREIGN KEY (blocked_id, product_id) REFERENCES public.stories(id, product_id) ON DELETE CASCADE;

ALTER TABLE "public"."story_dependencies" ADD CONSTRAINT "story_dependencies_blocker_fkey" FOREIGN KEY (blocker_id, product_id) REFERENCES public.stories(id, product_id) ON DELETE CASCADE;

ALTER TABLE "public"."story_dependencies" ADD CONSTRAINT "story_dependencies_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."story_heads" ADD CONSTRAINT "story_heads_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE SET NULL;

ALTER TABLE "public"."story_heads" ADD CONSTRAINT "story_heads_story_id_fkey" FOREIGN KEY (story_id) REFERENCES public.stories(id) ON DELETE CASCADE;

ALTER TABLE "public"."story_logs" ADD CONSTRAINT "story_logs_metadata_size" CHECK (((octet_length((metadata)::text) <= 65536) OR (octet_length(regexp_replace((metadata)::text, '("(?:[^"\\]|\\.)*")| '::text, '\1'::text, 'g'::text)) <= 65536))) NOT VALID;

ALTER TABLE "public"."task_dependencies" ADD CONSTRAINT "task_dependencies_blocked_fkey" FOREIGN KEY (blocked_id, product_id) REFERENCES public.tasks(id, product_id) ON DELETE CASCADE;

ALTER TABLE "public"."task_dependencies" ADD CONSTRAINT "task_dependencies_blocker_fkey" FOREIGN KEY (blocker_id, product_id) REFERENCES public.tasks(id, product_id) ON DELETE CASCADE;

ALTER TABLE "public"."task_dependencies" ADD CONSTRAINT "task_dependencies_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."tasks_in_review" ADD CONSTRAINT "tasks_in_review_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."tasks_in_review" ADD CONSTRAINT "tasks_in_review_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE "public"."usage_events" ADD CONSTRAINT "usage_events_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE SET NULL;

ALTER TABLE "public"."usage_events" ADD CONSTRAINT "usage_events_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."usage_events" ADD CONSTRAINT "usage_events_sprint_run_id_fkey" FOREIGN KEY (sprint_run_id) REFERENCES public.sprint_runs(id) ON DELETE SET NULL;

ALTER TABLE "public"."usage_events" ADD CONSTRAINT "usage_events_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE SET NULL;

ALTER TABLE "public"."usage_events" ADD CONSTRAINT "usage_events_worker_id_fkey" FOREIGN KEY (worker_id) REFERENCES public.agent_workers(id) ON DELETE SET NULL;

ALTER TABLE "public"."usage_so_far" ADD CONSTRAINT "usage_so_far_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."usage_so_far" ADD CONSTRAINT "usage_so_far_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."usage_so_far" ADD CONSTRAINT "usage_so_far_sprint_run_id_fkey" FOREIGN KEY (sprint_run_id) REFERENCES public.sprint_runs(id) ON DELETE SET NULL;

ALTER TABLE "public"."usage_so_far" ADD CONSTRAINT "usage_so_far_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE SET NULL;

ALTER TABLE "public"."usage_so_far" ADD CONSTRAINT "usage_so_far_worker_id_fkey" FOREIGN KEY (worker_id) REFERENCES public.agent_workers(id) ON DELETE SET NULL;

ALTER TABLE "public"."waivers" ADD CONSTRAINT "waivers_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."waivers" ADD CONSTRAINT "waivers_story_id_fkey" FOREIGN KEY (story_id) REFERENCES public.stories(id) ON DELETE CASCADE;

ALTER TABLE "public"."waivers" ADD CONSTRAINT "waivers_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;

CREATE INDEX changes_session_idx ON private.changes USING btree (session_id, id);

CREATE INDEX agent_jobs_author_worker_id_idx ON public.agent_jobs USING btree (author_worker_id) WHERE (author_worker_id IS NOT NULL);

CREATE INDEX agent_jobs_claim_order_idx ON public.agent_jobs USING btree (product_id, claim_rank, created_at, "position", id) WHERE ((status = 'QUEUED'::public.agent_job_status) AND in_turn AND (open_blockers = 0));

CREATE INDEX agent_jobs_done_idx ON public.agent_jobs USING btree (product_id, finished_at) WHERE ((status = 'DONE'::public.agent_job_status) AND (kind = 'TASK_IMPLEMENTATION'::public.agent_job_kind));

CREATE INDEX agent_jobs_held_idx ON public.agent_jobs USING btree (worker_id) WHERE (status = ANY (ARRAY['CLAIMED'::public.agent_job_status, 'RUNNING'::public.agent_job_status]));

CREATE INDEX agent_jobs_stopped_by_budget_id_idx ON public.agent_jobs USING btree (stopped_by_budget_id) WHERE (stopped_by_budget_id IS NOT NULL);

CREATE INDEX api_tokens_session_id_idx ON public.api_tokens USING btree (session_id);

CREATE INDEX budget_reservations_product_id_idx ON public.budget_reservations USING btree (product_id);

CREATE INDEX budgets_created_by_idx ON public.budgets USING btree (created_by);

CREATE INDEX budgets_sprint_id_idx ON public.budgets USING btree (sprint_id);

CREATE INDEX budgets_sprint_run_id_idx ON public.budgets USING btree (sprint_run_id);

CREATE INDEX budgets_task_id_idx ON public.budgets USING btree (task_id);

CREATE INDEX budgets_unsettled_idx ON public.budgets USING btree (product_id) WHERE ((due_at IS NOT NULL) OR (reached_at IS NOT NULL));

CREATE INDEX evidence_job_id_idx ON public.evidence USING btree (job_id);

CREATE INDEX evidence_product_id_idx ON public.evidence USING btree (product_id);

CREATE INDEX evidence_story_id_idx ON public.evidence USING btree (story_id, criterion, seq);

CREATE INDEX evidence_user_id_idx ON public.evidence USING btree (user_id);

CREATE INDEX evidence_worker_id_idx ON public.evidence USING btree (worker_id);

CREATE INDEX job_attempts_product_id_idx ON public.job_attempts USING btree (product_id);

CREATE INDEX job_attempts_worker_id_idx ON public.job_attempts USING btree (worker_id);

CREATE INDEX job_comments_author_id_idx ON public.job_comments USING btree (author_id);

CREATE INDEX job_comments_product_id_idx ON public.job_comments USING btree (product_id);

CREATE INDEX job_comments_review_id_idx ON public.job_comments USING btree (review_id);

CREATE INDEX job_conflicts_other_job_id_idx ON public.job_conflicts USING btree (other_job_id) WHERE (other_job_id IS NOT NULL);

CREATE INDEX job_conflicts_product_id_idx ON public.job_conflicts USING btree (product_id);

CREATE INDEX job_reviews_author_id_idx ON public.job_reviews USING btree (author_id);

CREATE INDEX job_reviews_product_id_idx ON public.job_reviews USING btree (product_id);

CREATE INDEX job_reviews_task_id_idx ON public.job_reviews USING btree (task_id) WHERE (task_id IS NOT NULL);

CREATE INDEX login_pairings_approved_in_idx ON public.login_pairings USING btree (approved_in);

CREATE INDEX push_subscriptions_session_id_idx ON public.push_subscriptions USING btree (session_id);

CREATE INDEX saved_views_created_by_idx ON public.saved_views USING btree (created_by);

CREATE UNIQUE INDEX saved_views_one_name ON public.saved_views USING btree (product_id, page, user_id, lower(name)) NULLS NOT DISTINCT;

CREATE INDEX saved_views_user_id_idx ON public.saved_views USING btree (user_id);

CREATE INDEX sprint_leftovers_story_id_idx ON public.sprint_leftovers USING btree (story_id);

CREATE INDEX story_dependencies_blocked_idx ON public.story_dependencies USING btree (blocked_id, product_id);

CREATE INDEX story_dependencies_blocker_idx ON public.story_dependencies USING btree (blocker_id, product_id);

CREATE INDEX story_dependencies_product_id_idx ON public.story_dependencies USING btree (product_id);

CREATE INDEX story_heads_job_id_idx ON public.story_heads USING btree (job_id);

CREATE INDEX task_dependencies_blocked_idx ON public.task_dependencies USING btree (blocked_id, product_id);

CREATE INDEX task_dependencies_blocker_idx ON public.task_dependencies USING btree (blocker_id, product_id);

CREATE INDEX task_dependencies_product_id_idx ON public.task_dependencies USING btree (product_id);

CREATE INDEX tasks_in_review_product_id_idx ON public.tasks_in_review USING btree (product_id);

CREATE INDEX usage_events_product_lines_idx ON public.usage_events USING btree (product_id, id);

CREATE INDEX usage_events_sprint_run_id_idx ON public.usage_events USING btree (sprint_run_id, id);

CREATE INDEX usage_events_task_id_idx ON public.usage_events USING btree (task_id, id);

CREATE INDEX usage_events_worker_id_idx ON public.usage_events USING btree (worker_id, id);

CREATE INDEX usage_so_far_sprint_run_id_idx ON public.usage_so_far USING btree (sprint_run_id);

CREATE INDEX usage_so_far_task_id_idx ON public.usage_so_far USING btree (task_id);

CREATE INDEX usage_so_far_worker_id_idx ON public.usage_so_far USING btree (worker_id);

CREATE INDEX waivers_product_id_idx ON public.waivers USING btree (product_id);

CREATE INDEX waivers_user_id_idx ON public.waivers USING btree (user_id);

update public.schedule_runs set finished_at = claimed_at;

insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, started_at, ended_at, outcome, head_sha)
select j.id, j.attempt, j.product_id, j.worker_id, coalesce(w.name, ''), coalesce(j.claimed_at, j.created_at),
  case when j.status not in ('CLAIMED', 'RUNNING') then coalesce(j.finished_at, j.updated_at) end,
  case
    when j.status in ('CLAIMED', 'RUNNING') then null
    when j.status <> 'QUEUED' then lower(j.status::text)
    when j.failure_class = 'rate_limited' then 'rate_limited'
    when j.failure_class is not null then 'lost'
    when j.parked_question_id is not null then 'question'
    else 'returned'
  end,
  j.head_sha
from public.agent_jobs j
left join public.agent_workers w on w.id = j.worker_id
where j.attempt > 0
on conflict (job_id, attempt) do nothing;

insert into public.usage_events (product_id, job_id, task_id, sprint_run_id, worker_id, attempt, seq, model_id,
  input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, rates, cost, currency, source, created_at)
select j.product_id, j.id, j.task_id, j.sprint_run_id, j.worker_id, greatest(j.attempt, 1), -1, j.model_id,
  j.input_tokens, j.output_tokens, j.cache_read_tokens, j.cache_write_tokens,
  case when m.model_id is not null then jsonb_build_object('input', m.input_per_million, 'output', m.output_per_million,
    'cache_read', m.cache_read_per_million, 'cache_write', m.cache_write_per_million, 'currency', m.currency) end,
  (coalesce(j.input_tokens, 0) * m.input_per_million + coalesce(j.output_tokens, 0) * m.output_per_million
    + coalesce(j.cache_read_tokens, 0) * m.cache_read_per_million
    + coalesce(j.cache_write_tokens, 0) * m.cache_write_per_million) / 1000000,
  m.currency, case when m.model_id is null then 'unpriced' else 'list_price' end, coalesce(j.finished_at, j.updated_at)
from public.agent_jobs j
left join public.model_prices m on m.model_id = j.model_id
where num_nonnulls(j.input_tokens, j.output_tokens, j.cache_read_tokens, j.cache_write_tokens) > 0;

insert into public.tasks_in_review (task_id, product_id, since)
select t.id, t.product_id, coalesce(
  (select max(c.changed_at) from public.task_status_changes c where c.task_id = t.id and c.to_status = 'REVIEW'), t.updated_at)
from public.tasks t
where t.status = 'REVIEW';

update public.task_status_changes c
set sprint_id = s.sprint_id
from public.tasks t
join public.stories s on s.id = t.story_id
where c.task_id = t.id and c.sprint_id is null and s.sprint_id is not null;

insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
select t.id, t.story_id, t.product_id, s.sprint_id, t.status, t.status
from public.tasks t
join public.stories s on s.id = t.story_id
cross join lateral (
  select c.sprint_id from public.task_status_changes c where c.task_id = t.id order by c.changed_at desc, c.id desc limit 1
) l
where l.sprint_id is distinct from s.sprint_id;

CREATE INDEX changes_changed_at_idx ON private.changes USING btree (changed_at);

CREATE INDEX job_comments_job_id_idx ON public.job_comments USING btree (job_id, created_at);

CREATE INDEX job_conflicts_job_id_idx ON public.job_conflicts USING btree (job_id, created_at);

CREATE INDEX job_diffs_product_id_idx ON public.job_diffs USING btree (product_id, created_at);

CREATE INDEX job_outputs_created_at_idx ON public.job_outputs USING btree (created_at);

CREATE INDEX job_reviews_job_id_idx ON public.job_reviews USING btree (job_id, created_at);

ALTER TABLE "public"."story_dependencies" ADD CONSTRAINT "story_dependencies_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

CREATE INDEX story_dependencies_created_by_idx ON public.story_dependencies USING btree (created_by);

ALTER TABLE "public"."task_dependencies" ADD CONSTRAINT "task_dependencies_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

CREATE INDEX task_dependencies_created_by_idx ON public.task_dependencies USING btree (created_by);

CREATE INDEX usage_events_product_id_idx ON public.usage_events USING btree (product_id, created_at);

CREATE INDEX usage_so_far_product_id_idx ON public.usage_so_far USING btree (product_id, told_at);
