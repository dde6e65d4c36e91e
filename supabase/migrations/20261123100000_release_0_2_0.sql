-- Why: release 0.2.0 in one step from 0.1.0: consent of workers, live output, proof, reviews, dependencies, budgets, changes taken back.
set local check_function_bodies = off;

DROP POLICY "agent_jobs_select" ON "public"."agent_jobs";

DROP POLICY "idea_products_delete" ON "public"."idea_products";

DROP POLICY "idea_products_insert" ON "public"."idea_products";

DROP POLICY "ideas_delete" ON "public"."ideas";

DROP POLICY "ideas_update" ON "public"."ideas";

DROP POLICY "product_members_delete" ON "public"."product_members";

DROP TRIGGER "_121_copy_product" ON "public"."tasks";

DROP TRIGGER "_151_assign_code" ON "public"."tasks";

DROP TRIGGER "_201_sort_order" ON "public"."tasks";

DROP TRIGGER "_500_derive_story_update" ON "public"."tasks";

DROP TRIGGER "_550_record_status_update" ON "public"."tasks";

DROP TRIGGER "_620_finish_execution" ON "public"."tasks";

DROP INDEX "public"."agent_jobs_claim_order_idx";

DROP INDEX "public"."agent_workers_current_job_id_idx";

DROP INDEX "public"."agent_workers_last_seen_at_idx";

DROP VIEW "private"."claimable_jobs";

DROP VIEW "private"."product_detail_shape";

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

DROP FUNCTION "private"."approve_pairing"(uuid, text);

DROP FUNCTION "private"."cancel_pairing"(uuid, text);

DROP FUNCTION "private"."change_event"(text, text, jsonb, jsonb);

DROP FUNCTION "private"."heartbeat_agent_job"(uuid, integer, integer);

DROP FUNCTION "private"."job_cost"(public.agent_jobs);

DROP FUNCTION "private"."list_open_user_questions"(uuid);

DROP FUNCTION "private"."next_product"(uuid, uuid, uuid, jsonb, uuid[]);

DROP FUNCTION "private"."nothing_to_claim"(uuid, uuid);

DROP FUNCTION "private"."pause_run"(public.sprint_runs, text, text, jsonb, uuid);

DROP FUNCTION "private"."record_usage"(public.agent_jobs, text, bigint, bigint, bigint, bigint);

DROP FUNCTION "private"."release_worker"(uuid, uuid);

DROP FUNCTION "private"."report_agent_job"(uuid, integer, text, text, text, text, text, timestamp with time zone, text, text, text, timestamp with time zone, text, text, bigint, bigint, bigint, bigint);

DROP FUNCTION "private"."report_job_usage"(uuid, integer, text, bigint, bigint, bigint, bigint);

DROP FUNCTION "private"."restart_worker"(text);

DROP FUNCTION "private"."start_sprint_run"(uuid);

DROP FUNCTION "private"."sweep_expired_leases"();

DROP FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb);

DROP FUNCTION "private"."tg_tasks__finish_execution"();

DROP FUNCTION "private"."touch_worker"(uuid, text, text, integer, uuid, boolean);

DROP FUNCTION "private"."usage_so_far"(public.agent_jobs);

DROP FUNCTION "private"."worker_heartbeat"(text, text, text, integer, boolean);

DROP FUNCTION "private"."write_down_expired"(boolean);

DROP FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text);

DROP FUNCTION "public"."create_story"(uuid, text, text, text, text, integer, uuid, uuid);

DROP FUNCTION "public"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer);

DROP FUNCTION "public"."find_login_identity"(text);

DROP FUNCTION "public"."heartbeat_agent_job"(uuid, integer, integer);

DROP FUNCTION "public"."list_open_user_questions"(uuid);

DROP FUNCTION "public"."report_agent_job"(uuid, integer, text, text, text, text, text, timestamp with time zone, text, text, text, timestamp with time zone, text, text, bigint, bigint, bigint, bigint);

DROP FUNCTION "public"."report_job_usage"(uuid, integer, text, bigint, bigint, bigint, bigint);

DROP FUNCTION "public"."restart_worker"(text);

DROP FUNCTION "public"."set_task_status"(uuid, text);

DROP FUNCTION "public"."start_sprint_run"(uuid);

DROP FUNCTION "public"."worker_heartbeat"(text, text, text, integer, boolean);

ALTER TABLE "public"."agent_jobs" DROP COLUMN "earlier_usage";

ALTER TABLE "public"."agent_workers" DROP COLUMN "current_job_id";

CREATE TABLE "private"."budget_sums" ("budget_id" uuid NOT NULL, "from_at" timestamp with time zone NOT NULL, "last_id" bigint NOT NULL, "amount" numeric NOT NULL, CONSTRAINT "budget_sums_pkey" PRIMARY KEY (budget_id));

ALTER TABLE "private"."budget_sums" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."changes" ("id" bigint GENERATED ALWAYS AS IDENTITY NOT NULL, "session_id" uuid NOT NULL, "transaction_id" xid8 NOT NULL DEFAULT pg_current_xact_id(), "product_id" uuid NOT NULL, "kind" text NOT NULL, "thing_id" uuid NOT NULL, "code" text NOT NULL, "before" jsonb NOT NULL, "after" jsonb, "lost" text, CONSTRAINT "changes_pkey" PRIMARY KEY (id), "changed_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "private"."changes" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."budget_reservations" ("job_id" uuid NOT NULL, "unit" text NOT NULL, "attempt" integer NOT NULL, "product_id" uuid NOT NULL, "amount" numeric(20,6) NOT NULL DEFAULT 0, "seen" numeric(20,6) NOT NULL DEFAULT 0, "step" numeric(20,6) NOT NULL DEFAULT 0, CONSTRAINT "budget_reservations_pkey" PRIMARY KEY (job_id, unit));

ALTER TABLE "public"."budget_reservations" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."budget_settings" ("product_id" uuid NOT NULL, "time_zone" text NOT NULL DEFAULT 'UTC'::text, "unreported" text NOT NULL DEFAULT 'allow'::text, "expected_tokens" bigint NOT NULL DEFAULT 200000, "expected_cost" numeric(16,6) NOT NULL DEFAULT 1, CONSTRAINT "budget_settings_expected_cost_positive" CHECK ((expected_cost > (0)::numeric)), CONSTRAINT "budget_settings_expected_tokens_positive" CHECK ((expected_tokens > 0)), CONSTRAINT "budget_settings_pkey" PRIMARY KEY (product_id), CONSTRAINT "budget_settings_time_zone_length" CHECK (((char_length(time_zone) >= 1) AND (char_length(time_zone) <= 64))), CONSTRAINT "budget_settings_unreported_known" CHECK ((unreported = ANY (ARRAY['allow'::text, 'refuse'::text]))));

ALTER TABLE "public"."budget_settings" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."budgets" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "scope" text NOT NULL, "period" text, "sprint_id" uuid, "sprint_run_id" uuid, "task_id" uuid, "unit" text NOT NULL, "amount" numeric(20,6) NOT NULL, "spent_before" numeric(20,6) NOT NULL DEFAULT 0, "due_at" timestamp with time zone, "reached_at" timestamp with time zone, "warned_at" timestamp with time zone, "overshoot" numeric(20,6) NOT NULL DEFAULT 0, "finish_job_ids" uuid[] NOT NULL DEFAULT '{}'::uuid[], "created_by" uuid, CONSTRAINT "budgets_amount_range" CHECK (((amount > (0)::numeric) AND (amount <= ('1000000000000'::bigint)::numeric))), CONSTRAINT "budgets_one_each" UNIQUE NULLS NOT DISTINCT (product_id, scope, period, sprint_id, sprint_run_id, task_id, unit), CONSTRAINT "budgets_period_known" CHECK ((period = ANY (ARRAY['day'::text, 'week'::text, 'month'::text]))), CONSTRAINT "budgets_pkey" PRIMARY KEY (id), CONSTRAINT "budgets_scope_known" CHECK ((scope = ANY (ARRAY['product'::text, 'sprint'::text, 'run'::text, 'task'::text]))), CONSTRAINT "budgets_scope_target" CHECK (((num_nonnulls(sprint_id, sprint_run_id, task_id) =
CASE scope
    WHEN 'product'::text THEN 0
    ELSE 1
END) AND ((scope = 'product'::text) = (period IS NOT NULL)) AND ((scope = 'sprint'::text) = (sprint_id IS NOT NULL)) AND ((scope = 'run'::text) = (sprint_run_id IS NOT NULL)) AND ((scope = 'task'::text) = (task_id IS NOT NULL)))), CONSTRAINT "budgets_unit_form" CHECK (((unit = 'tokens'::text) OR (unit ~ '^[A-Z]{3}$'::text))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "updated_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."budgets" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."evidence" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "story_id" uuid NOT NULL, "seq" bigint GENERATED ALWAYS AS IDENTITY NOT NULL, "criterion" text NOT NULL, "criterion_text" text NOT NULL, "command" text, "exit_code" integer, "excerpt" text, "url" text, "head_sha" text, "job_id" uuid, "attempt" integer, "worker_id" uuid, "user_id" uuid, "observed_by" text NOT NULL, CONSTRAINT "evidence_command_length" CHECK ((char_length(command) <= 2000)), CONSTRAINT "evidence_criterion_form" CHECK ((criterion ~ '^[0-9a-f]{12}$'::text)), CONSTRAINT "evidence_excerpt_size" CHECK ((octet_length(excerpt) <= 8192)), CONSTRAINT "evidence_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "evidence_pkey" PRIMARY KEY (id), CONSTRAINT "evidence_url_form" CHECK (((url ~ '^https?://'::text) AND (char_length(url) <= 2000))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."evidence" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."inbox_marks" ("user_id" uuid NOT NULL, "item_kind" text NOT NULL, "item_id" uuid NOT NULL, "item_at" timestamp with time zone NOT NULL, "later_until" timestamp with time zone, CONSTRAINT "inbox_marks_kind" CHECK ((item_kind = ANY (ARRAY['question'::text, 'review'::text, 'run'::text, 'job'::text, 'added'::text]))), CONSTRAINT "inbox_marks_pkey" PRIMARY KEY (user_id, item_kind, item_id), "marked_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."inbox_marks" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."job_attempts" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "product_id" uuid NOT NULL, "worker_id" uuid, "worker_name" text NOT NULL, "started_at" timestamp with time zone NOT NULL, "ended_at" timestamp with time zone, "outcome" text, "head_sha" text, "session_id" text, "kept_ref" text, "last_seq" bigint NOT NULL DEFAULT 0, "output_bytes" bigint NOT NULL DEFAULT 0, "dropped_from" bigint, "dropped_to" bigint, "told_at" timestamp with time zone, CONSTRAINT "job_attempts_attempt_positive" CHECK ((attempt >= 1)), CONSTRAINT "job_attempts_ended" CHECK (((ended_at IS NULL) = (outcome IS NULL))), CONSTRAINT "job_attempts_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "job_attempts_kept_ref_length" CHECK ((char_length(kept_ref) <= 300)), CONSTRAINT "job_attempts_outcome_known" CHECK ((outcome = ANY (ARRAY['done'::text, 'skipped'::text, 'failed'::text, 'cancelled'::text, 'rate_limited'::text, 'question'::text, 'lost'::text, 'returned'::text, 'budget'::text, 'conflict'::text]))), CONSTRAINT "job_attempts_pkey" PRIMARY KEY (job_id, attempt), CONSTRAINT "job_attempts_session_id_length" CHECK ((char_length(session_id) <= 300)));

ALTER TABLE "public"."job_attempts" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."job_comments" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "job_id" uuid, "product_id" uuid NOT NULL, "review_id" uuid, "attempt" integer NOT NULL, "path" text NOT NULL, "line" integer NOT NULL, "side" text NOT NULL, "line_text" text NOT NULL, "body" text NOT NULL, "author_id" uuid, "author" text NOT NULL, CONSTRAINT "job_comments_attempt_positive" CHECK ((attempt >= 1)), CONSTRAINT "job_comments_body_length" CHECK (((char_length(body) >= 1) AND (char_length(body) <= 10000))), CONSTRAINT "job_comments_has_place" CHECK (((job_id IS NOT NULL) OR (review_id IS NOT NULL))), CONSTRAINT "job_comments_line_positive" CHECK ((line >= 1)), CONSTRAINT "job_comments_line_text_length" CHECK ((char_length(line_text) <= 2000)), CONSTRAINT "job_comments_path_length" CHECK (((char_length(path) >= 1) AND (char_length(path) <= 4096))), CONSTRAINT "job_comments_pkey" PRIMARY KEY (id), CONSTRAINT "job_comments_side_known" CHECK ((side = ANY (ARRAY['old'::text, 'new'::text]))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."job_comments" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."job_conflicts" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "job_id" uuid NOT NULL, "attempt" integer NOT NULL, "kind" text NOT NULL, "other_job_id" uuid, "branch" text NOT NULL, "ours_sha" text NOT NULL, "theirs_sha" text NOT NULL, "files" jsonb NOT NULL, "decision" text NOT NULL, CONSTRAINT "job_conflicts_attempt_positive" CHECK ((attempt >= 0)), CONSTRAINT "job_conflicts_branch_length" CHECK ((char_length(branch) <= 200)), CONSTRAINT "job_conflicts_decision_known" CHECK ((decision = ANY (ARRAY['home'::text, 'paused'::text, 'noted'::text]))), CONSTRAINT "job_conflicts_files_list" CHECK ((jsonb_typeof(files) = 'array'::text)), CONSTRAINT "job_conflicts_kind_known" CHECK ((kind = ANY (ARRAY['branch'::text, 'base'::text, 'sibling'::text]))), CONSTRAINT "job_conflicts_ours_sha_length" CHECK ((char_length(ours_sha) <= 64)), CONSTRAINT "job_conflicts_pkey" PRIMARY KEY (id), CONSTRAINT "job_conflicts_theirs_sha_length" CHECK ((char_length(theirs_sha) <= 64)), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."job_conflicts" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."job_diffs" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "product_id" uuid NOT NULL, "base_sha" text NOT NULL, "head_sha" text NOT NULL, "additions" integer NOT NULL, "deletions" integer NOT NULL, "files" jsonb NOT NULL, "bytes" integer NOT NULL, CONSTRAINT "job_diffs_additions_positive" CHECK ((additions >= 0)), CONSTRAINT "job_diffs_base_sha_length" CHECK ((char_length(base_sha) <= 64)), CONSTRAINT "job_diffs_bytes_positive" CHECK ((bytes >= 0)), CONSTRAINT "job_diffs_deletions_positive" CHECK ((deletions >= 0)), CONSTRAINT "job_diffs_files_list" CHECK ((jsonb_typeof(files) = 'array'::text)), CONSTRAINT "job_diffs_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "job_diffs_pkey" PRIMARY KEY (job_id, attempt), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."job_diffs" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."job_outputs" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "seq" bigint NOT NULL, "at" timestamp with time zone NOT NULL, "kind" text NOT NULL, "text" text NOT NULL, "title" text, "path" text, "status" text, CONSTRAINT "job_outputs_kind_known" CHECK ((kind = ANY (ARRAY['text'::text, 'thought'::text, 'plan'::text, 'command'::text, 'tool'::text, 'edit'::text, 'test'::text, 'note'::text, 'error'::text]))), CONSTRAINT "job_outputs_path_length" CHECK ((char_length(path) <= 2000)), CONSTRAINT "job_outputs_pkey" PRIMARY KEY (job_id, attempt, seq), CONSTRAINT "job_outputs_seq_positive" CHECK ((seq >= 1)), CONSTRAINT "job_outputs_status_length" CHECK ((char_length(status) <= 100)), CONSTRAINT "job_outputs_title_length" CHECK ((char_length(title) <= 1000)), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."job_outputs" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."job_reviews" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "job_id" uuid, "product_id" uuid NOT NULL, "attempt" integer NOT NULL, "verdict" text NOT NULL, "summary" text NOT NULL, "author_id" uuid, "author" text NOT NULL, "task_id" uuid, CONSTRAINT "job_reviews_attempt_positive" CHECK ((attempt >= 1)), CONSTRAINT "job_reviews_one_place" CHECK ((num_nonnulls(job_id, task_id) = 1)), CONSTRAINT "job_reviews_pkey" PRIMARY KEY (id), CONSTRAINT "job_reviews_summary_length" CHECK ((char_length(summary) <= 10000)), CONSTRAINT "job_reviews_verdict_known" CHECK ((verdict = ANY (ARRAY['approve'::text, 'request_changes'::text]))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."job_reviews" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."saved_views" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "user_id" uuid, "created_by" uuid, "page" text NOT NULL, "name" text NOT NULL, "look" jsonb NOT NULL, CONSTRAINT "saved_views_look_form" CHECK (((jsonb_typeof(look) = 'object'::text) AND (octet_length((look)::text) <= 4000))), CONSTRAINT "saved_views_name_form" CHECK (((name <> ''::text) AND (char_length(name) <= 60) AND (name = btrim(name)) AND (name !~ '[[:cntrl:]]'::text))), CONSTRAINT "saved_views_page_known" CHECK ((page = ANY (ARRAY['backlog'::text, 'board'::text]))), CONSTRAINT "saved_views_pkey" PRIMARY KEY (id), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "updated_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."saved_views" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."sprint_leftovers" ("sprint_id" uuid NOT NULL, "story_id" uuid NOT NULL, CONSTRAINT "sprint_leftovers_pkey" PRIMARY KEY (sprint_id, story_id));

ALTER TABLE "public"."sprint_leftovers" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."story_dependencies" ("blocked_id" uuid NOT NULL, "blocker_id" uuid NOT NULL, "product_id" uuid NOT NULL, CONSTRAINT "story_dependencies_pkey" PRIMARY KEY (blocked_id, blocker_id), CONSTRAINT "story_dependencies_two_ends" CHECK ((blocked_id <> blocker_id)), "created_by" uuid DEFAULT auth.uid(), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."story_dependencies" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."story_heads" ("story_id" uuid NOT NULL, "head_sha" text NOT NULL, "job_id" uuid, "attempt" integer NOT NULL, CONSTRAINT "story_heads_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "story_heads_pkey" PRIMARY KEY (story_id), "moved_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."story_heads" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."task_dependencies" ("blocked_id" uuid NOT NULL, "blocker_id" uuid NOT NULL, "product_id" uuid NOT NULL, CONSTRAINT "task_dependencies_pkey" PRIMARY KEY (blocked_id, blocker_id), CONSTRAINT "task_dependencies_two_ends" CHECK ((blocked_id <> blocker_id)), "created_by" uuid DEFAULT auth.uid(), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."task_dependencies" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."tasks_in_review" ("task_id" uuid NOT NULL, "product_id" uuid NOT NULL, CONSTRAINT "tasks_in_review_pkey" PRIMARY KEY (task_id), "since" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."tasks_in_review" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."usage_events" ("id" bigint GENERATED ALWAYS AS IDENTITY NOT NULL, "product_id" uuid NOT NULL, "job_id" uuid, "task_id" uuid, "sprint_run_id" uuid, "worker_id" uuid, "attempt" integer NOT NULL, "seq" bigint NOT NULL, "model_id" text, "input_tokens" bigint, "output_tokens" bigint, "cache_read_tokens" bigint, "cache_write_tokens" bigint, "reported_cost" numeric(16,8), "rates" jsonb, "cost" numeric(16,8), "currency" text, "source" text NOT NULL, "estimated" boolean NOT NULL DEFAULT false, "subscription" boolean NOT NULL DEFAULT false, CONSTRAINT "usage_events_cost_has_currency" CHECK (((cost IS NULL) = (currency IS NULL))), CONSTRAINT "usage_events_currency_form" CHECK ((currency ~ '^[A-Z]{3}$'::text)), CONSTRAINT "usage_events_model_id_length" CHECK ((char_length(model_id) <= 200)), CONSTRAINT "usage_events_once" UNIQUE (job_id, attempt, seq), CONSTRAINT "usage_events_pkey" PRIMARY KEY (id), CONSTRAINT "usage_events_seq_not_zero" CHECK ((seq <> 0)), CONSTRAINT "usage_events_source_fits" CHECK (((source = 'unpriced'::text) = (cost IS NULL))), CONSTRAINT "usage_events_source_known" CHECK ((source = ANY (ARRAY['reported'::text, 'list_price'::text, 'unpriced'::text]))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."usage_events" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."usage_so_far" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "model_id" text NOT NULL DEFAULT ''::text, "after_seq" bigint NOT NULL DEFAULT 0, "product_id" uuid NOT NULL, "task_id" uuid, "sprint_run_id" uuid, "worker_id" uuid, "input_tokens" bigint, "output_tokens" bigint, "cache_read_tokens" bigint, "cache_write_tokens" bigint, "reported_cost" numeric(16,8), "rates" jsonb, "cost" numeric(16,8), "currency" text, "source" text NOT NULL, "subscription" boolean NOT NULL DEFAULT false, CONSTRAINT "usage_so_far_currency_form" CHECK ((currency ~ '^[A-Z]{3}$'::text)), CONSTRAINT "usage_so_far_model_id_length" CHECK ((char_length(model_id) <= 200)), CONSTRAINT "usage_so_far_pkey" PRIMARY KEY (job_id, attempt, model_id), CONSTRAINT "usage_so_far_source_known" CHECK ((source = ANY (ARRAY['reported'::text, 'list_price'::text, 'unpriced'::text]))), "told_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."usage_so_far" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."waivers" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "story_id" uuid NOT NULL, "criterion" text NOT NULL, "criterion_text" text NOT NULL, "reason" text NOT NULL, "user_id" uuid, "waived_by" text NOT NULL, CONSTRAINT "waivers_criterion_form" CHECK ((criterion ~ '^[0-9a-f]{12}$'::text)), CONSTRAINT "waivers_pkey" PRIMARY KEY (id), CONSTRAINT "waivers_reason_length" CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 2000))), CONSTRAINT "waivers_story_id_criterion_key" UNIQUE (story_id, criterion), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

ALTER TABLE "public"."waivers" ENABLE ROW LEVEL SECURITY;

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

CREATE OR REPLACE FUNCTION private.act_as(p_credential jsonb, p_function text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_principal private.principal := private.resolve_credential(p_credential);
  v_writes boolean;
begin
  select o.writes into v_writes from private.operations o where o.name = p_function;

  if not found then
    raise exception using errcode = 'PT404', message = format('There is no operation %s.', p_function);
  end if;

  perform private.become_user(v_principal, v_writes);
end;
$function$;

CREATE OR REPLACE FUNCTION private.act_on_budget_answer(p_question public.agent_questions, p_option integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_budget public.budgets;
begin
  select r.* into v_run from public.sprint_runs r
  where r.pause_question_id = p_question.id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget';
  if not found then
    return;
  end if;
  perform private.require_person();
  if p_option is null then
    perform private.refuse(422, 'Choose one of the options: raise the budget, finish, or stop.');
  end if;
  if p_option = 2 then
    perform private.end_run(v_run, 'CANCELLED', 'The run was stopped at its budget.', null);
    return;
  end if;

  perform private.require_product_owner(p_question.product_id);
  select b.* into v_budget from public.budgets b where b.id = (v_run.pause_context ->> 'budget_id')::uuid;
  if p_option = 0 then
    perform private.raise_budget(v_budget, v_budget.amount + (v_run.pause_context ->> 'raise_by')::numeric);
    perform private.settle_budgets(p_question.product_id);
    return;
  end if;
  v_run := private.continue_run(v_run);
  update public.budgets b
  set finish_job_ids = private.jobs_to_finish(v_run, v_budget)
  where b.id = v_budget.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.add_dependencies(p_kind text, p_id uuid, p_blocked_by jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid;
  v_reference text;
begin
  if coalesce(p_blocked_by, '[]') = '[]' then
    return;
  end if;
  v_product_id := private.require_write(p_kind, p_id);
  for v_reference in select r from jsonb_array_elements_text(p_blocked_by) r loop
    perform private.insert_dependency(p_kind, v_product_id, p_id, private.require_blocker(p_kind, v_product_id, v_reference));
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.add_dependency(p_kind text, p_id uuid, p_blocked_by text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_write(v_kind, p_id);
  v_blocker_id uuid;
begin
  perform private.take_rate_limit('dependency', auth.uid()::text);
  v_blocker_id := private.require_blocker(v_kind, v_product_id, p_blocked_by);
  perform private.insert_dependency(v_kind, v_product_id, p_id, v_blocker_id);
  perform private.order_runs(v_product_id);
  return private.dependencies_json(v_kind, p_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.add_evidence(p_story_id uuid, p_evidence jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('story', p_story_id);
  v_job public.agent_jobs;
  v_evidence public.evidence;
  v_grade public.evidence_grade := case when private.is_token() then 'said' else 'person' end;
begin
  if v_grade = 'said' and p_evidence ->> 'job_id' is not null then
    v_job := private.hold_job((p_evidence ->> 'job_id')::uuid, (p_evidence ->> 'attempt')::integer);
    perform private.record_evidence(v_job, jsonb_build_array(p_evidence || jsonb_build_object('story_id', p_story_id)));
    select e.* into v_evidence from public.evidence e where e.story_id = p_story_id order by e.seq desc limit 1;
    return private.evidence_json(v_evidence, false);
  end if;
  if p_evidence ->> 'grade' is not null and p_evidence ->> 'grade' <> v_grade::text then
    perform private.refuse_evidence(null, 'grade', case when v_grade = 'said'
      then 'A token gives the grade "said"; "worker" is for the attempt that holds the job (job_id, attempt), "person" for people who are signed in.'
      else 'Whoever is signed in gives the grade "person".' end);
  end if;
  v_evidence := private.insert_evidence(p_story_id, p_evidence, v_grade, null, null,
    coalesce(private.username(auth.uid()), 'somebody'));
  return private.evidence_json(v_evidence, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.add_job_comment(p_job_id uuid, p_attempt integer, p_path text, p_line integer, p_side text, p_line_text text, p_body text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id, true);
  v_comment public.job_comments;
begin
  perform private.require_reviewer(v_job);
  perform private.take_rate_limit('job_comment', auth.uid()::text);
  if not exists (select from public.job_diffs d where d.job_id = p_job_id and d.attempt = p_attempt) then
    perform private.refuse(409, 'These changes are gone. Load the page again.');
  end if;
  if (select count(*) from public.job_comments c
      where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null) >= 300 then
    perform private.refuse(422, 'Send these 300 comments first.');
  end if;
  insert into public.job_comments
    (job_id, product_id, attempt, path, line, side, line_text, body, author_id, author)
  values (p_job_id, v_job.product_id, p_attempt, p_path, p_line, p_side, left(p_line_text, 2000), p_body, auth.uid(),
    coalesce(private.username(auth.uid()), 'somebody'))
  returning * into v_comment;
  return private.comment_json(v_comment);
end;
$function$;

CREATE OR REPLACE FUNCTION private.add_product_member(p_product_id uuid, p_identifier text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.take_rate_limit('member', auth.uid()::text);
  perform private.take_rate_limit('member_lookup', auth.uid()::text);

  select u.id
  into v_user_id
  from public.users u
  where lower(u.username) = lower(trim(p_identifier)) or lower(u.email) = lower(trim(p_identifier))
  order by lower(u.username) = lower(trim(p_identifier)) desc
  limit 1;

  if v_user_id is null then
    return json_build_object('refused', json_build_object('code', 422,
      'error', 'Nobody here has this user name or e-mail address. Ask them to register first.',
      'issues', json_build_array(json_build_object('path', 'identifier', 'message', 'No account has this user name or e-mail address.'))));
  end if;
  perform public.give_back_limit('member_lookup', auth.uid()::text);

  if exists (select from public.product_members m where m.product_id = p_product_id and m.user_id = v_user_id) then
    raise exception using errcode = 'PT409', message = 'This person already is in the product.';
  end if;

  insert into public.product_members (product_id, user_id) values (p_product_id, v_user_id);
  return json_build_object('user_id', v_user_id, 'username', private.username(v_user_id), 'role', 'MEMBER');
end;
$function$;

CREATE OR REPLACE FUNCTION private.add_up_budget(p_budget public.budgets, OUT used numeric, OUT in_ledger numeric, OUT from_at timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_sum private.budget_sums;
begin
  from_at := (private.budget_window(p_budget)).from_at;
  select s.* into v_sum from private.budget_sums s where s.budget_id = p_budget.id and s.from_at = add_up_budget.from_at;
  select coalesce(v_sum.amount, 0) + coalesce(sum(x.amount), 0),
    coalesce(v_sum.amount, 0) + coalesce(sum(x.amount) filter (where u.id < 9223372036854775807), 0)
  into used, in_ledger
  from private.usage_under(p_budget, from_at, coalesce(v_sum.last_id, 0)) u
  cross join lateral (
    select case when p_budget.unit = 'tokens' then u.tokens when u.currency = p_budget.unit then u.cost end as amount
  ) x;
end;
$function$;

CREATE OR REPLACE FUNCTION private.allow_my_workers(p_product_id uuid, p_allowed boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('product', p_product_id);

  update public.product_members m
  set workers_allowed = p_allowed, workers_decided_at = private.now()
  where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'MEMBER';
  if not found then
    perform private.refuse(409, 'This product is yours: your workers always may work here. Stop a worker to keep it from its jobs.');
  end if;
  return json_build_object('product_id', p_product_id, 'workers_allowed', p_allowed);
end;
$function$;

CREATE OR REPLACE FUNCTION private.answer_pairing(p_pairing_id uuid, p_mobile_secret_hash text, p_status public.pairing_status)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_pairing public.login_pairings;
  v_now timestamptz;
  v_expires_at timestamptz;
begin
  -- User, then pairing: the order in which a password change locks them, which cancels what was approved before it.
  perform from public.users u where u.id = auth.uid() for share;
  select * into v_pairing from public.login_pairings p where p.id = p_pairing_id for update;
  v_now := private.now();

  perform private.require_pairing_guesses_left(v_pairing, auth.uid());
  if v_pairing.mobile_secret_hash is distinct from decode(p_mobile_secret_hash, 'hex') then
    return private.note_wrong_pairing_secret(p_pairing_id, auth.uid());
  end if;

  if v_pairing.status <> 'PENDING' or v_pairing.expires_at <= v_now then
    raise exception using errcode = 'PT410',
      message = 'This code has expired or was already answered. Show a new code on the other device.';
  end if;

  if p_status = 'APPROVED' then
    v_expires_at := v_now + interval '5 minutes';
    update public.login_pairings
    set status = p_status, user_id = auth.uid(), approved_in = private.own_session_id(), approved_at = v_now, expires_at = v_expires_at
    where id = p_pairing_id;
  else
    update public.login_pairings set status = p_status where id = p_pairing_id;
  end if;
  perform private.audit(auth.uid(), auth.uid(), case when p_status = 'APPROVED' then 'pairing.approved' else 'pairing.declined' end,
    jsonb_build_object('pairing_id', p_pairing_id, 'desktop_ua', v_pairing.desktop_ua, 'desktop_ip', v_pairing.desktop_ip));
  return json_strip_nulls(json_build_object('pairing_id', p_pairing_id, 'status', lower(p_status::text), 'expires_at', v_expires_at));
end;
$function$;

CREATE OR REPLACE FUNCTION private.answer_question(p_question_id uuid, p_answer text, p_option integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_question public.agent_questions := private.lock_question(p_question_id);
  v_status public.agent_question_status := private.question_status(v_question);
  v_answer text;
begin
  perform private.take_rate_limit('answer', auth.uid()::text);
  if p_option not between 0 and jsonb_array_length(v_question.options) - 1 then
    perform private.refuse(422, 'option is the index of one of the options, from 0.');
  end if;
  v_answer := concat_ws(': ', v_question.options -> p_option ->> 'label', nullif(btrim(p_answer), ''));
  if v_answer = '' or char_length(v_answer) > 4000 then
    perform private.refuse(422, 'Answer with an option, a text of at most 4000 characters, or both.');
  end if;
  if v_status <> 'OPEN' then
    perform private.refuse(409, case v_status
      when 'ANSWERED' then format('This question was already answered by %s.', coalesce(private.username(v_question.answered_by), 'somebody'))
      when 'CANCELLED' then 'This question was cancelled; the agent does not wait for it any more.'
      else 'This question has expired.' end);
  end if;

  update public.agent_questions q
  set status = 'ANSWERED', answer = v_answer, answered_by = auth.uid(), answered_at = private.now()
  where q.id = p_question_id
  returning q.* into v_question;
  perform private.unpark_job(v_question);
  perform private.act_on_budget_answer(v_question, p_option);
  return private.question_json(v_question);
end;
$function$;

CREATE OR REPLACE FUNCTION private.append_job_output(p_job_id uuid, p_attempt integer, p_entries jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_job(p_job_id);
  v_job public.agent_jobs;
  v_attempt public.job_attempts;
  v_now timestamptz := private.now();
  v_bytes bigint;
  v_state text;
begin
  perform private.require_writer();
  perform private.require_product_write(v_product_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  v_state := private.attempt_state(v_job, p_attempt);
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  perform private.take_rate_limit('job_output', p_job_id::text);
  if pg_column_size(p_entries) > 262144 then
    perform private.refuse(422, 'A batch holds at most 64 KiB of text. Send it in parts.');
  end if;

  if v_state = 'held' and v_job.lease_until < v_now + private.lease() - interval '1 minute' then
    update public.agent_jobs j set lease_until = v_now + private.lease()
    where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING');
  end if;
  v_attempt := private.lock_attempt(v_job, p_attempt);
  -- Read under the lock: whoever had to wait for it is later than the one before.
  v_now := private.now();
  if v_attempt.ended_at < v_now - interval '10 minutes' then
    perform private.refuse(409, format('Attempt %s ended more than ten minutes ago and takes no more output. Ask for the next job.', p_attempt));
  end if;

  with added as (
    insert into public.job_outputs (job_id, attempt, seq, at, kind, text, title, path, status)
    select p_job_id, p_attempt, e.seq, e.at, e.kind, e.text, e.title, e.path, e.status
    from jsonb_to_recordset(p_entries)
      as e (seq bigint, at timestamptz, kind text, text text, title text, path text, status text)
    on conflict (job_id, attempt, seq) do nothing
    returning octet_length(job_outputs.text) as bytes, job_outputs.seq
  )
  select coalesce(sum(d.bytes), 0), greatest(max(d.seq), v_attempt.last_seq) into v_bytes, v_attempt.last_seq from added d;

  update public.job_attempts a
  set last_seq = v_attempt.last_seq,
      output_bytes = a.output_bytes + v_bytes,
      told_at = case when private.is_output_news(v_attempt.told_at, v_now) then v_now else a.told_at end
  where a.job_id = p_job_id and a.attempt = p_attempt
  returning a.* into v_attempt;

  if v_attempt.output_bytes > 5242880 then
    perform private.drop_output_middle(v_attempt);
  end if;
  if v_attempt.told_at = v_now then
    perform private.emit_job_output(v_job, v_attempt);
  end if;
  return json_build_object('last_seq', v_attempt.last_seq);
end;
$function$;

CREATE OR REPLACE FUNCTION private.ask_about_proof(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.ask_question(p_question text, p_story_id uuid, p_idea_id uuid, p_task_id uuid, p_options jsonb, p_recommended_option integer, p_assignee_id uuid, p_expires_in_seconds integer, p_on_expiry text, p_escalate_to uuid, p_park boolean, p_job_id uuid, p_attempt integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_target record;
  v_on_expiry text := coalesce(private.require_choice('on_expiry', p_on_expiry, array['STOP', 'RECOMMENDED', 'ESCALATE']), 'STOP');
  v_options jsonb;
  v_job public.agent_jobs;
  v_question public.agent_questions;
begin
  v_target := private.question_target(p_story_id, p_idea_id, p_task_id);
  perform private.lock_product(v_target.p_product);
  perform private.require_product_write(v_target.p_product);
  perform private.take_rate_limit('question', auth.uid()::text);
  v_options := private.check_question(p_question, p_options, p_recommended_option, p_expires_in_seconds, v_on_expiry,
    p_escalate_to, v_target.p_product);
  if p_assignee_id is not null and not exists (
    select from public.product_members m where m.product_id = v_target.p_product and m.user_id = p_assignee_id
  ) then
    perform private.refuse(422, 'assignee_id must be a member of the product.');
  end if;
  if p_park and p_job_id is null then
    perform private.refuse(422, 'park needs the job_id and attempt that wait for the answer.');
  end if;
  if p_job_id is not null then
    v_job := private.hold_job(p_job_id, p_attempt);
    if v_job.product_id <> v_target.p_product then
      perform private.refuse(422, 'The job belongs to another product than the question. Ask about what its own product holds.');
    end if;
  end if;

  insert into public.agent_questions (product_id, story_id, idea_id, task_id, assignee_id, job_id, sprint_run_id, asked_by,
    question, options, recommended_option, expires_at, on_expiry, escalate_to, park)
  values (v_target.p_product, v_target.p_story, p_idea_id, p_task_id, p_assignee_id, v_job.id, v_job.sprint_run_id, auth.uid(),
    p_question, v_options, p_recommended_option,
    private.now() + make_interval(secs => coalesce(p_expires_in_seconds, 604800)),
    v_on_expiry::public.question_expiry, p_escalate_to, coalesce(p_park, false))
  returning * into v_question;
  if v_question.park then
    perform private.park_job(v_job, v_question.id);
  end if;
  return private.question_json(v_question);
end;
$function$;

CREATE OR REPLACE FUNCTION private.attempt_state(p_job public.agent_jobs, p_attempt integer)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_attempt is distinct from p_job.attempt or p_job.attempt = 0 then
    return 'lost';
  end if;
  if not exists (
    select from public.agent_workers w where w.id = p_job.worker_id and w.user_id = auth.uid()
  ) then
    return 'lost';
  end if;
  return case
    when p_job.status in ('CLAIMED', 'RUNNING') then 'held'
    when p_job.status = 'CANCELLED' then 'cancelled'
    when p_job.status <> 'QUEUED' then 'finished'
    else coalesce((
      select case a.outcome
        when 'rate_limited' then 'requeued'
        when 'done' then 'handed_over'
        when 'question' then 'parked'
        when 'budget' then 'budget'
        when 'conflict' then 'sent_home'
        when 'returned' then 'returned'
      end
      from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_attempt), 'lost')
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.attempt_usage_json(p_job_id uuid, p_attempt integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('input_tokens', sum(e.input_tokens), 'output_tokens', sum(e.output_tokens),
      'cache_read_tokens', sum(e.cache_read_tokens), 'cache_write_tokens', sum(e.cache_write_tokens),
      'estimated', coalesce(bool_or(e.estimated), false),
      'sources', coalesce(jsonb_agg(distinct e.source), '[]'),
      'costs', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
        from (
          select x.currency, round(sum(x.cost), 6) as cost
          from public.usage_events x
          where x.job_id = p_job_id and x.attempt = p_attempt and x.cost is not null and not x.subscription
          group by x.currency
        ) s))
    from public.usage_events e
    where e.job_id = p_job_id and e.attempt = p_attempt
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.attempt_used(p_job_id uuid, p_attempt integer, p_unit text)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(sum(case when p_unit = 'tokens' then u.tokens when u.currency = p_unit then u.cost end), 0)
    from private.known_usage u where u.job_id = p_job_id and u.attempt = p_attempt
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.attempt_words(p_job public.agent_jobs, p_attempt integer, p_state text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case p_state
    when 'cancelled' then format('This job was cancelled%s. Stop working on it and ask for the next one.',
      coalesce(': ' || rtrim(p_job.failure_reason, '. '), ''))
    when 'finished' then format('This job is already %s. Ask for the next one.', lower(p_job.status::text))
    when 'handed_over' then 'Your work on this job is done; it waits for another worker or a person to look at it. Ask for the next one.'
    when 'parked' then 'This job waits for the answer to a question. It comes back to a worker once it is answered.'
    when 'budget' then coalesce((select private.budget_stop_text(b) from public.budgets b where b.id = p_job.stopped_by_budget_id),
      'This job was stopped by a budget. Ask for the next one.')
    when 'requeued' then 'This job went back to the queue until the rate limit ends. Ask for the next one.'
    when 'sent_home' then 'The work of this attempt does not merge, and the job went back to the queue with both versions. Ask for the next one.'
    when 'returned' then 'This job was given back to the queue. Ask for the next one.'
    when 'archived' then 'The product is archived and can only be read. Its owner can restore it.'
    else format('Attempt %s no longer holds this job (it is at attempt %s, %s). Stop working on it and ask for the next one.',
      coalesce(p_attempt::text, '?'), p_job.attempt, lower(p_job.status::text))
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.attempts_json(p_job_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('attempt', a.attempt, 'worker_id', a.worker_id, 'worker_name', a.worker_name,
      'started_at', a.started_at, 'ended_at', a.ended_at, 'outcome', a.outcome, 'head_sha', a.head_sha,
      'session_id', a.session_id, 'kept_ref', a.kept_ref, 'last_seq', a.last_seq, 'output_bytes', a.output_bytes, 'usage', private.attempt_usage_json(a.job_id, a.attempt))
      order by a.attempt), '[]')
    from public.job_attempts a
    where a.job_id = p_job_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.awaited_heads(p_user_id uuid, p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_product public.products;
  v_work jsonb;
  v_heads jsonb := '[]';
begin
  for v_product in
    select p.*
    from public.product_members m
    join public.products p on p.id = m.product_id and p.archived_at is null and p.dependency_release = 'merged'
    where m.user_id = p_user_id and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end
    order by p.id
  loop
    for v_work in
      select w
      from jsonb_array_elements(private.awaited_work(array(
        select a.task_id
        from public.sprint_runs r
        join public.agent_jobs j on j.sprint_run_id = r.id and j.status = 'QUEUED' and j.open_blockers > 0
        cross join lateral unnest(private.tasks_of_job(j)) as a (task_id)
        where r.product_id = v_product.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      ), 50)) w
      where w ->> 'head_sha' is not null
    loop
      v_heads := v_heads || (v_work || jsonb_build_object('product_repo_url', v_product.repo_url, 'repo_url', (
        select coalesce(nullif(t.repo_url, ''), v_product.repo_url) from public.agent_jobs j join public.tasks t on t.id = j.task_id
        where j.id = (v_work ->> 'job_id')::uuid)));
    end loop;
  end loop;
  return nullif(v_heads, '[]');
end;
$function$;

CREATE OR REPLACE FUNCTION private.awaited_work(p_task_ids uuid[], p_limit integer DEFAULT 20)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(w) order by w.task_code), '[]')
    from (
      select distinct on (x.job_id) x.job_id, x.task_code, x.branch, x.head_sha
      from (
        select distinct b.kind, b.blocker_id
        from private.task_blockers b
        where b.task_id = any (p_task_ids) and b.status = 'done' and not b.resolved
      ) d
      cross join lateral private.unmerged_works(d.kind, d.blocker_id) x
      order by x.job_id, x.task_code
      limit p_limit
    ) w
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.base_refs(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_waiting uuid[] := private.tasks_of_job(p_job);
  v_task_ids uuid[];
  v_story_ids uuid[];
  v_repo_url text;
begin
  v_task_ids := array(select d.blocker_id from public.task_dependencies d where d.blocked_id = any (v_waiting));
  v_story_ids := array(select d.blocker_id from public.story_dependencies d
    where d.blocked_id = any (array(select t.story_id from public.tasks t where t.id = any (v_waiting))));
  if v_task_ids = '{}' and v_story_ids = '{}' then
    return '[]';
  end if;
  v_task_ids := v_task_ids || array(select t.id from public.tasks t where t.story_id = any (v_story_ids));
  v_repo_url := (
    select coalesce(nullif(t.repo_url, ''), p.repo_url)
    from public.tasks t join public.products p on p.id = t.product_id where t.id = p_job.task_id);
  return (
    select coalesce(json_agg(jsonb_build_object('task_id', h.task_id, 'task_code', h.code, 'branch', h.branch, 'head_sha', h.head_sha)
      || case when h.merged then '{"merged": true}' else '{}' end::jsonb order by h.sort_order, h.code), '[]')
    from (
      select distinct on (j.branch) t.id as task_id, t.code, t.sort_order, j.branch, j.head_sha,
        p.dependency_release = 'merged' and j.merged_at is not null as merged
      from unnest(v_task_ids) k (id)
      join public.tasks t on t.id = k.id and t.status = 'DONE'
      join public.products p on p.id = t.product_id
      cross join lateral (
        select b.id, b.status, b.branch, b.head_sha, b.finished_at, b.merged_at
        from public.agent_jobs a cross join lateral private.branch_head(a) b
        where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.finished_at is not null
        union all
        select a.id, a.status, a.branch, a.head_sha, a.finished_at, a.merged_at
        from public.task_executions e
        join public.agent_jobs a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION'
        where e.task_id = t.id and e.status = 'DONE'
      ) j
      -- Where the main branch is waited for, it has what is done without an own commit, or nobody knows.
      where (j.status = 'DONE' or j.status = 'SKIPPED' and p.dependency_release = 'done') and j.head_sha is not null and j.branch is not null and j.branch is distinct from p_job.branch
        and coalesce(nullif(t.repo_url, ''), p.repo_url) = v_repo_url
      order by j.branch, j.finished_at desc, j.id, t.sort_order, t.code
    ) h
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.batch_executions(p_sprint_run_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object('id', e.id, 'position', e.position, 'status', lower(e.status::text),
      'task_id', t.id, 'task_code', t.code, 'title', t.title, 'description', t.description,
      'plan', e.plan_snapshot, 'verify_required', e.verify_required, 'verify_only', t.verify_only,
      'requires_opus', t.requires_opus, 'story_id', s.id, 'story_code', s.code, 'story_title', s.title,
      'story_description', s.description, 'acceptance_criteria', s.acceptance_criteria, 'verify_result', e.verify_result,
      'previous_failure', (
        select f.failure_reason from public.task_executions f
        where f.task_id = e.task_id and f.status = 'FAILED' order by f.finished_at desc nulls last limit 1)) order by e.position), '[]')
    from public.task_executions e
    join public.tasks t on t.id = e.task_id
    join public.stories s on s.id = t.story_id
    where e.sprint_run_id = p_sprint_run_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.become_user(p_principal private.principal, p_writes boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_writes and p_principal.is_demo then
    raise exception using errcode = 'PT403',
      message = 'This is a demo account: it can look at everything and change nothing. Register an account of your own to make changes.';
  end if;

  perform set_config('request.jwt.claims', json_strip_nulls(json_build_object(
      'sub', p_principal.user_id, 'role', 'authenticated',
      'session_id', p_principal.session_id, 'token_id', p_principal.token_id))::text, true),
    set_config('role', 'authenticated', true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.blocker_json(p_id uuid, p_code text, p_title text, p_status text, p_resolved boolean)
 RETURNS json
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select json_build_object('id', p_id, 'code', p_code, 'title', p_title, 'status', p_status, 'resolved', p_resolved);
$function$;

CREATE OR REPLACE FUNCTION private.blockers_sentence(p_blockers jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return 'The run cannot start. '
    || (
      select string_agg(b.value ->> 'message', ' ' order by b.ordinality)
      from jsonb_array_elements(p_blockers) with ordinality b
      where b.ordinality <= 3
    )
    || case when jsonb_array_length(p_blockers) > 3
      then format(' And %s more.', jsonb_array_length(p_blockers) - 3) else '' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.board_tasks(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    -- Once a story and once for all cards: for each card alone they were half of the page's time in the database.
    with story as materialized (
      select s.id, s.created_at, s.code, s.title, s.sort_order, s.assignee_id, private.proof_count(s.id) as proof
      from public.stories s where s.sprint_id = p_sprint_id
    ), waiting as materialized (
      select x.blocker_id, count(*) as frees
      from (
        select d.blocker_id, d.blocked_id
        from story s join public.tasks t on t.story_id = s.id join public.task_dependencies d on d.blocker_id = t.id
        union
        select t.id, i.id
        from story s
        join public.story_dependencies d on d.blocker_id = s.id
        join public.tasks i on i.story_id = d.blocked_id
        join public.tasks t on t.story_id = s.id
      ) x
      join public.tasks i on i.id = x.blocked_id
      where i.status <> 'DONE'
      group by x.blocker_id
    )
    select coalesce(json_agg(row_to_json(t) order by t.story_sort_order, t.story_created_at, t.story_id, t.sort_order, t.created_at, t.id), '[]')
    from (
      select t.id, t.created_at, s.created_at as story_created_at, t.code, t.title, t.story_id, t.sort_order, t.priority,
        case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status,
        t.implementation_plan is not null and t.implementation_plan <> '' as has_plan,
        s.code as story_code, s.title as story_title, s.sort_order as story_sort_order, s.assignee_id,
        j.id as job_id, lower(j.status::text) as job_status, j.phase as job_phase, j.started_at as job_started_at,
        j.updated_at as job_seen_at,
        case when j.status in ('CLAIMED', 'RUNNING') then private.doing_now(j.id, j.attempt) end as job_doing,
        a.name as worker_name,
        (
          select f.failure_reason from public.agent_jobs f
          where t.status = 'FAILED' and f.task_id = t.id and f.status = 'FAILED'
          order by f.finished_at desc limit 1
        ) as failure_reason,
        (
          select count(*) from public.agent_questions q
          where q.task_id = t.id and q.status = 'OPEN' and q.expires_at > private.now()
        ) as open_questions,
        (
          select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]') from private.task_blockers b
          where b.task_id = t.id and not b.resolved and t.status <> 'DONE'
        ) as waits_for,
        coalesce(w.frees, 0) as frees,
        (
          select json_build_array(c.additions, c.deletions) from public.agent_jobs c
          where c.task_id = t.id and c.kind = 'TASK_IMPLEMENTATION' and c.additions is not null
          order by c.created_at desc limit 1
        ) as changes,
        s.proof
      from story s
      join public.tasks t on t.story_id = s.id
      left join waiting w on w.blocker_id = t.id
      left join lateral (
        select j.id, j.status, j.phase, j.attempt, j.started_at, j.updated_at, j.worker_id
        from public.agent_jobs j
        where j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
        order by j.created_at desc
        limit 1
      ) j on true
      left join public.agent_workers a on a.id = j.worker_id
    ) t
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.branch_head(p_job public.agent_jobs)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  if p_job.status in ('DONE', 'SKIPPED') and p_job.head_sha is not null then
    return p_job;
  end if;
  select j.* into v_job from public.agent_jobs j
  where j.sprint_run_id = p_job.sprint_run_id and j.branch = p_job.branch and j.status in ('DONE', 'SKIPPED')
    and j.head_sha is not null and j.finished_at <= p_job.finished_at
  order by j.finished_at desc, j.id limit 1;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.bring_next_in_turn(p_sprint_run_id uuid, p_lane_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_next record;
begin
  for v_look in 1 .. 2 loop
    select n.id, n.in_turn, n.open_blockers, n.attempt > 0 as comes_back, n.status = 'QUEUED' and n.attempt = 0 and n.open_blockers > 0 as waits into v_next
    from public.agent_jobs n
    where n.sprint_run_id = p_sprint_run_id and n.lane_id = p_lane_id and n.status in ('QUEUED', 'CLAIMED', 'RUNNING')
      and not (n.status = 'QUEUED' and n.phase = 'review')
    order by n.in_turn desc, n.status = 'QUEUED' and n.attempt = 0 and n.open_blockers > 0, n.position
    limit 1;
    exit when v_next.id is null or v_next.in_turn or not v_next.waits;
    perform private.lock_part('run', p_sprint_run_id);
  end loop;
  if v_next.id is null then
    return exists (
      select from public.agent_jobs w
      where w.sprint_run_id = p_sprint_run_id and w.lane_id = p_lane_id and w.status in ('QUEUED', 'CLAIMED', 'RUNNING'));
  end if;
  if not v_next.in_turn and not (v_next.comes_back and private.is_lane_held(p_sprint_run_id, p_lane_id)) then
    update public.agent_jobs j set in_turn = true where j.id = v_next.id;
    if v_next.open_blockers > 0 then
      perform private.pass_turn(p_sprint_run_id, p_lane_id);
    end if;
  end if;
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_amount_text(p_amount numeric, p_unit text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when p_unit = 'tokens' then to_char(p_amount, 'FM999999999999990') || ' tokens'
    else to_char(p_amount, case when abs(p_amount) < 1 and p_amount <> round(p_amount, 2)
      then 'FM999999999990.0000' else 'FM999999999990.00' end) || ' ' || p_unit end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_at_work(p_budget public.budgets, p_except uuid DEFAULT NULL::uuid, OUT jobs integer, OUT reserved numeric)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  select count(*), coalesce(sum(greatest(coalesce(r.amount, 0)
    - private.attempt_used(j.id, j.attempt, p_budget.unit), 0)), 0)
  into jobs, reserved
  from public.agent_jobs j
  left join public.budget_reservations r on r.job_id = j.id and r.unit = p_budget.unit and r.attempt = j.attempt
  where j.product_id = p_budget.product_id and j.status in ('CLAIMED', 'RUNNING') and j.id is distinct from p_except
    and private.budget_covers(p_budget, j);
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_covers(p_budget public.budgets, p_job public.agent_jobs)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case p_budget.scope
    when 'product' then p_budget.product_id = p_job.product_id
    when 'run' then p_budget.sprint_run_id = p_job.sprint_run_id
    when 'task' then p_budget.task_id = p_job.task_id and p_job.kind = 'TASK_IMPLEMENTATION'
    else p_budget.sprint_id = (select r.sprint_id from public.sprint_runs r where r.id = p_job.sprint_run_id)
  end is true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_json(p_budget public.budgets)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_window record;
  v_work record;
  v_spent numeric := private.budget_spent(p_budget);
  v_is_reached boolean := private.is_budget_reached(p_budget);
begin
  select * into v_window from private.budget_window(p_budget);
  select * into v_work from private.budget_at_work(p_budget);
  return jsonb_build_object(
    'id', p_budget.id, 'product_id', p_budget.product_id, 'scope', p_budget.scope, 'period', p_budget.period,
    'sprint_id', p_budget.sprint_id, 'sprint_run_id', p_budget.sprint_run_id, 'task_id', p_budget.task_id,
    'name', private.budget_name(p_budget),
    'unit', p_budget.unit, 'amount', p_budget.amount,
    'spent', round(v_spent, 6), 'reserved', round(v_work.reserved, 6), 'at_work', v_work.jobs,
    'left', round(greatest(p_budget.amount - v_spent - v_work.reserved, 0), 6),
    'overshoot', round(greatest(p_budget.overshoot, v_spent - p_budget.amount, 0), 6),
    'unreported_jobs', private.unreported_jobs(p_budget),
    'state', case when v_is_reached then 'reached' when v_spent >= 0.8 * p_budget.amount then 'warning' else 'open' end,
    'from_at', nullif(v_window.from_at, '-infinity'), 'until_at', v_window.until_at,
    'created_at', p_budget.created_at, 'updated_at', p_budget.updated_at);
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_left(p_job public.agent_jobs, p_rooms private.budget_room[])
 RETURNS TABLE(unit text, amount numeric, need numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select r.unit, greatest(0, min(r.room)), min(r.need)
    from unnest(p_rooms) r
    join public.budgets b on b.id = r.budget_id
    where r.room is not null and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    group by r.unit;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_name(p_budget public.budgets)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case p_budget.scope
    when 'run' then format('this run of sprint %s', (
      select s.code from public.sprint_runs r join public.sprints s on s.id = r.sprint_id where r.id = p_budget.sprint_run_id))
    when 'sprint' then format('sprint %s', (select s.code from public.sprints s where s.id = p_budget.sprint_id))
    when 'task' then format('task %s', (select t.code from public.tasks t where t.id = p_budget.task_id))
    else format('product %s for this %s', (select p.code from public.products p where p.id = p_budget.product_id), p_budget.period)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_need(p_job public.agent_jobs, p_usage jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_kept public.budget_reservations;
  v_new numeric;
  v_used numeric;
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    order by b.id
  loop
    select r.* into v_kept from public.budget_reservations r
    where r.job_id = p_job.id and r.unit = v_budget.unit and r.attempt = p_job.attempt;
    v_used := private.attempt_used(p_job.id, p_job.attempt, v_budget.unit);
    v_new := greatest(0, private.usage_in_unit(p_usage, v_budget.unit) - (
      select coalesce(sum(case when v_budget.unit = 'tokens'
        then coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0) + coalesce(s.cache_write_tokens, 0)
        when s.currency = v_budget.unit and not s.subscription then s.cost end), 0)
      from public.usage_so_far s where s.job_id = p_job.id and s.attempt = p_job.attempt));
    v_used := v_used + v_new;
    if v_used > 0 and v_used + greatest(coalesce(v_kept.step, 0), v_used - coalesce(v_kept.seen, 0)) > coalesce(v_kept.amount, 0)
      or private.budget_spent(v_budget) + v_new >= v_budget.amount then
      return v_budget.id;
    end if;
  end loop;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_payload(p_job public.agent_jobs, p_rooms private.budget_room[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('budget_left', (
    select coalesce(jsonb_agg(jsonb_build_object('unit', l.unit, 'amount', round(l.amount, 6)) order by l.unit), '[]')
    from private.budget_left(p_job, p_rooms) l));
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_raise(p_budget public.budgets)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_least numeric := greatest(p_budget.amount / 4, private.expected_use(p_budget.product_id, p_budget.unit, null),
    private.budget_spent(p_budget) - p_budget.amount);
  v_grain numeric := power(10::numeric, floor(log(v_least))) / 2;
begin
  return trim_scale(ceil(v_least / v_grain) * v_grain);
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_spent numeric;
  v_work record;
  v_need numeric;
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    order by b.id
  loop
    v_spent := private.budget_spent(v_budget);
    select * into v_work from private.budget_at_work(v_budget);
    v_need := private.expected_use(p_job.product_id, v_budget.unit, p_job.model_id);
    if private.is_budget_reached(v_budget)
      or (v_budget.amount - v_spent - v_work.reserved < v_need
        and (v_work.jobs > 0 or v_budget.amount - v_spent - v_work.reserved <= v_need / 10)) then
      return jsonb_build_array(jsonb_build_object('code', 'budget',
        'message', format('The budget of %s has %s of %s left%s; a task usually needs %s.', private.budget_name(v_budget),
          private.budget_amount_text(greatest(v_budget.amount - v_spent - v_work.reserved, 0), v_budget.unit),
          private.budget_amount_text(v_budget.amount, v_budget.unit),
          case when v_work.reserved > 0
            then format(', %s are reserved by jobs at work', private.budget_amount_text(v_work.reserved, v_budget.unit)) else '' end,
          private.budget_amount_text(round(v_need, 6), v_budget.unit)),
        'budget_id', v_budget.id, 'unit', v_budget.unit, 'amount', v_budget.amount, 'spent', round(v_spent, 6),
        'reserved', round(v_work.reserved, 6), 'expected', round(v_need, 6)));
    end if;
  end loop;
  return '[]';
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_settings_of(p_product_id uuid)
 RETURNS public.budget_settings
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_settings public.budget_settings;
begin
  select s.* into v_settings from public.budget_settings s where s.product_id = p_product_id;
  if not found then
    v_settings := (p_product_id, 'UTC', 'allow', 200000, 1);
  end if;
  return v_settings;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_spent(p_budget public.budgets)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_budget.spent_before + (private.add_up_budget(p_budget)).used;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_stop_text(p_budget public.budgets)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return format('The budget of %s is reached: %s of %s used. The work is kept and the job waits for a person.',
    private.budget_name(p_budget), private.budget_amount_text(private.budget_spent(p_budget), p_budget.unit),
    private.budget_amount_text(p_budget.amount, p_budget.unit));
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_warnings(p_sprint public.sprints)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_forecast jsonb;
  v_likely jsonb;
  v_left numeric;
  v_warnings jsonb := '[]';
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_sprint.product_id and (b.scope = 'product' or b.sprint_id = p_sprint.id)
    order by b.scope desc, b.id
  loop
    v_forecast := coalesce(v_forecast, private.get_forecast(p_sprint.product_id, p_sprint.id)::jsonb);
    if v_budget.unit = 'tokens' then
      v_likely := nullif(v_forecast -> 'tokens', 'null');
    else
      select c into v_likely from jsonb_array_elements(v_forecast -> 'costs') c where c ->> 'currency' = v_budget.unit;
    end if;
    v_left := greatest(0, v_budget.amount - private.budget_spent(v_budget) - (private.budget_at_work(v_budget)).reserved);
    if private.is_budget_reached(v_budget) or v_left = 0 then
      v_warnings := v_warnings || jsonb_build_object('type', 'budget', 'budget_id', v_budget.id,
        'message', format('The budget of %s is used up: a run waits at once and asks you.', private.budget_name(v_budget)));
    elsif (v_likely ->> 'high')::numeric > v_left then
      v_warnings := v_warnings || jsonb_build_object('type', 'budget', 'budget_id', v_budget.id,
        'message', format('The budget of %s has %s left, and this run probably takes %s to %s. It stops there and asks you.',
          private.budget_name(v_budget), private.budget_amount_text(v_left, v_budget.unit),
          private.budget_amount_text((v_likely ->> 'low')::numeric, v_budget.unit),
          private.budget_amount_text((v_likely ->> 'high')::numeric, v_budget.unit)));
    end if;
    v_likely := null;
  end loop;
  return v_warnings;
end;
$function$;

CREATE OR REPLACE FUNCTION private.budget_window(p_budget public.budgets, OUT from_at timestamp with time zone, OUT until_at timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_zone text := (private.budget_settings_of(p_budget.product_id)).time_zone;
  v_local timestamp := date_trunc(p_budget.period, private.now() at time zone v_zone);
begin
  from_at := coalesce(v_local at time zone v_zone, '-infinity');
  until_at := (v_local + ('1 ' || p_budget.period)::interval) at time zone v_zone;
end;
$function$;

CREATE OR REPLACE FUNCTION private.build_call(p_function text, p_arguments jsonb, OUT p_statement text, OUT p_writes boolean)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_names text[];
  v_types oid[];
  v_type text;
  v_separator text := '';
begin
  select o.parameter_names, o.parameter_types, o.writes
  into v_names, v_types, p_writes
  from private.operations o
  where o.name = p_function;

  if not found then
    raise exception using errcode = 'PT404', message = format('There is no operation %s.', p_function);
  end if;

  p_statement := '';
  for i in 1 .. coalesce(cardinality(v_names), 0) loop
    continue when not p_arguments ? v_names[i];
    v_type := format_type(v_types[i - 1], null);
    p_statement := p_statement
      || v_separator || quote_ident(v_names[i]) || ' => '
      || case
           when v_type in ('jsonb', 'json') then 'nullif($1 -> ' || quote_literal(v_names[i]) || ', ''null''::jsonb)::' || v_type
           else '($1 ->> ' || quote_literal(v_names[i]) || ')::' || v_type
         end;
    v_separator := ', ';
  end loop;

  if p_arguments - coalesce(v_names, '{}') <> '{}' then
    raise exception using errcode = 'PT404',
      message = format('The operation %s does not take the arguments %s.', p_function,
        p_arguments - coalesce(v_names, '{}'));
  end if;

  p_statement := 'select public.' || quote_ident(p_function) || '(' || p_statement || ')';
end;
$function$;

CREATE OR REPLACE FUNCTION private.burndown(p_sprint public.sprints)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_today date := (private.now() at time zone 'UTC')::date;
  v_from date := coalesce(p_sprint.start_date, (p_sprint.started_at at time zone 'UTC')::date, (p_sprint.created_at at time zone 'UTC')::date);
  v_to date := least(v_today, greatest(coalesce(p_sprint.end_date, v_today), (p_sprint.completed_at at time zone 'UTC')::date), v_from + 120);
begin
  return (
    -- A part of its own: beside the looks at each day's last change the planner takes reading the whole history for as cheap.
    with scope as materialized (
      select distinct c.task_id from public.task_status_changes c where c.sprint_id = p_sprint.id
    )
    select coalesce(jsonb_agg(jsonb_build_object('date', x.day, 'remaining', x.remaining, 'total', x.total) order by x.day), '[]')
    from (
      select d.day::date as day, count(*) as total, count(*) filter (where l.to_status <> 'DONE') as remaining
      from generate_series(v_from::timestamp, v_to::timestamp, interval '1 day') as d (day)
      cross join scope
      cross join lateral (
        select c.to_status, c.sprint_id from public.task_status_changes c
        where c.task_id = scope.task_id
          and c.changed_at < least((d.day + interval '1 day') at time zone 'UTC', p_sprint.completed_at)
        order by c.changed_at desc, c.id desc
        limit 1
      ) l
      where l.sprint_id = p_sprint.id
      group by d.day
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.call_scheduled_endpoint(p_path text)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_origin text;
  v_secret text;
  v_request_id bigint;
begin
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1'
    into v_origin using 'backloom_origin';
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1'
    into v_secret using 'backloom_cron_secret';
  if v_origin is null or v_secret is null then
    raise exception 'Vault has no secret named backloom_origin or backloom_cron_secret: create both, see docs/deploy.md';
  end if;

  execute 'select net.http_post(url := $1, headers := $2, body := $3)'
    into v_request_id
    using rtrim(v_origin, '/') || p_path,
      jsonb_build_object('Authorization', 'Bearer ' || v_secret, 'Content-Type', 'application/json'),
      '{}'::jsonb;
  return v_request_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.cancel_agent_job(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
begin
  if v_job.status = 'CANCELLED' then
    return private.job_json(v_job);
  end if;
  if v_job.status in ('CLAIMED', 'RUNNING') and v_job.kind <> 'PLAN_CHAT' then
    perform private.refuse(409, 'This job is held by a worker. Cancel its run to stop it; a pause lets it come to its end.');
  end if;
  if v_job.status not in ('QUEUED', 'CLAIMED', 'RUNNING') then
    perform private.refuse(409, format('Only a queued job can be cancelled; this one is %s.', lower(v_job.status::text)));
  end if;

  perform private.close_question(v_job.parked_question_id);
  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = 'The job was cancelled.'
  where j.id = p_job_id;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return private.job_json(v_job);
end;
$function$;

CREATE OR REPLACE FUNCTION private.change_event(p_operation text, p_entity text, p_old jsonb, p_new jsonb, p_changed_fields jsonb DEFAULT NULL::jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_row jsonb := coalesce(p_new, p_old);
  v_event jsonb := jsonb_build_object(
    'op', left(p_operation, 1), 'entity', p_entity, 'id', v_row -> 'id', 'product_id', v_row -> 'product_id'
  );
  v_changed jsonb;
begin
  if p_operation <> 'UPDATE' then
    return v_event;
  end if;

  v_changed := coalesce(p_changed_fields, private.changed_fields(p_old, p_new));
  if v_changed = '[]' then
    return null;
  end if;
  return v_event || jsonb_build_object('changed_fields', v_changed);
end;
$function$;

CREATE OR REPLACE FUNCTION private.change_sprint_status(p_sprint_id uuid, p_from public.sprint_status, p_to public.sprint_status)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
begin
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;

  if v_sprint.status <> p_from then
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s; only a sprint that is %s can become %s.', v_sprint.code,
        lower(v_sprint.status::text), lower(p_from::text), lower(p_to::text));
  end if;

  if p_to = 'ACTIVE' and exists (
    select from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE'
  ) then
    raise exception using errcode = 'PT409', message = 'Another sprint of this product is active. Complete it first.';
  end if;

  if p_to = 'COMPLETED' and exists (
    select from public.sprint_runs r where r.sprint_id = p_sprint_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
  ) then
    raise exception using errcode = 'PT409', message = 'A run of this sprint is not finished. Let it finish, or cancel it first.';
  end if;

  update public.sprints s
  set status = p_to,
      started_at = case when p_to = 'ACTIVE' then private.now() else s.started_at end,
      completed_at = case when p_to = 'COMPLETED' then private.now() else s.completed_at end
  where s.id = p_sprint_id;

  if p_to in ('COMPLETED', 'CANCELLED') then
    insert into public.sprint_leftovers (sprint_id, story_id)
    select p_sprint_id, s.id from public.stories s where s.sprint_id = p_sprint_id and s.status <> 'DONE'
    on conflict do nothing;
    update public.stories s set sprint_id = null where s.sprint_id = p_sprint_id and s.status <> 'DONE';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.change_thing(p_kind text, p_id uuid, p_changes jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_fields jsonb;
begin
  if p_kind = 'task' then
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id}'::text[];
    if v_fields <> '{}' then
      perform public.edit_task(p_id, v_fields);
    end if;
    if p_changes ? 'assignee_id' then
      -- Whoever has a task has its story.
      perform public.assign_story((select t.story_id from public.tasks t where t.id = p_id), (p_changes ->> 'assignee_id')::uuid);
    end if;
    if p_changes ? 'story_id' then
      perform public.move_task(p_id, (p_changes ->> 'story_id')::uuid);
    end if;
    return v_fields <> '{}' or p_changes ?| '{story_id,assignee_id}';
  end if;

  if p_kind = 'pbi' then
    v_fields := p_changes - '{assignee_id,sprint_id,pbi_id,story_id,confirmed}'::text[];
    if v_fields ->> 'status' not in ('ready', 'blocked') then
      v_fields := v_fields - 'status';
    end if;
    if v_fields <> '{}' then
      perform public.update_pbi(p_id, v_fields);
    end if;
    return v_fields <> '{}';
  end if;

  v_fields := p_changes - '{status,assignee_id,sprint_id,story_id,confirmed}'::text[];
  if v_fields <> '{}' then
    perform public.update_story(p_id, v_fields);
  end if;
  if p_changes ? 'assignee_id' then
    perform public.assign_story(p_id, (p_changes ->> 'assignee_id')::uuid);
  end if;
  if p_changes ? 'sprint_id' and p_changes ->> 'sprint_id' is null then
    perform public.remove_story_from_sprint(p_id);
  elsif p_changes ? 'sprint_id' then
    perform public.add_story_to_sprint((p_changes ->> 'sprint_id')::uuid, p_id);
  end if;
  return v_fields <> '{}' or p_changes ?| '{assignee_id,sprint_id}';
end;
$function$;

CREATE OR REPLACE FUNCTION private.changed_job_fields(p_old public.agent_jobs, p_new public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_rest public.agent_jobs := p_new;
begin
  v_rest.attempt := p_old.attempt;
  v_rest.claimed_at := p_old.claimed_at;
  v_rest.finished_at := p_old.finished_at;
  v_rest.head_sha := p_old.head_sha;
  v_rest.lease_until := p_old.lease_until;
  v_rest.plan_snapshot := p_old.plan_snapshot;
  v_rest.started_at := p_old.started_at;
  v_rest.status := p_old.status;
  v_rest.summary := p_old.summary;
  v_rest.updated_at := p_old.updated_at;
  v_rest.verify_result := p_old.verify_result;
  v_rest.worker_id := p_old.worker_id;
  if v_rest is distinct from p_old then
    return private.changed_fields(to_jsonb(p_old), to_jsonb(p_new));
  end if;
  return to_jsonb(array_remove(array[
    case when p_new.attempt is distinct from p_old.attempt then 'attempt' end,
    case when p_new.claimed_at is distinct from p_old.claimed_at then 'claimed_at' end,
    case when p_new.finished_at is distinct from p_old.finished_at then 'finished_at' end,
    case when p_new.head_sha is distinct from p_old.head_sha then 'head_sha' end,
    case when p_new.lease_until is distinct from p_old.lease_until then 'lease_until' end,
    case when p_new.plan_snapshot is distinct from p_old.plan_snapshot then 'plan_snapshot' end,
    case when p_new.started_at is distinct from p_old.started_at then 'started_at' end,
    case when p_new.status is distinct from p_old.status then 'status' end,
    case when p_new.summary is distinct from p_old.summary then 'summary' end,
    case when p_new.verify_result is distinct from p_old.verify_result then 'verify_result' end,
    case when p_new.worker_id is distinct from p_old.worker_id then 'worker_id' end
  ], null));
end;
$function$;

CREATE OR REPLACE FUNCTION private.changed_task_fields(p_old public.tasks, p_new public.tasks)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_rest public.tasks := p_new;
begin
  v_rest.status := p_old.status;
  v_rest.updated_at := p_old.updated_at;
  if v_rest is distinct from p_old then
    return private.changed_fields(to_jsonb(p_old), to_jsonb(p_new));
  end if;
  return case when p_new.status is distinct from p_old.status then '["status"]' else '[]' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.chat_questions(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object('id', u.id, 'question', u.question, 'answer', u.answer,
      'status', lower(u.status::text), 'asked_for_this_job', u.job_id = p_job.id, 'created_at', u.created_at)
      order by u.created_at, u.id), '[]')
    from public.user_questions u where u.idea_id = p_job.idea_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_observation(p_line jsonb, p_grade public.evidence_grade, p_place integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_exit integer := (p_line ->> 'exit_code')::integer;
begin
  if p_grade = 'worker' and (coalesce(p_line ->> 'command', '') !~ '\S' or v_exit is null) then
    perform private.refuse_evidence(p_place, 'command',
      'What a worker has seen names the command that it ran and its exit code. Without them it is what the agent says: leave out the grade.');
  end if;
  if p_grade = 'other_worker' and coalesce(p_line ->> 'command', '') !~ '\S' and coalesce(p_line ->> 'excerpt', '') !~ '\S' then
    perform private.refuse_evidence(p_place, 'command',
      'No verdict without a procedure: give the command that you ran, or say in excerpt what you looked at.');
  end if;
  if p_grade in ('worker', 'other_worker') and v_exit is not null
    and (v_exit = 0) <> (coalesce(p_line ->> 'verdict', 'pass') = 'pass') and p_line ->> 'verdict' is distinct from 'unverifiable' then
    perform private.refuse_evidence(p_place, 'verdict',
      'The verdict follows from the exit code: pass for 0, fail for any other.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_queue_empty(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := auth.uid();
  v_queued integer;
  v_held integer;
  v_claimable boolean;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select count(*) filter (where j.status = 'QUEUED'), count(*) filter (where j.status <> 'QUEUED')
  into v_queued, v_held
  from public.agent_jobs j
  join public.product_members m on m.product_id = j.product_id and m.user_id = v_user_id
  where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (p_product_id is null or j.product_id = p_product_id);
  v_claimable := private.next_product(null, v_user_id, p_product_id, null, null, '{}') is not null;
  return json_build_object('empty', v_queued = 0 and v_held = 0, 'claimable', v_claimable, 'queued', v_queued, 'held', v_held,
    'reason', case when not v_claimable then private.nothing_to_claim(v_user_id, p_product_id) end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_webhook(p_url text, p_events jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_known jsonb := '["question_opened", "question_answered", "question_expired", "run_paused", "run_failed", "run_done", "review_needed", "budget_warning"]';
  v_events jsonb := coalesce(p_events, v_known);
begin
  if p_url is not null and (p_url !~ '^https?://[^/]+' or char_length(p_url) > 2000) then
    perform private.refuse(422, 'url must be an https address of at most 2000 characters.');
  end if;
  if jsonb_typeof(v_events) <> 'array' or jsonb_array_length(v_events) = 0 or not v_known @> v_events then
    perform private.refuse(422, 'events must name at least one of question_opened, question_answered, question_expired, run_paused, run_failed, run_done, review_needed, budget_warning.');
  end if;
  return (select jsonb_agg(distinct e) from jsonb_array_elements(v_events) e);
end;
$function$;

CREATE OR REPLACE FUNCTION private.claim_agent_job(p_worker text, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_hostname text, p_version text, p_quota_pct integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
  v_locked uuid[];
  v_tried uuid[] := '{}';
  v_product_id uuid;
  v_job public.agent_jobs;
  v_rooms private.budget_room[];
  v_full_budgets uuid[];
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  v_quota_reason := private.quota_reason(v_user_id, coalesce(p_quota_pct, v_worker.last_quota_pct));
  if v_quota_reason is not null then
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct);
    return json_build_object('job', null, 'worker_id', v_worker.id,
      'reason', json_build_object('code', 'quota', 'message', v_quota_reason));
  end if;

  v_locked := private.take_back_expired(v_user_id, p_product_id);
  for v_round in 1 .. 20 loop
    v_product_id := private.next_product(v_worker.id, v_user_id, p_product_id, p_sprint_run_id, p_kinds, v_tried);
    exit when v_product_id is null;
    if v_locked = '{}' then
      perform private.share_product(v_product_id);
    elsif v_product_id <> all (v_locked) and not private.try_share_product(v_product_id) then
      v_tried := v_tried || v_product_id;
      continue;
    end if;
    v_locked := v_locked || v_product_id;
    v_rooms := private.weigh_budgets(v_product_id, v_worker.id, v_tried = '{}');
    v_full_budgets := case when v_rooms is not null then private.full_budgets(v_rooms) end;
    v_job := private.take_job(v_worker.id, v_user_id, v_product_id, p_sprint_run_id, p_kinds, v_full_budgets);
    exit when v_job.id is not null;
    v_tried := v_tried || v_product_id;
  end loop;

  if v_rooms is not null and v_job.id is not null then
    perform private.reserve_budget(v_job, v_rooms);
  end if;
  perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct);
  if v_job.id is null then
    return json_build_object('job', null, 'worker_id', v_worker.id, 'reason', private.nothing_to_claim(v_user_id, p_product_id, v_full_budgets));
  end if;
  return json_build_object('job', case when v_rooms is null then private.job_payload(v_job)
    else (private.job_payload(v_job)::jsonb || private.budget_payload(v_job, v_rooms))::json end, 'worker_id', v_worker.id, 'reason', null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.classify_diff(p_plan text, p_changed_files jsonb)
 RETURNS public.verify_result
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_named integer;
  v_changed integer;
begin
  if p_changed_files is null then
    return null;
  end if;
  if jsonb_array_length(p_changed_files) = 0 then
    return 'EMPTY';
  end if;

  select count(*), count(*) filter (where exists (
    select from jsonb_array_elements_text(p_changed_files) f
    where f = n.path or f like '%/' || replace(replace(n.path, '%', '\%'), '_', '\_')
  ))
  into v_named, v_changed
  from (
    select distinct ltrim(m[1], './') as path
    from regexp_matches(left(coalesce(p_plan, ''), 100000), '([A-Za-z0-9_./\u00c0-\u1fff\u2c00-\u2dff\u3040-\ud7ff-]*[A-Za-z0-9_\u00c0-\u1fff\u2c00-\u2dff\u3040-\ud7ff-]\.[A-Za-z][A-Za-z0-9]{0,5})(?![A-Za-z0-9])', 'g') m
    where m[1] !~ '^(e\.g|i\.e)$'
  ) n;

  return case when v_named = 0 then 'PARTIAL' when v_changed = v_named then 'ALIGNED'
    when v_changed > 0 then 'PARTIAL' else 'DIVERGENT' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.cleanup_agent_artifacts()
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_portion constant integer := 1000;
  v_ids uuid[];
  v_product_id uuid;
  v_deleted integer;
begin
  v_ids := array(
    select d.id from public.agent_jobs d
    where d.status in ('FAILED', 'CANCELLED') and d.finished_at < v_now - interval '7 days'
    order by d.product_id, d.id
    limit v_portion);
  for v_product_id in
    select distinct j.product_id from public.agent_jobs j where j.id = any (v_ids) order by 1
  loop
    perform private.lock_product(v_product_id);
  end loop;
  delete from public.agent_jobs j where j.id = any (v_ids) and j.status in ('FAILED', 'CANCELLED');
  get diagnostics v_deleted = row_count;
  return json_build_object('deleted', v_deleted, 'more', cardinality(v_ids) = v_portion, 'ran_at', to_char(v_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.closed_budgets(p_product_id uuid)
 RETURNS private.budget_room[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select row (b.id, b.unit, null, null, true)::private.budget_room from public.budgets b where b.product_id = p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.code_of(p_kind text, p_id uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select case p_kind
    when 'task' then (select t.code from public.tasks t where t.id = p_id)
    when 'story' then (select s.code from public.stories s where s.id = p_id)
    when 'pbi' then (select b.code from public.pbis b where b.id = p_id)
    when 'job' then (select t.code from public.agent_jobs j join public.tasks t on t.id = j.task_id where j.id = p_id)
  end;
$function$;

CREATE OR REPLACE FUNCTION private.comment_json(p_comment public.job_comments)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('id', p_comment.id, 'job_id', p_comment.job_id, 'review_id', p_comment.review_id,
    'attempt', p_comment.attempt, 'path', p_comment.path, 'line', p_comment.line, 'side', p_comment.side,
    'line_text', p_comment.line_text, 'body', p_comment.body, 'author_id', p_comment.author_id,
    'author', p_comment.author, 'draft', p_comment.review_id is null, 'created_at', p_comment.created_at);
end;
$function$;

CREATE OR REPLACE FUNCTION private.complete_run(p_sprint_run_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
begin
  select r.* into v_run from public.sprint_runs r where r.id = p_sprint_run_id;
  if v_run.status not in ('QUEUED', 'RUNNING') then
    return;
  end if;
  if exists (
    select from public.agent_jobs j
    where j.sprint_run_id = p_sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
  ) then
    return;
  end if;
  if exists (select from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id and j.status = 'FAILED') then
    return;
  end if;
  if exists (
    select from public.task_executions e
    where e.sprint_run_id = p_sprint_run_id and e.status in ('PENDING', 'RUNNING')
  ) then
    perform private.end_run(v_run, 'CANCELLED', 'The job of the batch was cancelled.', null);
    return;
  end if;
  perform private.end_run(v_run, 'DONE', null, null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.conflict_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object('kind', c.kind, 'branch', c.branch, 'task_id', t.id, 'task_code', t.code,
      'ours_sha', c.ours_sha, 'theirs_sha', c.theirs_sha, 'files', c.files) order by c.created_at desc), '[]')
    from (
      select distinct on (x.kind, x.branch) x.*
      from public.job_conflicts x
      where x.job_id = p_job.id
      order by x.kind, x.branch, x.created_at desc
    ) c
    left join public.agent_jobs o on o.id = c.other_job_id
    left join public.tasks t on t.id = o.task_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.conflict_reasons(p_kind text, p_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
  v_run public.sprint_runs;
  v_reasons jsonb;
begin
  if p_kind = 'run' then
    select r.* into v_run from public.sprint_runs r where r.id = p_id;
  else
    select j.* into v_job from public.agent_jobs j
    where (p_kind = 'job' and j.id = p_id or p_kind = 'task' and j.task_id = p_id) and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.created_at desc, j.id limit 1;
    select r.* into v_run from public.sprint_runs r where r.id = v_job.sprint_run_id;
  end if;
  if v_run.id is null then
    return '[]';
  end if;

  select coalesce(jsonb_agg(jsonb_build_object('code', 'conflict', 'blocking', false, 'job_id', j.id, 'task_id', j.task_id,
    'message', format('%s does not merge with %s in %s and goes back to work with both versions.', t.code,
      case c.kind when 'base' then 'the main branch' when 'branch' then 'its branch, which has moved on' else coalesce(o.code, 'another task') end,
      (select string_agg(f ->> 'path', ', ') from (select * from jsonb_array_elements(c.files) limit 5) x (f)))) order by j.position), '[]')
  into v_reasons
  from public.agent_jobs j
  join public.tasks t on t.id = j.task_id
  cross join lateral (select k.* from public.job_conflicts k where k.job_id = j.id order by k.created_at desc limit 1) c
  left join public.agent_jobs oj on oj.id = c.other_job_id
  left join public.tasks o on o.id = oj.task_id
  where j.sprint_run_id = v_run.id and j.status = 'QUEUED' and c.decision = 'home' and c.attempt = j.attempt
    and (p_kind = 'run' or j.id = v_job.id);

  return v_reasons || (
    select coalesce(jsonb_agg(jsonb_build_object('code', 'overlap', 'blocking', false, 'tasks', p -> 'tasks', 'files', p -> 'files',
      'message', format('%s and %s both change %s.', p -> 'tasks' -> 0 ->> 'code', p -> 'tasks' -> 1 ->> 'code',
        (select string_agg(f, ', ') from jsonb_array_elements_text(p -> 'files') f)))), '[]')
    from jsonb_array_elements(private.run_overlaps(v_run)) p
    where p_kind = 'run' or v_job.task_id::text in (p -> 'tasks' -> 0 ->> 'id', p -> 'tasks' -> 1 ->> 'id'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.conflict_rival(p_job public.agent_jobs, p_branch text, p_theirs_sha text)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_rival public.agent_jobs;
begin
  select j.* into v_rival
  from public.agent_jobs j
  where j.sprint_run_id = p_job.sprint_run_id and j.branch = p_branch and j.id <> p_job.id and j.attempt > 0
    and j.status in ('QUEUED', 'CLAIMED', 'RUNNING', 'DONE')
  order by (j.status = 'DONE' and j.head_sha is not distinct from p_theirs_sha) desc, (j.status <> 'DONE') desc, j.finished_at desc, j.id
  limit 1;
  return v_rival;
end;
$function$;

CREATE OR REPLACE FUNCTION private.continue_run(p_run public.sprint_runs)
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
begin
  if p_run.pr_strategy = 'SPRINT_BATCH' and exists (
    select from public.task_executions e
    where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED')
  ) then
    return private.resume_batch_run(p_run);
  end if;

  update public.sprint_runs r
  set pause_context = null,
      status = case when exists (
        select from public.agent_jobs j where j.sprint_run_id = r.id and j.status in ('CLAIMED', 'RUNNING')
      ) then 'RUNNING' else 'QUEUED' end::public.sprint_run_status
  where r.id = p_run.id;
  update public.agent_jobs j set claim_rank = 0
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.stopped_by_budget_id is not null;
  perform private.complete_run(p_run.id);

  select r.* into v_run from public.sprint_runs r where r.id = p_run.id;
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.cost_insights(p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_since timestamptz := private.now() - interval '90 days';
begin
  return jsonb_build_object(
    'by_day_model', (
      select coalesce(jsonb_agg(to_jsonb(d) order by d.date, d.model_id, d.currency), '[]')
      from (
        select (e.created_at at time zone 'UTC')::date as date, e.model_id, e.currency, round(sum(e.cost), 6) as cost
        from public.usage_events e
        where e.product_id = p_product_id and e.cost is not null and not e.subscription
        group by 1, 2, 3
      ) d),
    'by_product', (
      select coalesce(jsonb_agg(to_jsonb(x) order by lower(x.name), x.product_id), '[]')
      from (
        select p.id as product_id, p.code, p.name,
          (
            select coalesce(jsonb_agg(jsonb_build_object('currency', c.currency, 'cost', c.cost) order by c.currency), '[]')
            from (
              select e.currency, round(sum(e.cost), 6) as cost from public.usage_events e
              where e.product_id = p.id and e.cost is not null and not e.subscription
              group by e.currency
            ) c
          ) as costs
        from public.products p
        where p.id in (select private.writable_product_ids())
      ) x
      where x.costs <> '[]'),
    'cycle_times', (
      select coalesce(jsonb_agg(to_jsonb(c) order by c.finished_at), '[]')
      from (
        select t.id as task_id, t.code, t.title, s.started_at, f.finished_at
        from (
          select h.task_id, max(h.changed_at) as finished_at
          from public.task_status_changes h
          where h.product_id = p_product_id and h.to_status = 'DONE' and h.from_status is distinct from h.to_status and h.changed_at >= v_since
          group by h.task_id
          order by 2 desc
          limit 200
        ) f
        join public.tasks t on t.id = f.task_id and t.status = 'DONE'
        cross join lateral (
          select min(h.changed_at) as started_at from public.task_status_changes h
          where h.task_id = f.task_id and h.to_status = 'IN_PROGRESS'
        ) s
        where s.started_at < f.finished_at
      ) c)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.costs_of(p_product_id uuid, p_sprint_run_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
    from (
      select e.currency, round(sum(e.cost), 6) as cost
      from public.usage_events e
      where e.product_id = p_product_id and (p_sprint_run_id is null or e.sprint_run_id = p_sprint_run_id)
        and e.cost is not null and not e.subscription
      group by e.currency
    ) s
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_open_blockers(p_job public.agent_jobs)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'TASK_IMPLEMENTATION' then
    return (select count(*) from private.task_blockers b where b.task_id = p_job.task_id
      and (b.status <> 'done' or not private.has_arrived(b.task_id, b.kind, b.blocker_id, p_job.product_id, p_job.branch)));
  end if;
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    return 0;
  end if;
  return (
    select count(*)
    from public.task_executions e
    join private.task_blockers b on b.task_id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING')
      and (b.status <> 'done' or not private.has_arrived(b.task_id, b.kind, b.blocker_id, p_job.product_id, p_job.branch))
      and not exists (
        select from public.task_executions i
        join public.tasks t on t.id = i.task_id
        where i.sprint_run_id = e.sprint_run_id and b.blocker_id in (t.id, t.story_id)
      )
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.create_api_token(p_label text, p_prefix text, p_token_hash text, p_expires_days integer)
 RETURNS public.api_tokens
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_token public.api_tokens;
begin
  insert into public.api_tokens (user_id, session_id, label, prefix, token_hash, expires_at, created_at)
  values (auth.uid(), private.own_session_id(), p_label, p_prefix, decode(p_token_hash, 'hex'),
    private.now() + make_interval(days => p_expires_days), private.now())
  returning * into v_token;
  return v_token;
end;
$function$;

CREATE OR REPLACE FUNCTION private.create_run(p_sprint public.sprints, p_product public.products, p_previous public.sprint_runs)
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_run public.sprint_runs;
begin
  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, started_by)
  values (p_sprint.id, p_product.id, p_product.pr_strategy,
    coalesce(p_previous.branch, private.run_branch(p_sprint, p_product)), p_previous.id, auth.uid())
  returning * into v_run;

  if v_run.pr_strategy = 'SPRINT_BATCH' then
    insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
    select v_run.id, sc.task_id, sc.place, t.implementation_plan, t.verify_required
    from private.run_scope(p_sprint.id) sc
    join public.tasks t on t.id = sc.task_id;
    perform private.create_batch_job(v_run);
    return v_run;
  end if;

  insert into public.agent_jobs
    (product_id, task_id, kind, sprint_run_id, lane_id, position, in_turn, branch, created_by, created_at)
  select p_product.id, sc.task_id, 'TASK_IMPLEMENTATION', v_run.id,
    case v_run.pr_strategy when 'STORY' then sc.story_id else v_run.id end,
    sc.place,
    case v_run.pr_strategy when 'STORY' then sc.place = min(sc.place) over (partition by sc.story_id) else sc.place = 1 end,
    case v_run.pr_strategy
      when 'STORY' then left(v_run.branch || '--' || private.branch_part(sc.story_code, sc.story_id), 200)
      else v_run.branch end,
    auth.uid(), v_now
  from private.run_scope(p_sprint.id) sc
  order by sc.place;
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.create_saved_view(p_product_id uuid, p_page text, p_name text, p_look jsonb, p_shared boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := case when not p_shared then auth.uid() end;
  v_page text;
  v_view public.saved_views;
begin
  perform private.require_write('product', p_product_id);
  perform private.take_rate_limit('saved_view', auth.uid()::text);
  v_page := lower(private.require_choice('page', p_page, array['BACKLOG', 'BOARD']));
  insert into public.saved_views (product_id, user_id, created_by, page, name, look)
  values (p_product_id, v_user_id, auth.uid(), v_page,
    private.require_view_name(p_product_id, v_page, v_user_id, p_name, null), private.require_look(p_look))
  returning * into v_view;
  return private.saved_view_json(v_view);
end;
$function$;

CREATE OR REPLACE FUNCTION private.criteria_of(p_acceptance_criteria text, p_definition_of_done text)
 RETURNS TABLE(place integer, id text, kind text, text text)
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select row_number() over (order by min(l.place))::integer,
    private.criterion_id(l.line), min(l.kind), l.line
  from (
    select a.place, 'acceptance' as kind, a.line
    from private.list_items(p_acceptance_criteria) with ordinality as a (line, place)
    union all
    select 1000000 + d.place, 'definition_of_done', d.line
    from private.list_items(p_definition_of_done) with ordinality as d (line, place)
  ) l
  group by l.line;
end;
$function$;

CREATE OR REPLACE FUNCTION private.criteria_payload(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'story_id', c.story_id, 'kind', c.kind, 'text', c.text, 'state', c.state,
      'grade', c.grade, 'command', case when p_job.phase = 'implement' then (
        select e.command from public.evidence e
        where e.story_id = c.story_id and e.criterion = c.id and e.command is not null and e.verdict = 'pass'
        order by e.seq desc limit 1) end) order by s.sort_order, s.created_at, c.place), '[]')
    from public.stories s
    cross join lateral private.story_proof(s.id) c
    where s.id in (
      select t.story_id from public.tasks t where t.id = p_job.task_id
      union all
      select t.story_id from public.task_executions e join public.tasks t on t.id = e.task_id
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
        and (p_job.phase <> 'verify' or t.status = 'REVIEW')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.criterion_id(p_text text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return left(encode(sha256(convert_to(btrim(regexp_replace(p_text, '\s+', ' ', 'g')), 'UTF8')), 'hex'), 12);
end;
$function$;

CREATE OR REPLACE FUNCTION private.current_job_id(p_worker_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select j.id from public.agent_jobs j
    where j.worker_id = p_worker_id and j.status in ('CLAIMED', 'RUNNING')
    order by j.claimed_at desc, j.id
    limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.deadlock_blockers(p_sprint_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not exists (
    select from public.sprints s join public.products p on p.id = s.product_id
    where s.id = p_sprint_id and p.dependency_release = 'merged' and p.pr_strategy = 'STORY'
  ) then
    return '[]';
  end if;
  return (
    with recursive edges as materialized (
      select k.kind, k.blocker_id, k.code as blocker_code, t.id as task_id, t.code as task_code, s.id as story_id, s.code as story_code,
        s.sort_order, bs.id as blocker_story_id, bs.code as blocker_story_code
      from public.stories s
      join public.tasks t on t.story_id = s.id and t.status <> 'DONE'
      join private.task_blockers k on k.task_id = t.id and not k.resolved
      left join public.tasks b on b.id = k.blocker_id
      join public.stories bs on bs.id = coalesce(b.story_id, k.blocker_id) and bs.sprint_id = s.sprint_id and bs.id <> s.id
      where s.sprint_id = p_sprint_id
    ), reach (from_id, to_id) as (
      select e.story_id, e.blocker_story_id from edges e
      union
      select r.from_id, e.blocker_story_id from reach r join edges e on e.story_id = r.to_id
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'type', 'dependency_deadlock',
      'message', format('%s waits for the code of %s, and the branches of %s and %s wait for each other: none is merged whole before the other.',
        c.code, c.blocker_code, c.story_code, c.blocker_story_code),
      'task_id', c.task_id, 'task_code', c.task_code, 'story_id', c.story_id, 'story_code', c.story_code,
      'pbi_id', null, 'pbi_code', null, 'question_id', null, 'sprint_run_id', null,
      'dependency', jsonb_build_object('kind', c.kind, 'id', c.id, 'code', c.code, 'blocker_id', c.blocker_id, 'blocker_code', c.blocker_code,
        'joining_story_id', null, 'joining_story_code', null)
    ) order by c.sort_order, c.code, c.blocker_code), '[]')
    from (
      select distinct e.kind, case e.kind when 'task' then e.task_id else e.story_id end as id,
        case e.kind when 'task' then e.task_code else e.story_code end as code, e.blocker_id, e.blocker_code,
        case e.kind when 'task' then e.task_id end as task_id, case e.kind when 'task' then e.task_code end as task_code,
        e.story_id, e.story_code, e.sort_order, e.blocker_story_code
      from edges e
      where exists (select from reach r where r.from_id = e.blocker_story_id and r.to_id = e.story_id)
    ) c
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.decide_conflict(p_job public.agent_jobs, p_kind text, p_branch text, p_rival public.agent_jobs, p_in_vain boolean)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_tries bigint;
begin
  if p_kind = 'sibling' and not p_in_vain then
    if p_rival.id is null then
      return 'go_on';
    end if;
    if p_rival.status <> 'DONE' and p_rival.phase = 'implement' and (p_rival.status = 'QUEUED' or p_rival.verify_result is null) then
      return 'noted';
    end if;
  end if;

  select count(*) into v_tries
  from public.job_conflicts c
  where c.job_id = p_job.id and c.kind = p_kind and c.branch = p_branch and c.decision = 'home'
    and not exists (
      select from public.job_conflicts l where l.job_id = c.job_id and l.decision = 'paused' and l.created_at >= c.created_at);
  return case when v_tries < 2 then 'home' else 'paused' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.delete_budget(p_product_id uuid, p_budget_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.require_person();
  select b.* into v_budget from public.budgets b where b.id = p_budget_id and b.product_id = p_product_id;
  if not found then
    return json_build_object('id', p_budget_id, 'removed', false);
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'budget.removed', jsonb_build_object('product_id', p_product_id,
    'budget', private.budget_name(v_budget), 'unit', v_budget.unit, 'amount', v_budget.amount));
  delete from public.budgets b where b.id = p_budget_id;
  perform private.settle_budgets(p_product_id);
  return json_build_object('id', p_budget_id, 'removed', true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.delete_job_comment(p_job_id uuid, p_comment_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_comment public.job_comments;
begin
  perform private.lock_job(p_job_id, true);
  select c.* into v_comment from public.job_comments c
  where c.id = p_comment_id and c.job_id = p_job_id and (c.review_id is not null or c.author_id = auth.uid());
  if not found then
    perform private.refuse(404, 'No such comment.');
  end if;
  if v_comment.review_id is not null then
    perform private.refuse(409, 'This comment was sent already. It stays with its review.');
  end if;
  delete from public.job_comments c where c.id = p_comment_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.delete_saved_view(p_view_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_view public.saved_views := private.require_own_view(p_view_id);
begin
  delete from public.saved_views v where v.id = v_view.id;
  return json_build_object('id', p_view_id, 'deleted', true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.dependencies_json(p_kind text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_ends jsonb;
  v_awaited jsonb;
begin
  if p_kind = 'task' then
    v_ends := jsonb_build_object('blocked_by', (
      select coalesce(json_agg(private.blocker_json(t.id, t.code, t.title, private.task_status_word(t.status),
        t.status = 'DONE' and private.has_arrived(p_id, 'task', t.id, t.product_id)) order by t.sort_order, t.created_at, t.id), '[]')
      from public.task_dependencies d join public.tasks t on t.id = d.blocker_id where d.blocked_id = p_id
    ), 'blocks', (
      select coalesce(json_agg(private.blocker_json(t.id, t.code, t.title, private.task_status_word(t.status), t.status = 'DONE')
        order by t.sort_order, t.created_at, t.id), '[]')
      from public.task_dependencies d join public.tasks t on t.id = d.blocked_id where d.blocker_id = p_id
    ));
    v_awaited := private.awaited_work(array[p_id]);
  else
    v_ends := jsonb_build_object('blocked_by', (
      select coalesce(json_agg(private.blocker_json(s.id, s.code, s.title, lower(s.status::text),
        s.status = 'DONE' and not exists (select from public.tasks t
          where t.story_id = p_id and not private.has_arrived(t.id, 'story', s.id, s.product_id))) order by s.sort_order, s.created_at, s.id), '[]')
      from public.story_dependencies d join public.stories s on s.id = d.blocker_id where d.blocked_id = p_id
    ), 'blocks', (
      select coalesce(json_agg(private.blocker_json(s.id, s.code, s.title, lower(s.status::text), s.status = 'DONE')
        order by s.sort_order, s.created_at, s.id), '[]')
      from public.story_dependencies d join public.stories s on s.id = d.blocked_id where d.blocker_id = p_id
    ));
    v_awaited := private.awaited_work(array(select t.id from public.tasks t where t.story_id = p_id));
  end if;
  return v_ends || case when v_awaited = '[]' then '{}' else jsonb_build_object('awaited', v_awaited) end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.dependency_blockers(p_sprint_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'type', case when e.failed then 'dependency_failed' else 'dependency_outside' end,
      'message', format('%s waits for %s, which %s.', e.code, e.blocker_code,
        case when e.failed then 'failed' when e.is_inside then 'has no task' else 'is neither done nor in this sprint' end),
      'task_id', e.task_id, 'task_code', e.task_code, 'story_id', e.story_id, 'story_code', e.story_code,
      'pbi_id', null, 'pbi_code', null, 'question_id', null, 'sprint_run_id', null,
      'dependency', jsonb_build_object('kind', e.kind, 'id', e.id, 'code', e.code, 'blocker_id', e.blocker_id, 'blocker_code', e.blocker_code,
        'joining_story_id', case when e.may_join then e.joining_story_id end, 'joining_story_code', case when e.may_join then e.joining_story_code end)
    ) order by e.sort_order, e.code, e.blocker_code), '[]')
    from (
      select 'task' as kind, t.id, t.code, t.sort_order, t.id as task_id, t.code as task_code, s.id as story_id, s.code as story_code,
        b.id as blocker_id, b.code as blocker_code, b.status = 'FAILED' as failed, false as is_inside,
        bs.id as joining_story_id, bs.code as joining_story_code, bs.sprint_id is null and b.status <> 'FAILED' as may_join
      from public.stories s
      join public.tasks t on t.story_id = s.id and t.status <> 'DONE'
      join public.task_dependencies d on d.blocked_id = t.id
      join public.tasks b on b.id = d.blocker_id and b.status <> 'DONE'
      join public.stories bs on bs.id = b.story_id and bs.sprint_id is distinct from p_sprint_id
      where s.sprint_id = p_sprint_id
      union all
      select 'story', s.id, s.code, s.sort_order, null, null, s.id, s.code, b.id, b.code,
        b.status = 'FAILED', b.sprint_id is not distinct from p_sprint_id,
        b.id, b.code, b.sprint_id is null and b.status <> 'FAILED' and exists (select from public.tasks i where i.story_id = b.id)
      from public.stories s
      join public.story_dependencies d on d.blocked_id = s.id
      join public.stories b on b.id = d.blocker_id and b.status <> 'DONE'
      where s.sprint_id = p_sprint_id and s.status <> 'DONE'
        and (b.sprint_id is distinct from p_sprint_id or not exists (select from public.tasks i where i.story_id = b.id))
        and exists (select from public.tasks t where t.story_id = s.id and t.status <> 'DONE')
    ) e
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.dependency_reasons(p_task_ids uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('code', r.code, 'message', r.message, 'blocked_by', r.blocked_by)
      || case when r.code = 'dependency_unmerged' then jsonb_build_object('awaited', private.awaited_work(p_task_ids)) else '{}' end
      order by r.code desc), '[]')
    from (
      select b.reason as code,
        case b.reason
          when 'dependency_failed'
            then format('It waits for %s, which failed. Try that again, finish it by hand or remove the dependency.', string_agg(b.code, ', ' order by b.sort_order, b.code))
          when 'dependency_unmerged'
            then format('It waits for the code of %s: done, and not on the main branch yet. Merge it; a worker sees that within a minute. Or the owner says that it is there.',
              string_agg(b.code, ', ' order by b.sort_order, b.code))
          else format('It waits for %s.', string_agg(format('%s (%s)', b.code, case b.status when 'todo' then 'to do' else replace(b.status, '_', ' ') end), ', ' order by b.sort_order, b.code)) end as message,
        jsonb_agg(private.blocker_json(b.blocker_id, b.code, b.title, b.status, false)::jsonb || jsonb_build_object('kind', b.kind) order by b.sort_order, b.code) as blocked_by
      from (
        select distinct k.kind, k.blocker_id, k.code, k.title, k.status, k.sort_order,
          case k.status when 'failed' then 'dependency_failed' when 'done' then 'dependency_unmerged' else 'dependency' end as reason
        from private.task_blockers k
        where k.task_id = any (p_task_ids) and not k.resolved and k.blocker_id <> all (p_task_ids)
        order by k.sort_order, k.code
        limit 20
      ) b
      group by b.reason
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.doing_now(p_job_id uuid, p_attempt integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('kind', o.kind, 'status', o.status, 'at', o.at,
      'title', left(coalesce(nullif(o.title, ''), nullif(o.path, ''), split_part(ltrim(o.text, E' \n'), E'\n', 1)), 200))
    from public.agent_jobs j
    join public.job_outputs o on o.job_id = j.id and o.attempt = p_attempt
    where j.id = p_job_id and j.kind <> 'PLAN_CHAT' and j.product_id in (select private.accessible_product_ids())
    order by o.seq desc
    limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.drop_output_middle(p_attempt public.job_attempts)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_first bigint;
  v_last bigint;
  v_freed bigint;
begin
  with sized as (
    select o.seq, octet_length(o.text) as bytes, sum(octet_length(o.text)) over (order by o.seq) as so_far
    from public.job_outputs o
    where o.job_id = p_attempt.job_id and o.attempt = p_attempt.attempt
  ),
  gone as (
    delete from public.job_outputs o
    using sized s
    where o.job_id = p_attempt.job_id and o.attempt = p_attempt.attempt and o.seq = s.seq
      and s.so_far > 1048576 and s.so_far <= 1048576 + 1310720 + (p_attempt.output_bytes - 5242880)
    returning o.seq, s.bytes
  )
  select min(g.seq), max(g.seq), sum(g.bytes) into v_first, v_last, v_freed from gone g;

  update public.job_attempts a
  set output_bytes = a.output_bytes - coalesce(v_freed, 0),
      dropped_from = least(a.dropped_from, v_first),
      dropped_to = greatest(a.dropped_to, v_last)
  where a.job_id = p_attempt.job_id and a.attempt = p_attempt.attempt;
end;
$function$;

CREATE OR REPLACE FUNCTION private.earlier_attempts(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object('job_id', x.job_id, 'attempt', x.attempt, 'outcome', x.outcome,
      'worker_id', x.worker_id, 'worker_name', x.worker_name, 'session_id', x.session_id, 'kept_ref', x.kept_ref,
      'head_sha', x.head_sha, 'ended_at', x.ended_at) order by x.started_at desc), '[]')
    from (
      select a.*
      from public.agent_jobs j
      join public.job_attempts a on a.job_id = j.id
      where (j.id = p_job.id or (p_job.task_id is not null and j.task_id = p_job.task_id)) and a.ended_at is not null
      order by a.started_at desc
      limit 10
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.earlier_jobs(p_job public.agent_jobs, p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(x.id order by x.created_at desc), '[]') from (
      select j.id, j.created_at from public.agent_jobs j
      where j.task_id = p_job.task_id and p_job.kind = 'TASK_IMPLEMENTATION' and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED')
      union all
      select j.id, j.created_at from public.agent_jobs j
      join public.sprint_runs r on r.id = j.sprint_run_id
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and r.sprint_id = p_sprint_id and j.kind = p_job.kind
        and j.status in ('FAILED', 'CANCELLED')
      order by created_at desc limit 3) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.emit_job_output(p_job public.agent_jobs, p_attempt public.job_attempts)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.emit(
    case when p_job.kind = 'PLAN_CHAT' then 'user:' || p_job.created_by else 'product:' || p_job.product_id end,
    jsonb_build_object('op', 'U', 'entity', 'job_output', 'id', p_job.id, 'product_id', p_job.product_id,
      'job_id', p_job.id, 'task_id', p_job.task_id, 'attempt', p_attempt.attempt, 'last_seq', p_attempt.last_seq,
      'doing', private.doing_now(p_job.id, p_attempt.attempt)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.emit_story_change(p_story_id uuid, p_field text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
begin
  select s.* into v_story from public.stories s where s.id = p_story_id;
  if not found then
    return;
  end if;
  perform private.emit('product:' || v_story.product_id, jsonb_build_object('op', 'U', 'entity', 'story', 'id', v_story.id,
    'product_id', v_story.product_id, 'changed_fields', jsonb_build_array(p_field), 'pbi_id', v_story.pbi_id,
    'sprint_id', v_story.sprint_id, 'assignee_id', v_story.assignee_id, 'story_status', v_story.status,
    'story_title', v_story.title, 'story_code', v_story.code, 'story_sort_order', v_story.sort_order));
end;
$function$;

CREATE OR REPLACE FUNCTION private.emit_task_change(p_task_id uuid, p_field text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
begin
  select t.* into v_task from public.tasks t where t.id = p_task_id;
  if not found then
    return;
  end if;
  perform private.emit('product:' || v_task.product_id, jsonb_build_object('op', 'U', 'entity', 'task', 'id', v_task.id,
    'product_id', v_task.product_id, 'changed_fields', jsonb_build_array(p_field), 'story_id', v_task.story_id,
    'task_status', v_task.status, 'task_title', v_task.title, 'task_sort_order', v_task.sort_order)
    || private.story_place(v_task.story_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_run(p_run public.sprint_runs, p_status public.sprint_run_status, p_reason text, p_failure jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.sprint_runs r
  set status = p_status, pause_context = null, finished_at = private.now(), failure = p_failure
  where r.id = p_run.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');

  perform private.close_question(p_run.pause_question_id);
  if p_status = 'DONE' then
    return;
  end if;

  perform private.close_question(j.parked_question_id)
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.parked_question_id is not null;

  update public.agent_jobs j
  set status = 'CANCELLED', failure_class = 'cancelled', failure_reason = p_reason
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');

  update public.task_executions e
  set status = 'PENDING', started_at = null
  where e.sprint_run_id = p_run.id and e.status = 'RUNNING';
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_session_chain(p_session_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_paired uuid[];
  v_ended boolean;
begin
  update public.user_sessions s set revoked_at = v_now where s.id = p_session_id and s.revoked_at is null;
  v_ended := found;

  with recursive chain (id) as (
    select s.id from public.user_sessions s where s.id = p_session_id and s.paired
    union
    select p.session_id from public.login_pairings p join chain c on p.approved_in = c.id where p.session_id is not null
  )
  select coalesce(array_agg(c.id), '{}') into v_paired from chain c;

  update public.login_pairings p set status = 'CANCELLED' where p.approved_in = any (v_paired) and p.status = 'APPROVED';
  update public.user_sessions s set revoked_at = v_now where s.id = any (v_paired) and s.revoked_at is null;
  update public.api_tokens t set revoked_at = v_now where t.session_id = any (v_paired) and t.revoked_at is null;
  return v_ended;
end;
$function$;

CREATE OR REPLACE FUNCTION private.ensure_worker(p_user_id uuid, p_name text)
 RETURNS public.agent_workers
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_worker public.agent_workers;
begin
  if coalesce(char_length(p_name), 0) not between 1 and 100 then
    perform private.refuse(422, 'worker takes a name of 1 to 100 characters. Keep the same name across restarts.');
  end if;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  if found then
    return v_worker;
  end if;

  perform pg_advisory_xact_lock(hashtextextended('new worker:' || p_user_id::text, 0));
  if (select count(*) from public.agent_workers w where w.user_id = p_user_id) >= 50
    and not exists (select from public.agent_workers w where w.user_id = p_user_id and w.name = p_name) then
    update public.agent_workers w
    set name = p_name, hostname = null, version = null, last_seen_at = private.now(), last_quota_pct = null,
        last_quota_check_at = null, stopped_at = null, agents = null, created_at = private.now()
    where w.id = (
      select u.id from public.agent_workers u
      where u.user_id = p_user_id
        and not exists (select from public.agent_jobs j where j.worker_id = u.id and j.status in ('CLAIMED', 'RUNNING'))
      order by exists (select from public.agent_jobs j where j.worker_id = u.id), u.last_seen_at, u.id
      limit 1
      for update skip locked
    );
    if not found then
      perform private.refuse(409, 'All 50 of your workers hold jobs. Use one of their names, or let one finish first.');
    end if;
  else
    insert into public.agent_workers (user_id, name) values (p_user_id, p_name)
    on conflict (user_id, name) do nothing;
  end if;
  select w.* into v_worker from public.agent_workers w where w.user_id = p_user_id and w.name = p_name;
  return v_worker;
end;
$function$;

CREATE OR REPLACE FUNCTION private.enter_phase(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  case p_job.phase
    when 'review' then
      update public.tasks t set status = 'REVIEW' where t.id = p_job.task_id and t.status not in ('DONE', 'REVIEW');
      perform private.bring_next_in_turn(p_job.sprint_run_id, p_job.lane_id);
    when 'implement' then
      perform private.reopen_tasks(p_job, array(
        select (m ->> 'story_id')::uuid from jsonb_array_elements(private.missing_proof(private.stories_to_finish(p_job), 'other_worker')) m));
      if private.verify_rounds(p_job.id) % 3 = 0 then
        perform private.ask_about_proof(p_job);
      end if;
    else
      null;
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.estimates_of(p_product_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with estimated as (
      select f.*, f.seconds / 60 as minutes,
        case when f.estimated_minutes <= 15 then 'S' when f.estimated_minutes <= 60 then 'M'
          when f.estimated_minutes <= 240 then 'L' else 'XL' end as size
      from private.finished_tasks(p_product_id) f
      where f.estimated_minutes > 0
    )
    select jsonb_build_object(
      'estimates', (
        select coalesce(jsonb_agg(to_jsonb(x) order by array_position(array['S', 'M', 'L', 'XL'], x.size), x.model_id), '[]')
        from (
          select e.size, e.model_id, count(*) as tasks,
            round((percentile_cont(0.5) within group (order by e.estimated_minutes))::numeric, 1) as estimated_minutes,
            round((percentile_cont(0.5) within group (order by e.minutes))::numeric, 1) as actual_minutes
          from estimated e group by e.size, e.model_id
        ) x),
      'surprises', (
        select coalesce(jsonb_agg(to_jsonb(x) - 'far' order by x.far desc), '[]')
        from (
          select t.id as task_id, t.code as task_code, t.title as task_title, e.model_id, e.estimated_minutes,
            round(e.minutes, 1) as actual_minutes, abs(ln(greatest(e.minutes, 0.01) / e.estimated_minutes)) as far
          from estimated e join public.tasks t on t.id = e.task_id
          where greatest(e.minutes, 0.01) / e.estimated_minutes not between 0.5 and 2
          order by far desc limit 5
        ) x))
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.evidence_json(p_evidence public.evidence, p_stale boolean)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('id', p_evidence.id, 'criterion', p_evidence.criterion, 'verdict', p_evidence.verdict,
    'grade', p_evidence.grade, 'kind', p_evidence.kind, 'command', p_evidence.command, 'exit_code', p_evidence.exit_code,
    'excerpt', p_evidence.excerpt, 'url', p_evidence.url, 'head_sha', p_evidence.head_sha, 'job_id', p_evidence.job_id,
    'attempt', p_evidence.attempt, 'observed_by', p_evidence.observed_by, 'stale', p_stale, 'created_at', p_evidence.created_at);
end;
$function$;

CREATE OR REPLACE FUNCTION private.expected_use(p_product_id uuid, p_unit text, p_model_id text)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_expected numeric;
  v_settings public.budget_settings;
begin
  select coalesce(
    case when count(*) filter (where x.model_id = p_model_id) >= 3
      then percentile_cont(0.5) within group (order by x.used) filter (where x.model_id = p_model_id) end,
    case when count(*) >= 3 then percentile_cont(0.5) within group (order by x.used) end)
  into v_expected
  from (
    select f.model_id, f.used from private.finished_use(p_product_id, p_unit, 100) f
  ) x;
  if v_expected > 0 then
    return v_expected;
  end if;
  v_settings := private.budget_settings_of(p_product_id);
  return case when p_unit = 'tokens' then v_settings.expected_tokens else v_settings.expected_cost end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_blocked_by(p_kind text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_kind = 'task' then
    return (select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]')
      from public.task_dependencies d join public.tasks b on b.id = d.blocker_id where d.blocked_id = p_id);
  end if;
  return (select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]')
    from public.story_dependencies d join public.stories b on b.id = d.blocker_id where d.blocked_id = p_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_evidence(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'criterion', e.criterion_text, 'verdict', e.verdict, 'grade', e.grade, 'kind', e.kind, 'command', e.command,
      'exit_code', e.exit_code, 'excerpt', e.excerpt, 'url', e.url, 'head_sha', e.head_sha, 'observed_by', e.observed_by,
      'created_at', private.export_time(e.created_at)) order by e.seq), '[]')
    from public.evidence e
    where e.story_id = p_story_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_reviews(p_task_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'attempt', r.attempt, 'verdict', r.verdict, 'summary', r.summary, 'author', r.author,
      'created_at', private.export_time(r.created_at),
      'comments', (
        select coalesce(json_agg(json_build_object(
          'attempt', c.attempt, 'path', c.path, 'line', c.line, 'side', c.side, 'line_text', c.line_text, 'body', c.body,
          'author', c.author, 'created_at', private.export_time(c.created_at)
        ) order by c.created_at, c.path, c.line, c.side, c.body), '[]')
        from public.job_comments c where c.review_id = r.id)
    ) order by r.created_at, r.attempt, r.author, r.summary), '[]')
    from (
      select i.* from public.job_reviews i where i.task_id = p_task_id
      union all
      select i.* from public.agent_jobs j join public.job_reviews i on i.job_id = j.id
      where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION'
      union all
      select i.*
      from public.task_executions e
      join public.agent_jobs j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION'
      join public.job_reviews i on i.job_id = j.id
      where e.task_id = p_task_id and not exists (
        select from public.task_executions f
        where f.sprint_run_id = e.sprint_run_id and (f.position, f.id) < (e.position, e.id))
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_stories(p_pbi_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', s.code, 'title', s.title, 'description', s.description, 'acceptance_criteria', s.acceptance_criteria,
      'priority', s.priority, 'status', s.status,
      'sprint', (select sp.code from public.sprints sp where sp.id = s.sprint_id),
      'assignee', (select u.username from public.users u where u.id = s.assignee_id),
      'created_at', private.export_time(s.created_at),
      'blocked_by', private.export_blocked_by('story', s.id),
      'tasks', private.export_tasks(s.id),
      'log', private.export_log(s.id),
      'head_sha', (select h.head_sha from public.story_heads h where h.story_id = s.id),
      'evidence', private.export_evidence(s.id),
      'waivers', private.export_waivers(s.id)
    ) order by s.sort_order, s.created_at, s.code), '[]')
    from public.stories s
    where s.pbi_id = p_pbi_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_tasks(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'code', t.code, 'title', t.title, 'description', t.description, 'implementation_plan', t.implementation_plan,
      'priority', t.priority, 'status', t.status, 'repo_url', t.repo_url,
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes,
      'blocked_by', private.export_blocked_by('task', t.id),
      'created_at', private.export_time(t.created_at),
      'reviews', private.export_reviews(t.id)
    ) order by t.sort_order, t.created_at, t.code), '[]')
    from public.tasks t
    where t.story_id = p_story_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_waivers(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'criterion', w.criterion_text, 'reason', w.reason, 'waived_by', w.waived_by,
      'created_at', private.export_time(w.created_at)) order by w.created_at, w.criterion), '[]')
    from public.waivers w
    where w.story_id = p_story_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.find_blocker(p_kind text, p_product_id uuid, p_reference text)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := case when p_reference ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then p_reference::uuid end;
begin
  if p_kind = 'task' then
    return (select t.id from public.tasks t
      where t.product_id = p_product_id and (t.id = v_id or t.code in (p_reference, upper(p_reference)))
      order by t.id = v_id desc nulls last, t.code = p_reference desc limit 1);
  end if;
  return (select s.id from public.stories s
    where s.product_id = p_product_id and (s.id = v_id or s.code in (p_reference, upper(p_reference)))
    order by s.id = v_id desc nulls last, s.code = p_reference desc limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.find_path(p_from_kind text, p_from uuid, p_to_kind text, p_to uuid)
 RETURNS text[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reached text[];
  v_node text := p_to_kind || ':' || p_to;
  v_from text := p_from_kind || ':' || p_from;
  v_id uuid;
  v_code text;
  v_path text[] := '{}';
begin
  with recursive reach (kind, id) as (
    select n.kind, n.id from private.followers(p_from_kind, p_from) n
    union
    select n.kind, n.id from reach r cross join lateral private.followers(r.kind, r.id) n
  )
  select array_agg(r.kind || ':' || r.id) into v_reached from reach r;
  if v_node <> all (coalesce(v_reached, '{}')) then
    return null;
  end if;

  v_reached := v_reached || v_from;
  for v_step in 0 .. cardinality(v_reached) loop
    v_id := split_part(v_node, ':', 2);
    v_code := case split_part(v_node, ':', 1)
      when 'task' then (select t.code from public.tasks t where t.id = v_id)
      else (select s.code from public.stories s where s.id = v_id) end;
    if v_code is distinct from v_path[cardinality(v_path)] then
      v_path := v_path || v_code;
    end if;
    exit when v_step > 0 and v_node = v_from;
    select n.kind || ':' || n.id into v_node
    from private.leaders(split_part(v_node, ':', 1), v_id) n
    where n.kind || ':' || n.id = any (v_reached)
    order by n.kind || ':' || n.id <> v_from, n.kind
    limit 1;
  end loop;
  return v_path;
end;
$function$;

CREATE OR REPLACE FUNCTION private.find_wrong_counters()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object('job_id', j.id, 'open_blockers', j.open_blockers, 'counted', private.count_open_blockers(j))
      order by j.id), '[]')
    from public.agent_jobs j
    where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and j.open_blockers <> private.count_open_blockers(j)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.findings(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('criterion', e.criterion, 'text', e.criterion_text, 'verdict', e.verdict,
      'command', e.command, 'exit_code', e.exit_code, 'excerpt', e.excerpt, 'observed_by', e.observed_by) order by e.seq), '[]')
    from public.evidence e
    where e.job_id = p_job.id and p_job.phase = 'implement' and e.grade = 'other_worker' and e.verdict <> 'pass'
      and e.attempt = (
        select max(l.attempt) from public.evidence l where l.job_id = p_job.id and l.grade = 'other_worker' and l.verdict <> 'pass')
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.finish_outcome(p_job public.agent_jobs, p_status text, p_result public.verify_result)
 RETURNS public.agent_job_status
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_outcome text;
  v_open text;
begin
  if p_status = 'SKIPPED' then
    if p_job.kind = 'PLAN_CHAT' or p_result is distinct from 'EMPTY' then
      perform private.refuse(422, 'A job is skipped only when the verification found that the work is already present (verify_result empty).');
    end if;
    select string_agg(t.code, ', ' order by e.position) into v_open
    from public.task_executions e join public.tasks t on t.id = e.task_id
    where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
      and e.status in ('PENDING', 'RUNNING') and e.verify_result is distinct from 'EMPTY';
    if v_open is not null then
      perform private.refuse(422, format('A batch is skipped only when each of its tasks was verified as already present. Verify these with verify_sprint_task first: %s.', v_open));
    end if;
    return 'SKIPPED';
  end if;
  if p_job.kind = 'PLAN_CHAT' then
    return 'DONE';
  end if;
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    select string_agg(t.code, ', ' order by e.position) into v_open
    from public.task_executions e join public.tasks t on t.id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING');
    if v_open is not null then
      perform private.refuse(422, format('Not done yet: these tasks of the batch are unfinished: %s. Report each with update_task_execution first.', v_open));
    end if;
    return 'DONE';
  end if;

  select t.* into v_task from public.tasks t where t.id = p_job.task_id;
  v_outcome := private.gate(v_task.verify_required, p_result, v_task.verify_only);
  if v_outcome is null then
    perform private.refuse_gate(v_task.verify_required, p_result);
  end if;
  return v_outcome::public.agent_job_status;
end;
$function$;

CREATE OR REPLACE FUNCTION private.finished_tasks(p_product_id uuid)
 RETURNS TABLE(job_id uuid, task_id uuid, model_id text, estimated_minutes integer, seconds numeric, tokens numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select j.id, j.task_id, j.model_id, t.estimated_minutes, a.seconds, u.tokens
    from (
      select x.* from public.agent_jobs x
      where x.product_id = p_product_id and x.kind = 'TASK_IMPLEMENTATION' and x.status = 'DONE'
      order by x.finished_at desc limit 200
    ) j
    join public.tasks t on t.id = j.task_id
    cross join lateral (
      select extract(epoch from sum(x.ended_at - x.started_at))::numeric as seconds
      from public.job_attempts x where x.job_id = j.id and x.ended_at is not null
    ) a
    cross join lateral (
      select sum(k.tokens)::numeric as tokens from private.known_usage k where k.job_id = j.id
    ) u
    where a.seconds is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.finished_use(p_product_id uuid, p_unit text, p_limit integer)
 RETURNS TABLE(job_id uuid, task_id uuid, model_id text, used numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select j.id, j.task_id, j.model_id, u.used
    from public.agent_jobs j
    cross join lateral (
      select sum(case when p_unit = 'tokens' then k.tokens when k.currency = p_unit then k.cost end)::numeric as used
      from private.known_usage k where k.job_id = j.id
    ) u
    where j.product_id = p_product_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'DONE' and u.used is not null
    order by j.finished_at desc
    limit p_limit;
end;
$function$;

CREATE OR REPLACE FUNCTION private.finishes_story(p_task_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.tasks t
    where t.id = p_task_id and t.status <> 'DONE'
      and not exists (select from public.tasks o where o.story_id = t.story_id and o.id <> t.id and o.status <> 'DONE'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.fits_budgets(p_job_id uuid, p_full uuid[])
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return not exists (
    select from public.agent_jobs j
    join public.budgets b on b.id = any (p_full) and j.id <> all (b.finish_job_ids)
    where j.id = p_job_id and private.budget_covers(b, j)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.followers(p_kind text, p_id uuid)
 RETURNS TABLE(kind text, id uuid)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select 'task', d.blocked_id from public.task_dependencies d where p_kind = 'task' and d.blocker_id = p_id
  union all
  select 'end', t.story_id from public.tasks t where p_kind = 'task' and t.id = p_id
  union all
  select 'start', d.blocked_id from public.story_dependencies d where p_kind = 'end' and d.blocker_id = p_id
  union all
  select 'task', t.id from public.tasks t where p_kind = 'start' and t.story_id = p_id
  union all
  select 'end', p_id where p_kind = 'start';
$function$;

CREATE OR REPLACE FUNCTION private.frozen_product_ids()
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
    select m.product_id
    from public.product_members m
    join public.products p on p.id = m.product_id
    where m.user_id = auth.uid() and p.archived_at is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.full_budgets(p_rooms private.budget_room[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when p_rooms is not null then array(select r.budget_id from unnest(p_rooms) r where r.is_full) end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_agent_job(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_job(p_job_id);
  return (
    select private.job_json(j) || jsonb_build_object('attempts', private.attempts_json(j.id), 'questions', (
      select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
      from public.agent_questions q where q.job_id = j.id and private.may_read_talk(j)))
    from public.agent_jobs j where j.id = p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_backlog_tree(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  perform private.require_product_access(p_product_id);

  return json_build_object(
    'views', private.saved_views_of(p_product_id, 'backlog'),
    'sprints', (
      select coalesce(json_agg(json_build_object(
        'id', s.id, 'code', s.code, 'status', lower(s.status::text), 'sprint_goal', s.sprint_goal)
        order by s.status desc, s.created_at), '[]')
      from public.sprints s
      where s.product_id = p_product_id and s.status in ('PLANNED', 'ACTIVE', 'FAILED')),
    'pbis', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select b.id, b.code, b.title, b.priority, lower(b.status::text) as status, b.pr_url
        from public.pbis b
        where b.product_id = p_product_id
        order by b.priority, b.sort_order, b.created_at, b.id
      ) x),
    'stories', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select s.id, s.pbi_id, s.code, s.title, s.priority, lower(s.status::text) as status, s.sprint_id, s.assignee_id
        from public.stories s
        where s.product_id = p_product_id
        order by s.sort_order, s.created_at, s.id
      ) x),
    'tasks', (
      select coalesce(json_agg(row_to_json(x)), '[]')
      from (
        select t.id, t.story_id, t.code, t.title,
          case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end as status
        from public.tasks t
        where t.product_id = p_product_id
        order by t.sort_order, t.created_at, t.id
      ) x)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_budgets(p_product_id uuid, p_sprint_run_id uuid, p_sprint_id uuid, p_task_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_settings public.budget_settings;
begin
  perform private.require_product_access(p_product_id);
  v_settings := private.budget_settings_of(p_product_id);
  return json_build_object('product_id', p_product_id,
    'may_set', private.may_set_budgets(p_product_id),
    'settings', to_jsonb(v_settings) - 'product_id',
    'budgets', (
      select coalesce(json_agg(private.budget_json(b) order by array_position(array['run', 'sprint', 'task', 'product'], b.scope),
        array_position(array['day', 'week', 'month'], b.period), b.unit, b.created_at), '[]')
      from public.budgets b
      where b.product_id = p_product_id
        and case b.scope
          when 'product' then true
          when 'run' then case
            when p_sprint_run_id is not null then b.sprint_run_id = p_sprint_run_id
            when p_sprint_id is not null then false
            when p_task_id is not null then exists (
              select from public.agent_jobs j join public.sprint_runs r on r.id = j.sprint_run_id
              where j.task_id = p_task_id and r.id = b.sprint_run_id and r.finished_at is null)
            else (select r.finished_at is null from public.sprint_runs r where r.id = b.sprint_run_id) end
          when 'sprint' then case
            when p_sprint_run_id is not null
              then b.sprint_id = (select r.sprint_id from public.sprint_runs r where r.id = p_sprint_run_id)
            when p_sprint_id is not null then b.sprint_id = p_sprint_id
            when p_task_id is not null then b.sprint_id = (
              select s.sprint_id from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_task_id)
            else (select s.status in ('PLANNED', 'ACTIVE', 'FAILED') from public.sprints s where s.id = b.sprint_id) end
          else case
            when p_sprint_run_id is not null then exists (
              select from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id and j.task_id = b.task_id)
            when p_sprint_id is not null then exists (
              select from public.tasks t join public.stories s on s.id = t.story_id where t.id = b.task_id and s.sprint_id = p_sprint_id)
            when p_task_id is not null then b.task_id = p_task_id
            else (select t.status <> 'DONE' from public.tasks t where t.id = b.task_id) end
        end));
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_forecast(p_product_id uuid, p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_tasks integer := 1;
  v_seconds numeric[];
  v_tokens numeric[];
  v_costs jsonb;
begin
  perform private.require_product_access(p_product_id);
  if p_sprint_id is not null then
    if not exists (select from public.sprints s where s.id = p_sprint_id and s.product_id = p_product_id) then
      perform private.refuse(404, 'No such sprint.');
    end if;
    select count(*) into v_tasks from private.sprint_scope(p_sprint_id);
  end if;
  select array_agg(f.seconds), array_agg(f.tokens) filter (where f.tokens > 0) into v_seconds, v_tokens
  from private.finished_tasks(p_product_id) f;
  select coalesce(jsonb_agg(private.spread_of(x.used, v_tasks) || jsonb_build_object('currency', x.currency) order by x.currency)
    filter (where cardinality(x.used) >= 5 and v_tasks > 0), '[]')
  into v_costs
  from (
    select c.currency, array_agg(c.used) as used
    from (
      select k.currency, f.job_id, sum(k.cost) as used
      from private.finished_tasks(p_product_id) f
      join private.known_usage k on k.job_id = f.job_id and k.cost is not null
      group by k.currency, f.job_id
    ) c
    group by c.currency
  ) x;
  return json_build_object('product_id', p_product_id, 'sprint_id', p_sprint_id, 'tasks', v_tasks,
    'finished', coalesce(cardinality(v_seconds), 0), 'too_few', coalesce(cardinality(v_seconds), 0) < 5,
    'seconds', private.spread_of(v_seconds, v_tasks), 'tokens', private.spread_of(v_tokens, v_tasks), 'costs', v_costs)::jsonb
    || private.estimates_of(p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_inbox(p_state text, p_kinds jsonb)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_state text := lower(private.require_choice('state', p_state, array['OPEN', 'LATER', 'DONE']));
begin
  return (
    with item as materialized (
      select i.kind, i.id, i.product_id, i.at, m.later_until, private.inbox_state(i.at, m) as state
      from private.inbox_items() i
      left join public.inbox_marks m on m.user_id = auth.uid() and m.item_kind = i.kind and m.item_id = i.id
    ), shown as (
      select i.* from item i
      where i.state = v_state and (p_kinds is null or p_kinds ? i.kind)
      order by i.at desc, i.id
      limit 100
    )
    select json_build_object(
      'items', (
        select coalesce(json_agg(
          jsonb_build_object('kind', s.kind, 'id', s.id, 'product_id', s.product_id, 'product_name', p.name, 'at', s.at,
            'state', s.state, 'later_until', case when s.state = 'later' then s.later_until end)
          || private.inbox_item_json(s.kind, s.id) order by s.at desc, s.id), '[]')
        from shown s join public.products p on p.id = s.product_id),
      'counts', (
        select coalesce(json_object_agg(c.kind, c.count), '{}')
        from (select i.kind, count(*) from item i where i.state = 'open' group by i.kind) c),
      'later', (select count(*) from item i where i.state = 'later'))
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_insights(p_product_id uuid, p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
begin
  perform private.require_product_access(p_product_id);
  select s.* into v_sprint from public.sprints s
  where s.product_id = p_product_id and (p_sprint_id is null or s.id = p_sprint_id)
  order by (s.status = 'ACTIVE') desc, s.started_at desc nulls last, s.created_at desc
  limit 1;
  if p_sprint_id is not null and v_sprint.id is null then
    perform private.refuse(404, 'No such sprint.');
  end if;
  return jsonb_build_object(
    'product_id', p_product_id,
    'sprint', case when v_sprint.id is not null then jsonb_build_object('id', v_sprint.id, 'code', v_sprint.code,
      'sprint_goal', v_sprint.sprint_goal, 'status', lower(v_sprint.status::text), 'start_date', v_sprint.start_date,
      'end_date', v_sprint.end_date, 'started_at', v_sprint.started_at, 'completed_at', v_sprint.completed_at) end,
    'burndown', case when v_sprint.id is not null then private.burndown(v_sprint) else '[]' end)
    || private.usage_by(p_product_id, p_sprint_id) || private.cost_insights(p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_job_diff(p_job_id uuid, p_attempt integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_job_reader(p_job_id);
  return (
    select json_build_object('job_id', d.job_id, 'attempt', d.attempt, 'base_sha', d.base_sha, 'head_sha', d.head_sha,
      'additions', d.additions, 'deletions', d.deletions, 'created_at', d.created_at,
      'attempts', (select json_agg(x.attempt order by x.attempt) from public.job_diffs x where x.job_id = p_job_id),
      'files', d.files)
    from public.job_diffs d
    where d.job_id = p_job_id and (p_attempt is null or d.attempt = p_attempt)
    order by d.attempt desc
    limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_job_output(p_job_id uuid, p_attempt integer, p_after bigint, p_limit integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
  v_attempt public.job_attempts;
begin
  select a.* into v_attempt
  from public.job_attempts a
  where a.job_id = p_job_id and (p_attempt is null or a.attempt = p_attempt)
  order by a.attempt desc
  limit 1;
  if p_attempt is not null and v_attempt.job_id is null then
    perform private.refuse(404, format('This job has no attempt %s.', p_attempt));
  end if;
  return json_build_object(
    'job_id', p_job_id,
    'attempt', v_attempt.attempt,
    'last_seq', coalesce(v_attempt.last_seq, 0),
    'complete', v_attempt.ended_at is not null
      or v_job.status in ('DONE', 'FAILED', 'CANCELLED', 'SKIPPED'),
    'dropped', case when v_attempt.dropped_from is not null then
      json_build_object('from', v_attempt.dropped_from, 'to', v_attempt.dropped_to) end,
    'entries', (
      select coalesce(json_agg(json_build_object('seq', o.seq, 'at', o.at, 'kind', o.kind, 'text', o.text,
        'title', o.title, 'path', o.path, 'status', o.status) order by o.seq), '[]')
      from (
        select x.* from public.job_outputs x
        where x.job_id = p_job_id and x.attempt = v_attempt.attempt and x.seq > coalesce(p_after, 0)
        order by x.seq
        limit least(coalesce(p_limit, 500), 5000)
      ) o));
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_job_proof(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  perform private.require_job(p_job_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return json_build_object('stories', (
    select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'proof', private.proof_json(s.id))
      order by s.sort_order, s.created_at), '[]')
    from public.stories s
    where s.id in (
      select t.story_id from public.tasks t where t.id = v_job.task_id
      union all
      select t.story_id from public.task_executions e join public.tasks t on t.id = e.task_id
      where v_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = v_job.sprint_run_id)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_notifications_state()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  return json_build_object('questions', (
    select coalesce(jsonb_agg(private.question_json(q) order by q.created_at, q.id), '[]')
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now
      and q.product_id in (select private.writable_product_ids())));
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_proof(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('story', p_story_id);
  return private.proof_json(p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_solo_state(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);
  return json_build_object(
    'sprint_id', (select s.id from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE'),
    'jobs', (
      select coalesce(json_agg(json_build_object('id', j.id, 'task_id', j.task_id, 'kind', j.kind, 'status', j.status,
        'sprint_run_id', j.sprint_run_id) order by j.created_at, j.position, j.id), '[]')
      from public.agent_jobs j
      where j.product_id = p_product_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')),
    'workers', json_build_object('count', private.workers_online(array[p_product_id])));
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_sprint_review(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
  v_runs uuid[] := array(
    select r.id from public.sprint_runs r where r.sprint_id = p_sprint_id order by r.created_at desc limit 50);
  v_stories uuid[] := array(
    select s.id from public.stories s
    where s.sprint_id = p_sprint_id
      or (s.product_id = v_product and s.id in (
        select l.story_id from public.sprint_leftovers l where l.sprint_id = p_sprint_id
        union all
        select c.story_id from public.task_status_changes c
        where c.sprint_id = p_sprint_id and c.from_status is distinct from c.to_status
        union all
        select t.story_id from public.agent_jobs j join public.tasks t on t.id = j.task_id where j.sprint_run_id = any(v_runs)))
    order by s.sprint_id is distinct from p_sprint_id, s.sort_order, s.created_at, s.id
    limit 200);
begin
  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'product', (
      select json_build_object('name', p.name, 'done_requires', p.done_requires) from public.products p where p.id = v_product),
    'burndown', private.get_sprint_burndown(p_sprint_id),
    'stories', (
      select coalesce(json_agg(private.reviewed_story(s, p_sprint_id, v_runs) order by x.place), '[]')
      from unnest(v_stories) with ordinality as x (id, place)
      join public.stories s on s.id = x.id),
    'costs', private.review_costs(v_runs, null),
    'whole_sprint', (
      select coalesce(json_agg(private.reviewed_job(j) order by j.created_at), '[]')
      from public.agent_jobs j where j.sprint_run_id = any(v_runs) and j.kind = 'SPRINT_IMPLEMENTATION'),
    'runs', (
      select coalesce(json_agg(json_build_object('id', r.id, 'status', lower(r.status::text), 'created_at', r.created_at)
        order by r.created_at), '[]')
      from public.sprint_runs r where r.id = any(v_runs)),
    'questions', (
      select coalesce(json_agg(json_build_object('id', q.id, 'question', q.question, 'story_id', q.story_id,
        'story_code', q.story_code) order by q.created_at), '[]')
      from (
        select q.id, left(q.question, 400) as question, q.story_id, s.code as story_code, q.created_at
        from public.agent_questions q
        join public.stories s on s.id = q.story_id
        where q.story_id = any(v_stories) and q.status = 'OPEN' and q.expires_at > private.now()
        order by q.created_at limit 50
      ) q),
    'failed_jobs', (
      select coalesce(json_agg(json_build_object('id', f.id, 'task_code', f.code, 'task_title', f.title, 'reason', f.reason)
        order by f.finished_at), '[]')
      from (
        select distinct on (t.id) j.id, t.code, t.title, left(j.failure_reason, 400) as reason, j.finished_at
        from public.agent_jobs j
        join public.tasks t on t.id = j.task_id
        where j.sprint_run_id = any(v_runs) and j.status = 'FAILED' and t.status <> 'DONE'
        order by t.id, j.finished_at desc limit 50
      ) f),
    'waivers', (
      select coalesce(json_agg(json_build_object('story_id', w.story_id, 'story_code', w.code, 'criterion', w.criterion,
        'text', w.text, 'reason', w.reason, 'waived_by', w.waived_by, 'created_at', w.created_at) order by w.created_at), '[]')
      from (
        select w.story_id, s.code, w.criterion, left(w.criterion_text, 400) as text, w.reason, w.waived_by, w.created_at
        from public.waivers w
        join public.stories s on s.id = w.story_id
        where w.story_id = any(v_stories)
        order by w.created_at limit 100
      ) w));
end;
$function$;

CREATE OR REPLACE FUNCTION private.give_back_job(p_job public.agent_jobs)
 RETURNS public.agent_job_status
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.agent_job_status;
begin
  update public.agent_jobs j
  set status = 'QUEUED', failure_class = null, lease_until = null
  where j.id = p_job.id and j.attempt = p_job.attempt and j.status in ('CLAIMED', 'RUNNING')
  returning j.status into v_status;

  return v_status;
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_arrived(p_waiting_id uuid, p_kind text, p_blocker_id uuid, p_product_id uuid, p_branch text DEFAULT NULL::text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_branches text[];
begin
  if (select p.dependency_release from public.products p where p.id = p_product_id) = 'done' then
    return true;
  end if;
  v_branches := array_remove(array(
    select j.branch from public.agent_jobs j
    where j.task_id = p_waiting_id and j.kind = 'TASK_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    union all
    select j.branch from public.task_executions e
    join public.agent_jobs j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    where e.task_id = p_waiting_id
  ) || p_branch, null);
  return not exists (
    select from private.unmerged_works(p_kind, p_blocker_id) w where w.branch is null or w.branch <> all (v_branches));
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_criteria(p_story_ids uuid[])
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (select from unnest(p_story_ids) s (id) cross join lateral private.story_proof(s.id) c);
end;
$function$;

CREATE OR REPLACE FUNCTION private.heartbeat_agent_job(p_job_id uuid, p_attempt integer, p_quota_pct integer, p_usage jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
  v_state text;
  v_pause jsonb;
  v_spent_up text;
begin
  perform private.require_job(p_job_id);
  perform private.require_writer();
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;

  perform private.lock_for_budget(p_job_id, p_attempt, p_usage);
  update public.agent_jobs j
  set lease_until = v_now + private.lease()
  from public.agent_workers w, public.products p
  where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING')
    and w.id = j.worker_id and w.user_id = auth.uid() and p.id = j.product_id and p.archived_at is null
  returning j.* into v_job;

  if v_job.id is null then
    select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
    v_state := private.attempt_state(v_job, p_attempt);
    if v_job.status in ('CLAIMED', 'RUNNING') and exists (
      select from public.products p where p.id = v_job.product_id and p.archived_at is not null
    ) then
      v_state := 'archived';
    end if;
    return json_build_object('action', 'stop', 'status', lower(v_job.status::text), 'lease_until', null,
      'reason', json_build_object('code', v_state, 'message', private.attempt_words(v_job, p_attempt, v_state)));
  end if;

  v_spent_up := private.heed_budget(v_job, p_usage);
  if v_spent_up is not null then
    return json_build_object('action', 'stop', 'status', 'queued', 'lease_until', null,
      'reason', json_build_object('code', 'budget', 'message', v_spent_up));
  end if;
  select r.pause_context into v_pause from public.sprint_runs r where r.id = v_job.sprint_run_id and r.status = 'PAUSED';
  perform private.touch_worker(v_job.worker_id, null, null, p_quota_pct);
  return json_build_object(
    'action', case when v_pause is null then 'continue' else 'pause' end,
    'status', lower(v_job.status::text),
    'lease_until', v_job.lease_until,
    'reason', case when v_pause is not null then json_build_object('code', 'paused',
      'message', format('The run is paused (%s).', replace(v_pause ->> 'reason', '_', ' '))) end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.heed_budget(p_job public.agent_jobs, p_usage jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_is_locked boolean := current_setting('backloom.locked_product', true) = p_job.product_id::text;
  v_step numeric;
  v_left numeric;
  v_others integer;
begin
  if jsonb_typeof(p_usage -> 'models') = 'array' then
    perform private.note_usage_so_far(p_job, p_usage);
  end if;
  if not exists (select from public.budgets b where b.product_id = p_job.product_id) then
    return null;
  end if;

  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_job.product_id and p_job.id <> all (b.finish_job_ids) and private.budget_covers(b, p_job)
    order by b.id
  loop
    v_step := private.note_budget_step(p_job, v_budget.unit);
    select v_budget.amount - private.budget_spent(v_budget) - w.reserved, w.jobs into v_left, v_others
    from private.budget_at_work(v_budget, p_job.id) w;
    perform private.warn_of_budget(v_budget, private.budget_spent(v_budget));
    continue when not v_is_locked;
    if v_left <= 0 or (v_others > 0 and v_left < v_step and private.budget_need(p_job, null) is not null) then
      return private.stop_for_budget(p_job, v_budget);
    end if;
    update public.budget_reservations r
    set amount = private.attempt_used(p_job.id, p_job.attempt, r.unit)
      + least(v_left, greatest(2 * v_step, private.expected_use(p_job.product_id, r.unit, p_job.model_id) / 2))
    where r.job_id = p_job.id and r.unit = v_budget.unit and r.attempt = p_job.attempt
      and r.amount < private.attempt_used(p_job.id, p_job.attempt, r.unit) + v_step;
  end loop;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.heed_waiting(p_task_id uuid, p_status public.task_status, p_confirmed boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_task record;
  v_codes text[];
  v_words text;
begin
  if p_status is null or p_status not in ('IN_PROGRESS', 'REVIEW') then
    return;
  end if;
  -- Most tasks wait for nothing, and that is asked more cheaply than what they wait for.
  if not exists (select from private.task_blockers b where b.task_id = p_task_id and not b.resolved) then
    return;
  end if;
  select array_agg(b.code order by b.sort_order, b.code), string_agg(b.code, ', ' order by b.sort_order, b.code)
  into v_codes, v_words
  from private.task_blockers b where b.task_id = p_task_id and not b.resolved;
  select t.code, t.product_id, t.status into v_task from public.tasks t where t.id = p_task_id;
  if v_task.status not in ('TO_DO', 'FAILED') then
    return;
  end if;

  if private.is_token() then
    perform private.refuse(409, format('%s waits for %s. Do that first; only a person may begin it before.', v_task.code, v_words),
      jsonb_build_object('blocked_by', v_codes));
  end if;
  if not coalesce(p_confirmed, false) then
    perform private.refuse(409, format('%s waits for %s. Do that first, or begin it all the same.', v_task.code, v_words), jsonb_build_object('blocked_by', v_codes,
      'begin', jsonb_build_object('task_id', p_task_id, 'status', private.task_status_word(p_status))));
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'task.begun_waiting', jsonb_build_object('product_id', v_task.product_id,
    'task_id', p_task_id, 'code', v_task.code, 'blocked_by', v_codes));
end;
$function$;

CREATE OR REPLACE FUNCTION private.held_tasks(p_sprint_run_id uuid)
 RETURNS SETOF public.tasks
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select t.* from public.task_executions e
  join public.tasks t on t.id = e.task_id
  where e.sprint_run_id = p_sprint_run_id and e.status = 'DONE' and t.status = 'REVIEW';
end;
$function$;

CREATE OR REPLACE FUNCTION private.hold_execution(p_job public.agent_jobs, p_task_id uuid)
 RETURNS public.task_executions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_execution public.task_executions;
begin
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(422, 'This job is no batch. Report it with update_job_status.');
  end if;
  select e.* into v_execution from public.task_executions e
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = p_task_id for update;
  if not found then
    perform private.refuse(404, 'This task is not, or no longer, in the scope of the batch run. The job is still yours: go on with the next task.');
  end if;
  return v_execution;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hold_job(p_job_id uuid, p_attempt integer)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_state text := private.attempt_state(v_job, p_attempt);
begin
  if v_state <> 'held' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  update public.agent_jobs j set lease_until = private.now() + private.lease() where j.id = p_job_id returning j.* into v_job;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.holds_task(p_task_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.tasks t
    join public.products p on p.id = t.product_id
    where t.id = p_task_id and p.done_requires in ('other_worker', 'person') and private.finishes_story(t.id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.idea_payload(p_idea_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object('id', i.id, 'code', i.code, 'title', i.title, 'description', i.description,
      'status', lower(i.status::text))
    from public.ideas i where i.id = p_idea_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_dependencies(p_product_id uuid, p_dependencies jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_edge record;
  v_left_out jsonb := '[]';
begin
  perform private.lock_product(p_product_id);
  for v_edge in
    select d ->> 'kind' as kind, d ->> 'blocked' as blocked, d ->> 'blocker' as blocker from jsonb_array_elements(p_dependencies) d
  loop
    begin
      perform private.insert_dependency(v_edge.kind, p_product_id,
        private.require_blocker(v_edge.kind, p_product_id, v_edge.blocked),
        private.require_blocker(v_edge.kind, p_product_id, v_edge.blocker));
    exception when others then
      if sqlstate not like 'PT%' then
        raise;
      end if;
      v_left_out := v_left_out || jsonb_build_object('kind', v_edge.kind, 'blocked', v_edge.blocked, 'blocker', v_edge.blocker, 'reason', sqlerrm);
    end;
  end loop;
  return v_left_out;
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_proof(p_product_id uuid, p_stories jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.story_heads (story_id, head_sha, attempt)
  select (s ->> 'id')::uuid, s ->> 'head_sha', 0
  from jsonb_array_elements(p_stories) s
  where s ->> 'head_sha' is not null;

  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, command, exit_code, excerpt,
    url, head_sha, observed_by, created_at)
  select p_product_id, (e.story ->> 'id')::uuid, private.criterion_id(l.line ->> 'criterion'), l.line ->> 'criterion',
    (l.line ->> 'verdict')::public.evidence_verdict, (l.line ->> 'grade')::public.evidence_grade,
    (l.line ->> 'kind')::public.evidence_kind, l.line ->> 'command', (l.line ->> 'exit_code')::integer, l.line ->> 'excerpt',
    l.line ->> 'url', l.line ->> 'head_sha', l.line ->> 'observed_by',
    coalesce((l.line ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'evidence') with ordinality l (line, place)
  order by e.place, l.place;

  insert into public.waivers (product_id, story_id, criterion, criterion_text, reason, waived_by, created_at)
  select p_product_id, (s ->> 'id')::uuid, private.criterion_id(w ->> 'criterion'), w ->> 'criterion', w ->> 'reason',
    w ->> 'waived_by', coalesce((w ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) s
  cross join lateral jsonb_array_elements(s -> 'waivers') w
  on conflict (story_id, criterion) do nothing;
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_reviews(p_product_id uuid, p_tasks jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reviews jsonb;
begin
  select jsonb_agg(r.review || jsonb_build_object('id', gen_random_uuid(), 'task_id', t -> 'id'))
  into v_reviews
  from jsonb_array_elements(p_tasks) t
  cross join lateral jsonb_array_elements(t -> 'reviews') r (review);

  insert into public.job_reviews (id, product_id, task_id, attempt, verdict, summary, author, created_at)
  select (r ->> 'id')::uuid, p_product_id, (r ->> 'task_id')::uuid, (r ->> 'attempt')::integer, r ->> 'verdict', r ->> 'summary',
    r ->> 'author', coalesce((r ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_reviews) r;

  insert into public.job_comments
    (product_id, review_id, attempt, path, line, side, line_text, body, author, created_at)
  select p_product_id, (r ->> 'id')::uuid, (c ->> 'attempt')::integer, c ->> 'path', (c ->> 'line')::integer, c ->> 'side',
    c ->> 'line_text', c ->> 'body', c ->> 'author', coalesce((c ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_reviews) r
  cross join lateral jsonb_array_elements(r -> 'comments') c;
end;
$function$;

CREATE OR REPLACE FUNCTION private.imported_reviews(p_task_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('task', p_task_id);
  return (
    select coalesce(json_agg(json_build_object('id', r.id, 'attempt', r.attempt, 'verdict', r.verdict, 'summary', r.summary,
      'author', r.author, 'created_at', r.created_at,
      'comments', (
        select coalesce(json_agg(json_build_object('id', c.id, 'path', c.path, 'line', c.line, 'line_text', c.line_text,
          'body', c.body, 'author', c.author, 'created_at', c.created_at) order by c.created_at, c.id), '[]')
        from public.job_comments c where c.review_id = r.id)
    ) order by r.created_at, r.id), '[]')
    from public.job_reviews r where r.task_id = p_task_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_count()
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select count(*)
    from private.inbox_items() i
    left join public.inbox_marks m on m.user_id = auth.uid() and m.item_kind = i.kind and m.item_id = i.id
    where private.inbox_state(i.at, m) = 'open');
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_item_json(p_kind text, p_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case p_kind
    when 'question' then (
      select jsonb_build_object('question', private.question_json(q)) from public.agent_questions q where q.id = p_id)
    when 'review' then (
      select jsonb_build_object('code', t.code, 'title', t.title, 'story_code', s.code, 'story_title', s.title,
        -- The job that waits for a person's verdict; without one the task was put into review by hand.
        'job_id', (
          select j.id from public.agent_jobs j
          where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review'
          limit 1))
      from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_id)
    when 'run' then (
      select jsonb_build_object('code', s.code, 'title', s.sprint_goal, 'sprint_id', s.id,
        'reason', r.failure ->> 'reason', 'task_id', r.failure ->> 'task_id', 'task_code', r.failure ->> 'task_code')
      from public.sprint_runs r join public.sprints s on s.id = r.sprint_id where r.id = p_id)
    when 'job' then (
      select jsonb_build_object('code', i.code, 'title', i.title, 'reason', j.failure_reason, 'idea_id', j.idea_id)
      from public.agent_jobs j join public.ideas i on i.id = j.idea_id where j.id = p_id)
    when 'added' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'owner_name', private.username(p.owner_id))
      from public.products p where p.id = p_id)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_items()
 RETURNS TABLE(kind text, id uuid, product_id uuid, at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_since timestamptz := v_now - interval '14 days';
  v_products uuid[] := array(select private.writable_product_ids());
begin
  return query
    select 'question', q.id, q.product_id, q.created_at
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now and q.product_id = any (v_products)
    union all
    select 'review', w.task_id, w.product_id, w.since
    from public.tasks_in_review w
    where w.product_id = any (v_products)
    union all
    select 'run', r.id, r.product_id, r.finished_at
    from public.sprint_runs r
    where r.status = 'FAILED' and r.product_id = any (v_products) and r.finished_at > v_since
      and not exists (select from public.sprint_runs n where n.sprint_id = r.sprint_id and n.created_at > r.created_at)
    union all
    -- A job of a task is told by its run; a talk about an idea is its owner's alone.
    select 'job', j.id, j.product_id, j.finished_at
    from public.agent_jobs j
    where j.status = 'FAILED' and j.finished_at > v_since and j.product_id = any (v_products) and j.idea_id is not null
      and j.created_by = auth.uid()
      and not exists (select from public.agent_jobs n where n.idea_id = j.idea_id and n.created_at > j.created_at)
    union all
    select 'added', m.product_id, m.product_id, m.created_at
    from public.product_members m
    where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and m.product_id = any (v_products);
end;
$function$;

CREATE OR REPLACE FUNCTION private.inbox_state(p_at timestamp with time zone, p_mark public.inbox_marks)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when p_mark.item_at is null or p_mark.item_at < p_at then 'open'
    when p_mark.later_until is null then 'done'
    when p_mark.later_until > private.now() then 'later'
    else 'open'
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.insert_dependency(p_kind text, p_product_id uuid, p_blocked_id uuid, p_blocker_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_blocked_id = p_blocker_id then
    perform private.refuse(422, format('A %s cannot wait for itself.', p_kind),
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'blocked_by',
        'message', format('Name another %s.', p_kind)))));
  end if;
  perform private.refuse_cycle(p_kind, p_blocked_id, p_blocker_id);

  if p_kind = 'task' then
    insert into public.task_dependencies (blocked_id, blocker_id, product_id)
    values (p_blocked_id, p_blocker_id, p_product_id) on conflict do nothing;
  else
    insert into public.story_dependencies (blocked_id, blocker_id, product_id)
    values (p_blocked_id, p_blocker_id, p_product_id) on conflict do nothing;
  end if;
  if (select count(*) from public.task_dependencies d where p_kind = 'task' and d.blocked_id = p_blocked_id)
    + (select count(*) from public.story_dependencies d where p_kind = 'story' and d.blocked_id = p_blocked_id) > 100 then
    perform private.refuse(422, format('A %s waits for at most 100 others.', p_kind));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.insert_evidence(p_story_id uuid, p_line jsonb, p_grade public.evidence_grade, p_place integer, p_job public.agent_jobs, p_observer text)
 RETURNS public.evidence
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_text text := private.require_criterion(p_story_id, p_line ->> 'criterion', p_place);
  v_evidence public.evidence;
begin
  if octet_length(p_line ->> 'excerpt') > 8192 then
    perform private.refuse_evidence(p_place, 'excerpt', 'An excerpt has at most 8 KiB: send the end that matters.');
  end if;
  perform private.require_link('url', p_line ->> 'url');
  if (select count(*) from public.evidence e where e.story_id = p_story_id and e.criterion = p_line ->> 'criterion') >= 500 then
    perform private.refuse_evidence(p_place, 'criterion', 'This criterion has 500 pieces of evidence, which is the most that is kept.');
  end if;

  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, command, exit_code, excerpt,
    url, head_sha, job_id, attempt, worker_id, user_id, observed_by)
  select s.product_id, s.id, p_line ->> 'criterion', v_text,
    coalesce(p_line ->> 'verdict', 'pass')::public.evidence_verdict, p_grade,
    case when p_grade = 'person' then 'person'
      else coalesce(p_line ->> 'kind', case when p_line ->> 'command' is null then 'file' else 'command' end) end::public.evidence_kind,
    left(p_line ->> 'command', 2000), (p_line ->> 'exit_code')::integer, p_line ->> 'excerpt', p_line ->> 'url',
    coalesce(left(p_line ->> 'head_sha', 64), p_job.head_sha, h.head_sha),
    p_job.id, p_job.attempt, p_job.worker_id, auth.uid(), p_observer
  from public.stories s
  left join public.story_heads h on h.story_id = s.id
  where s.id = p_story_id
  returning * into v_evidence;
  return v_evidence;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_budget_reached(p_budget public.budgets)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_budget.reached_at is not null and p_budget.reached_at >= (private.budget_window(p_budget)).from_at;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_fresh(p_evidence public.evidence, p_head public.story_heads)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return p_head.story_id is null
    or coalesce(p_evidence.head_sha = p_head.head_sha, false)
    or coalesce(p_evidence.job_id = p_head.job_id and p_evidence.attempt = p_head.attempt, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_held(p_task_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (select from private.task_blockers b where b.task_id = p_task_id and not b.resolved);
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_lane_held(p_sprint_run_id uuid, p_lane_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.agent_jobs h
    where h.sprint_run_id = p_sprint_run_id and h.lane_id = p_lane_id and h.status in ('CLAIMED', 'RUNNING'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_online(p_worker public.agent_workers)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select p_worker.stopped_at is null and p_worker.last_seen_at > private.now() - interval '2 minutes';
$function$;

CREATE OR REPLACE FUNCTION private.is_output_news(p_told_at timestamp with time zone, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return p_told_at is null or p_now >= p_told_at + interval '0.8 seconds';
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_token()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'token_id' is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_costs(p_job_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
    from (
      select e.currency, round(sum(e.cost), 6) as cost
      from public.usage_events e
      where e.job_id = p_job_id and e.cost is not null and not e.subscription
      group by e.currency
    ) s
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_dependency_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'TASK_IMPLEMENTATION' then
    return private.dependency_reasons(array[p_job.task_id]);
  end if;
  return private.dependency_reasons(array(
    select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_json(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v record;
  v_costs jsonb := private.job_costs(p_job.id);
begin
  select t.code as task_code, t.title as task_title, t.status as task_status, t.story_id, s.code as story_code, s.title as story_title,
    p.code as product_code, w.name as worker_name, i.code as idea_code
  into v
  from (select) as job
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.products p on p.id = p_job.product_id
  left join public.agent_workers w on w.id = p_job.worker_id
  left join public.ideas i on i.id = p_job.idea_id;

  if not private.may_read_talk(p_job) then
    p_job.summary := null;
    p_job.failure_reason := null;
    p_job.evidence := null;
    v.idea_code := null;
  end if;
  return to_jsonb(p_job) - '{lane_id,claim_rank}'::text[] || jsonb_build_object(
    'status', lower(p_job.status::text),
    'task_code', v.task_code,
    'task_title', v.task_title,
    'task_status', case v.task_status when 'TO_DO' then 'todo' else lower(v.task_status::text) end,
    'story_id', v.story_id,
    'story_code', v.story_code,
    'story_title', v.story_title,
    'idea_code', v.idea_code,
    'product_code', v.product_code,
    'worker_name', v.worker_name,
    'doing', case when p_job.status in ('CLAIMED', 'RUNNING') then private.doing_now(p_job.id, p_job.attempt) end,
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_is_task boolean := p_job.kind = 'TASK_IMPLEMENTATION';
  v record;
begin
  select
    json_build_object('id', p.id, 'code', p.code, 'name', p.name, 'description', p.description, 'repo_url', p.repo_url,
      'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pr_strategy', p.pr_strategy) as product,
    case when r.id is not null then json_build_object('id', r.id, 'status', lower(r.status::text), 'branch', r.branch,
      'pr_strategy', r.pr_strategy, 'previous_run_id', r.previous_run_id,
      'sprint_id', n.id, 'sprint_code', n.code, 'sprint_goal', n.sprint_goal) end as run,
    case when v_is_task then json_build_object('id', t.id, 'code', t.code,
      'title', t.title, 'description', t.description, 'status', private.task_status_word(t.status),
      'verify_only', t.verify_only, 'verify_required', t.verify_required,
      'requires_opus', t.requires_opus, 'estimated_minutes', t.estimated_minutes) end as task,
    case when v_is_task then json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description,
      'acceptance_criteria', s.acceptance_criteria, 'pbi_id', b.id, 'pbi_code', b.code, 'pbi_title', b.title) end as story,
    coalesce(nullif(t.repo_url, ''), p.repo_url) as repo_url, p.done_requires, p.dependency_release, r.sprint_id,
    not v_is_task or concat(s.acceptance_criteria, p.definition_of_done) ~ '\S' as has_criteria,
    p_job.phase <> 'verify' and (p_job.attempt > 1 or p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from public.agent_jobs j where j.task_id = p_job.task_id and j.id <> p_job.id)) as has_past,
    p_job.kind = 'SPRINT_IMPLEMENTATION'
      or exists (select from public.task_dependencies d where d.blocked_id = t.id)
      or exists (select from public.story_dependencies d where d.blocked_id = t.story_id) as has_blockers,
    exists (select from public.job_reviews w where w.product_id = p_job.product_id) as has_reviews,
    exists (select from public.job_conflicts c where c.job_id = p_job.id) as has_conflicts
  into v
  from public.products p
  left join public.sprint_runs r on r.id = p_job.sprint_run_id
  left join public.sprints n on n.id = r.sprint_id
  left join public.tasks t on t.id = p_job.task_id
  left join public.stories s on s.id = t.story_id
  left join public.pbis b on b.id = s.pbi_id
  where p.id = p_job.product_id;

  return json_build_object(
    'id', p_job.id,
    'kind', p_job.kind,
    'status', lower(p_job.status::text),
    'attempt', p_job.attempt,
    'retry_count', p_job.retry_count,
    'phase', p_job.phase,
    'previous_failure', case when v.has_past then private.previous_failure(p_job) end,
    'earlier_jobs', case when v.has_past then private.earlier_jobs(p_job, v.sprint_id) else '[]' end,
    'earlier_attempts', case when v.has_past then private.earlier_attempts(p_job) else '[]' end,
    'findings', case when v.has_past then private.findings(p_job) else '[]' end,
    'questions', case when v.has_past then private.job_questions(p_job.id) else '[]' end,
    'review', case when v.has_reviews then private.review_payload(p_job) else '[]' end,
    'conflicts', case when v.has_conflicts then private.conflict_payload(p_job) else '[]' end,
    'lease_until', p_job.lease_until,
    'heartbeat_seconds', 60,
    'position', p_job.position,
    'task_id', p_job.task_id,
    'idea_id', p_job.idea_id,
    'sprint_run_id', p_job.sprint_run_id,
    'plan_snapshot', p_job.plan_snapshot,
    'plan', p_job.plan_snapshot,
    'product', v.product,
    'repo_url', v.repo_url,
    'done_requires', v.done_requires,
    'criteria', case when v.has_criteria then private.criteria_payload(p_job) else '[]' end,
    'branch', p_job.branch,
    'base_sha', p_job.base_sha,
    'base_refs', case when v.has_blockers then private.base_refs(p_job) else '[]' end,
    'awaited_heads', case when v.dependency_release = 'merged' then private.awaited_heads(auth.uid(), p_job.product_id) end,
    'head_sha', p_job.head_sha,
    'pr_url', p_job.pr_url,
    'run', v.run,
    'task', v.task,
    'story', v.story,
    'executions', case when p_job.kind = 'SPRINT_IMPLEMENTATION' then private.batch_executions(p_job.sprint_run_id) end,
    'idea', case when p_job.kind = 'PLAN_CHAT' then private.idea_payload(p_job.idea_id) end,
    'user_questions', case when p_job.kind = 'PLAN_CHAT' then private.chat_questions(p_job) end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_questions(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(private.question_json(q) order by q.created_at, q.id), '[]')
    from public.agent_questions q where q.job_id = p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.job_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_reasons jsonb := '[]';
  v_run public.sprint_runs;
  v_question public.agent_questions;
  v_first public.agent_jobs;
  v_worker record;
  v_pbi record;
begin
  if not private.may_read_talk(p_job) then
    p_job.failure_reason := null;
  end if;
  if p_job.status in ('DONE', 'SKIPPED', 'CANCELLED', 'FAILED') then
    return jsonb_build_array(jsonb_build_object(
      'code', case when p_job.status = 'FAILED' and p_job.failure_class = 'infrastructure' and p_job.retry_count >= 3
        then 'budget' else 'finished' end,
      'message', format('The job is %s%s', lower(p_job.status::text), coalesce(': ' || p_job.failure_reason, '.')),
      'failure_class', p_job.failure_class, 'finished_at', p_job.finished_at));
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    select w.name, w.last_seen_at into v_worker from public.agent_workers w where w.id = p_job.worker_id;
    return jsonb_build_array(jsonb_build_object('code', 'lease',
      'message', format('Worker %s holds the job until %s (attempt %s%s).', coalesce(v_worker.name, 'unknown'),
        to_char(p_job.lease_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), p_job.attempt,
        case when p_job.lease_until <= v_now then '; the lease has run out and the job is taken back within seconds' else '' end),
      'worker_id', p_job.worker_id, 'worker_name', v_worker.name, 'lease_until', p_job.lease_until, 'last_seen_at', v_worker.last_seen_at));
  end if;

  if p_job.phase = 'review' then
    return jsonb_build_array(jsonb_build_object('code', 'review',
      'message', 'The work is done and waits for a person to review it.', 'task_id', p_job.task_id));
  end if;

  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id;
  if v_run.status = 'PAUSED' then
    v_reasons := v_reasons || jsonb_build_object('code', 'paused',
      'message', format('The run is paused (%s). Resume it when it can go on.', replace(v_run.pause_context ->> 'reason', '_', ' ')),
      'sprint_run_id', v_run.id, 'pause_context', v_run.pause_context, 'question_id', v_run.pause_question_id);
  end if;
  select q.* into v_question from public.agent_questions q where q.id = p_job.parked_question_id;
  if v_question.status = 'OPEN' and not (v_question.on_expiry = 'RECOMMENDED' and v_question.expires_at <= v_now) then
    v_reasons := v_reasons || jsonb_build_object('code', 'question',
      'message', format(case when v_question.expires_at <= v_now then 'The question that it waits for was not answered in time: %s'
        else 'It waits for the answer to a question: %s' end, case when private.may_read_talk(p_job) then left(v_question.question, 300) else 'of its own.' end),
      'question_id', v_question.id, 'assignee_id', v_question.assignee_id, 'expires_at', v_question.expires_at);
  end if;
  if p_job.not_before > v_now then
    v_reasons := v_reasons || jsonb_build_object('code', 'not_before',
      'message', format('A rate limit holds it back until %s.', to_char(p_job.not_before at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
      'not_before', p_job.not_before);
  end if;
  if p_job.open_blockers > 0 then
    v_reasons := v_reasons || private.job_dependency_reasons(p_job);
  end if;
  v_reasons := v_reasons || private.budget_reasons(p_job);
  if not p_job.in_turn then
    select j.* into v_first from public.agent_jobs j
    where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    order by j.position limit 1;
    v_reasons := v_reasons || jsonb_build_object('code', 'order',
      'message', format('Jobs on branch %s run one after another; task %s comes first and is %s.', p_job.branch,
        (select t.code from public.tasks t where t.id = v_first.task_id), lower(v_first.status::text)),
      'job_id', v_first.id, 'task_id', v_first.task_id);
  end if;
  select b.id, b.code into v_pbi
  from public.tasks t join public.stories s on s.id = t.story_id join public.pbis b on b.id = s.pbi_id
  where t.id = p_job.task_id and b.status = 'BLOCKED';
  if found then
    v_reasons := v_reasons || jsonb_build_object('code', 'blocked', 'blocking', false,
      'message', format('PBI %s was blocked after the run began; the job is still given out.', v_pbi.code), 'pbi_id', v_pbi.id);
  end if;
  if exists (select from public.products p where p.id = p_job.product_id and p.archived_at is not null) then
    v_reasons := v_reasons || jsonb_build_object('code', 'archived', 'message', 'The product is archived.');
  end if;
  v_reasons := v_reasons || private.worker_reasons(p_job);
  if v_reasons = '[]' then
    v_reasons := jsonb_build_array(jsonb_build_object('code', 'ready', 'message', 'Ready: the next free worker takes it.'));
  end if;
  return v_reasons;
end;
$function$;

CREATE OR REPLACE FUNCTION private.jobs_to_finish(p_run public.sprint_runs, p_budget public.budgets)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_begun uuid[] := array(
    select j.id from public.agent_jobs j
    where j.sprint_run_id = p_run.id
      and (j.status in ('CLAIMED', 'RUNNING') or (j.status = 'QUEUED' and j.stopped_by_budget_id = p_budget.id)));
begin
  if v_begun <> '{}' then
    return v_begun;
  end if;
  return array(
    select j.id from public.agent_jobs j
    where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.in_turn
    order by j.claim_rank, j.created_at, j.position, j.id limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_usage_so_far(p_job_id uuid, p_attempt integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with told as (
    delete from public.usage_so_far s where s.job_id = p_job_id and s.attempt = p_attempt returning s.*
  )
  insert into public.usage_events (product_id, job_id, task_id, sprint_run_id, worker_id, attempt, seq, model_id, input_tokens,
    output_tokens, cache_read_tokens, cache_write_tokens, reported_cost, rates, cost, currency, source, estimated, subscription)
  select t.product_id, t.job_id, t.task_id, t.sprint_run_id, t.worker_id, t.attempt,
    least(coalesce((
      select min(e.seq) from public.usage_events e where e.job_id = p_job_id and e.attempt = p_attempt), 0), 0)
      - row_number() over (order by t.model_id),
    nullif(t.model_id, ''), t.input_tokens, t.output_tokens, t.cache_read_tokens, t.cache_write_tokens, t.reported_cost, t.rates,
    t.cost, t.currency, t.source, true, t.subscription
  from told t;
  if found then
    perform private.sum_usage(p_job_id, null);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.last_line(p_product_id uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((select e.id from public.usage_events e where e.product_id = p_product_id order by e.id desc limit 1), 0);
end;
$function$;

CREATE OR REPLACE FUNCTION private.leaders(p_kind text, p_id uuid)
 RETURNS TABLE(kind text, id uuid)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select 'task', d.blocker_id from public.task_dependencies d where p_kind = 'task' and d.blocked_id = p_id
  union all
  select 'start', t.story_id from public.tasks t where p_kind = 'task' and t.id = p_id
  union all
  select 'end', d.blocker_id from public.story_dependencies d where p_kind = 'start' and d.blocked_id = p_id
  union all
  select 'task', t.id from public.tasks t where p_kind = 'end' and t.story_id = p_id
  union all
  select 'start', p_id where p_kind = 'end';
$function$;

CREATE OR REPLACE FUNCTION private.list_agent_workers(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  return json_build_object('workers', (
    select coalesce(jsonb_agg(private.worker_json(w) || jsonb_build_object('current_job', (
        select private.job_json(j) from public.agent_jobs j
        where j.id = private.current_job_id(w.id) and j.product_id in (
          select mine.product_id from public.product_members mine where mine.user_id = auth.uid())))
      order by w.last_seen_at desc, w.id), '[]')
    from public.agent_workers w
    where w.id in (
      select v.id from public.agent_workers v
      where v.last_seen_at > private.now() - interval '7 days'
        and (p_product_id is not null or v.user_id = auth.uid() or exists (
          select from public.product_members mine
          join public.product_members theirs on theirs.product_id = mine.product_id
          where mine.user_id = auth.uid() and theirs.user_id = v.user_id))
        and (p_product_id is null or exists (
          select from public.product_members m where m.product_id = p_product_id and m.user_id = v.user_id))
      order by v.last_seen_at desc, v.id
      limit 200)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_candidates(p_kind text, p_id uuid, p_query text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_access(v_kind, p_id);
  v_pattern text := '%' || replace(replace(replace(trim(coalesce(p_query, '')), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_near record;
  v_found jsonb := '[]';
  v_each record;
begin
  select t.story_id, s.sprint_id, s.pbi_id into v_near
  from public.stories s left join public.tasks t on t.id = p_id
  where s.id = coalesce(t.story_id, p_id);
  for v_each in
    select * from (
      select t.id, t.code, t.title, private.task_status_word(t.status) as status,
        t.story_id = v_near.story_id as is_near, s.sprint_id is not distinct from v_near.sprint_id as is_beside, t.created_at
      from public.tasks t join public.stories s on s.id = t.story_id
      where v_kind = 'task' and t.product_id = v_product_id and t.status <> 'DONE' and (t.code ilike v_pattern or t.title ilike v_pattern)
      union all
      select s.id, s.code, s.title, lower(s.status::text),
        s.sprint_id = v_near.sprint_id, s.pbi_id = v_near.pbi_id, s.created_at
      from public.stories s
      where v_kind = 'story' and s.product_id = v_product_id and s.status <> 'DONE' and (s.code ilike v_pattern or s.title ilike v_pattern)
    ) c
    where c.id <> p_id
      and not exists (select from public.task_dependencies d where d.blocked_id = p_id and d.blocker_id = c.id)
      and not exists (select from public.story_dependencies d where d.blocked_id = p_id and d.blocker_id = c.id)
    order by c.is_near desc nulls last, c.is_beside desc, c.created_at, c.id
    limit 40
  loop
    continue when private.find_path(case v_kind when 'task' then 'task' else 'start' end, p_id,
      case v_kind when 'task' then 'task' else 'end' end, v_each.id) is not null;
    v_found := v_found || jsonb_build_object('id', v_each.id, 'code', v_each.code, 'title', v_each.title, 'status', v_each.status);
    exit when jsonb_array_length(v_found) = 8;
  end loop;
  return v_found;
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_dependencies(p_kind text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
begin
  perform private.require_access(v_kind, p_id);
  return private.dependencies_json(v_kind, p_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_items(p_text text)
 RETURNS SETOF text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_line text;
  v_item text;
  v_items text[] := '{}';
  v_fenced boolean := false;
begin
  foreach v_line in array string_to_array(replace(coalesce(p_text, ''), E'\r', ''), E'\n') loop
    if v_line ~ '^\s*(```|~~~)' then
      v_fenced := not v_fenced;
      continue;
    end if;
    if not v_fenced and v_line ~ '^\s*([-*+•]|[0-9]{1,3}[.)])\s+\S' then
      v_items := v_items || v_item;
      v_item := regexp_replace(v_line, '^\s*([-*+•]|[0-9]{1,3}[.)])\s+(\[[ xX]\]\s+)?(#[0-9]+\s+)?', '');
    elsif not v_fenced and v_item is not null and v_line ~ '^\s+\S' then
      v_item := v_item || ' ' || v_line;
    elsif not v_fenced then
      v_items := v_items || v_item;
      v_item := null;
    end if;
  end loop;
  v_items := v_items || v_item;

  v_items := array(
    select btrim(regexp_replace(i, '\s+', ' ', 'g')) from unnest(v_items) with ordinality as u (i, place)
    where i ~ '[^\s*_-]' order by place);
  if v_items = '{}' and p_text ~ '\S' then
    v_items := array[btrim(regexp_replace(p_text, '\s+', ' ', 'g'))];
  end if;
  return query select unnest(v_items);
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_job_comments(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_job_reader(p_job_id);
  return json_build_object(
    'comments', (
      select coalesce(jsonb_agg(private.comment_json(c) order by c.created_at, c.id), '[]')
      from public.job_comments c
      where c.job_id = p_job_id and (c.review_id is not null or c.author_id = auth.uid())),
    'reviews', (
      select coalesce(jsonb_agg(private.review_json(r) order by r.created_at, r.id), '[]')
      from public.job_reviews r where r.job_id = p_job_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_open_user_questions(p_product_id uuid, p_limit integer, p_cursor uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 100);
  v_questions jsonb;
  v_count integer;
  v_last uuid;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.user_question_json(u) order by u.created_at, u.id), '[]'), count(*),
    (array_agg(u.id order by u.created_at desc, u.id desc))[1]
  into v_questions, v_count, v_last
  from (
    select x.* from public.user_questions x
    join public.ideas i on i.id = x.idea_id
    where x.user_id = auth.uid() and x.status = 'PENDING' and x.job_id is not null
      and (p_product_id is null or i.product_id = p_product_id)
      and (p_cursor is null or (x.created_at, x.id) > (
        select c.created_at, c.id from public.user_questions c where c.id = p_cursor and c.user_id = auth.uid()))
    order by x.created_at, x.id
    limit v_limit
  ) u;
  return json_build_object('user_questions', v_questions, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_push_subscriptions()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return json_build_object('subscriptions', (
    select coalesce(json_agg(json_build_object('id', s.id, 'user_agent', s.user_agent, 'host', substring(s.endpoint from '^https?://([^/]+)'),
      'endpoint', s.endpoint, 'last_error', s.last_error, 'disabled_at', s.disabled_at, 'created_at', s.created_at)
      order by s.created_at), '[]')
    from public.push_subscriptions s
    left join public.user_sessions u on u.id = s.session_id
    where s.user_id = auth.uid()
      and (s.session_id is null or (u.revoked_at is null and u.expires_at > private.now()))));
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_questions(p_product_id uuid, p_state text, p_job_id uuid, p_limit integer, p_cursor uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_limit integer := least(greatest(coalesce(p_limit, 50), 1), 200);
  v_state text := private.require_choice('state', p_state, array['OPEN', 'ANSWERED', 'CANCELLED', 'EXPIRED']);
  v_questions jsonb;
  v_count integer;
  v_last uuid;
begin
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  select coalesce(jsonb_agg(private.question_json(q) order by q.created_at desc, q.id desc), '[]'), count(*),
    (array_agg(q.id order by q.created_at, q.id))[1]
  into v_questions, v_count, v_last
  from (
    select x.* from public.agent_questions x
    where x.product_id in (select m.product_id from public.product_members m where m.user_id = auth.uid())
      and (x.status <> 'OPEN' or x.expires_at <= v_now or x.product_id in (select private.writable_product_ids()))
      and (p_product_id is null or x.product_id = p_product_id)
      and (p_job_id is null or x.job_id = p_job_id)
      and (v_state is null or v_state = case when x.status = 'OPEN' and x.expires_at <= v_now then 'EXPIRED' else x.status::text end)
      and (p_cursor is null or (x.created_at, x.id) < (select c.created_at, c.id from public.agent_questions c where c.id = p_cursor))
    order by x.created_at desc, x.id desc
    limit v_limit
  ) q;
  return json_build_object('questions', v_questions, 'next_cursor', case when v_count = v_limit then v_last end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_ready(p_product_id uuid, p_limit integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);
  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select t.id, t.code, t.title, private.task_status_word(t.status) as status, t.priority, s.id as story_id, s.code as story_code,
        '[]'::json as blocked_by,
        (
          select count(*) from public.tasks w
          where w.status <> 'DONE' and w.id in (
            select d.blocked_id from public.task_dependencies d where d.blocker_id = t.id
            union
            select i.id from public.story_dependencies d join public.tasks i on i.story_id = d.blocked_id where d.blocker_id = t.story_id)
        ) as frees,
        p.status is not distinct from 'ACTIVE' and coalesce(t.implementation_plan, '') ~ '\S' as dispatchable
      from public.tasks t
      join public.stories s on s.id = t.story_id
      join public.pbis b on b.id = s.pbi_id
      left join public.sprints p on p.id = s.sprint_id
      where t.product_id = p_product_id and t.status = 'TO_DO' and b.status <> 'BLOCKED'
        and not exists (select from private.task_blockers k where k.task_id = t.id and not k.resolved)
      order by (p.status is not distinct from 'ACTIVE') desc, s.sort_order, s.created_at, s.id, t.sort_order, t.created_at, t.id
      limit least(greatest(coalesce(p_limit, 50), 1), 200)
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_run_order(p_sprint_run_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_run(p_sprint_run_id);
  return (
    select coalesce(json_agg(json_build_object('job_id', j.id, 'lane', j.lane_id, 'blocked_by', (
      select coalesce(json_agg(json_build_object('id', b.blocker_id, 'code', b.code, 'resolved', b.resolved) order by b.sort_order, b.code), '[]')
      from private.task_blockers b where b.task_id = j.task_id)) order by j.position, j.id), '[]')
    from public.agent_jobs j
    where j.sprint_run_id = p_sprint_run_id and j.kind = 'TASK_IMPLEMENTATION'
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_attempt(p_job public.agent_jobs, p_attempt integer)
 RETURNS public.job_attempts
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_attempt public.job_attempts;
begin
  select a.* into v_attempt from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_attempt for update;
  if not found then
    insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, started_at)
    values (p_job.id, p_attempt, p_job.product_id, p_job.worker_id,
      (select w.name from public.agent_workers w where w.id = p_job.worker_id), coalesce(p_job.claimed_at, private.now()))
    on conflict (job_id, attempt) do nothing;
    select a.* into v_attempt from public.job_attempts a where a.job_id = p_job.id and a.attempt = p_attempt for update;
  end if;
  return v_attempt;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_for_budget(p_job_id uuid, p_attempt integer, p_usage jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j
  where j.id = p_job_id and j.attempt = p_attempt and j.status in ('CLAIMED', 'RUNNING');
  if v_job.id is not null and private.budget_need(v_job, p_usage) is not null then
    perform private.lock_product(v_job.product_id);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_job(p_job_id uuid, p_share boolean DEFAULT false)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  if not found then
    perform private.refuse(404, 'No such agent job.');
  end if;
  perform private.require_product_access(v_job.product_id);
  if p_share and v_job.kind = 'TASK_IMPLEMENTATION' then
    perform private.share_product(v_job.product_id);
    -- Read under the lock: a task may have moved to another story until then.
    perform private.lock_part('story', (select t.story_id from public.tasks t where t.id = v_job.task_id));
  else
    perform private.lock_product(v_job.product_id);
  end if;
  perform private.require_product_write(v_job.product_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id for update;
  if not found then
    perform private.refuse(404, 'No such agent job.');
  end if;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lost_with(p_kind text, p_row jsonb)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select case
    when p_kind = 'task' and exists (select from public.agent_jobs j where j.task_id = (p_row ->> 'id')::uuid) then 'jobs'
    when p_kind = 'task' and exists (select from public.task_executions e where e.task_id = (p_row ->> 'id')::uuid) then 'jobs'
    when p_kind = 'task' and exists (select from public.agent_questions q where q.task_id = (p_row ->> 'id')::uuid) then 'questions'
    when p_kind = 'story' and exists (select from public.story_logs l where l.story_id = (p_row ->> 'id')::uuid) then 'a log'
    when p_kind = 'story' and (exists (select from public.evidence e where e.story_id = (p_row ->> 'id')::uuid)
      or exists (select from public.waivers w where w.story_id = (p_row ->> 'id')::uuid)) then 'evidence'
    when p_kind = 'story' and exists (select from public.agent_questions q where q.story_id = (p_row ->> 'id')::uuid) then 'questions'
    when p_kind = 'task' and exists (select from public.task_dependencies d
      where (p_row ->> 'id')::uuid in (d.blocked_id, d.blocker_id)) then 'dependencies'
    when p_kind = 'story' and exists (select from public.story_dependencies d
      where (p_row ->> 'id')::uuid in (d.blocked_id, d.blocker_id)) then 'dependencies'
    when p_kind = 'task' and exists (select from public.budgets b where b.task_id = (p_row ->> 'id')::uuid) then 'a budget'
    when p_kind = 'pbi' and p_row ->> 'idea_id' is not null then 'a link to its idea'
  end;
$function$;

CREATE OR REPLACE FUNCTION private.make_room_for_diffs(p_product_id uuid, p_limit bigint DEFAULT 268435456)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_over bigint;
begin
  select sum(d.bytes) - p_limit into v_over from public.job_diffs d where d.product_id = p_product_id;
  if v_over is null or v_over <= 0 then
    return;
  end if;

  with followed as (
    select d.job_id, d.attempt, d.bytes, sum(d.bytes) over (order by d.created_at, d.job_id, d.attempt) - d.bytes as before
    from public.job_diffs d
    where d.product_id = p_product_id
      and exists (select from public.job_diffs n where n.job_id = d.job_id and n.attempt > d.attempt)
  ),
  gone as (
    delete from public.job_diffs d using followed f
    where d.job_id = f.job_id and d.attempt = f.attempt and f.before < v_over
    returning d.bytes
  )
  select v_over - coalesce(sum(g.bytes), 0) into v_over from gone g;
  if v_over <= 0 then
    return;
  end if;

  with oldest as (
    select d.job_id, d.attempt, sum(d.bytes) over (order by d.created_at, d.job_id, d.attempt) - d.bytes as before
    from public.job_diffs d
    where d.product_id = p_product_id and d.bytes > 0
  )
  update public.job_diffs d
  set bytes = 0,
      files = (
        select coalesce(jsonb_agg(f.file - 'patch' || '{"truncated": true}' order by f.position), '[]')
        from jsonb_array_elements(d.files) with ordinality f (file, position))
  from oldest o
  where d.job_id = o.job_id and d.attempt = o.attempt and o.before < v_over;
end;
$function$;

CREATE OR REPLACE FUNCTION private.mark_inbox_item(p_kind text, p_item_id uuid, p_mark text, p_until timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_mark text := lower(private.require_choice('mark', p_mark, array['DONE', 'LATER', 'OPEN']));
  v_until timestamptz := coalesce(p_until, date_trunc('day', v_now at time zone 'UTC') at time zone 'UTC' + interval '31 hours');
  v_item record;
begin
  select i.product_id, i.at into v_item from private.inbox_items() i where i.kind = p_kind and i.id = p_item_id;
  if not found then
    perform private.refuse(404, 'It waits for nobody any more: somebody has dealt with it.');
  end if;
  perform private.require_write('product', v_item.product_id);
  perform private.take_rate_limit('inbox', auth.uid()::text);
  if v_mark = 'later' and not v_until between v_now and v_now + interval '31 days' then
    perform private.refuse(422, 'Put it off by at most a month, and not into the past.');
  end if;

  delete from public.inbox_marks m
  where m.user_id = auth.uid()
    and (m.marked_at < v_now - interval '90 days' or m.item_kind = p_kind and m.item_id = p_item_id);
  if v_mark <> 'open' then
    insert into public.inbox_marks (user_id, item_kind, item_id, item_at, later_until)
    values (auth.uid(), p_kind, p_item_id, v_item.at, case when v_mark = 'later' then v_until end);
  end if;
  perform private.emit('user:' || auth.uid(), jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_item_id, 'product_id', null));
  return json_build_object('kind', p_kind, 'id', p_item_id, 'state', v_mark, 'later_until', case when v_mark = 'later' then v_until end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.may_change_view(p_view public.saved_views)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return coalesce(p_view.user_id = auth.uid() or p_view.created_by = auth.uid(), false) or exists (
    select from public.product_members m
    where m.product_id = p_view.product_id and m.user_id = auth.uid() and m.role = 'OWNER');
end;
$function$;

CREATE OR REPLACE FUNCTION private.may_read_talk(p_job public.agent_jobs)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_job.kind <> 'PLAN_CHAT' or coalesce(p_job.created_by = auth.uid(), false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.may_set_budgets(p_product_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.product_members m
    join public.products p on p.id = m.product_id
    where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'OWNER' and p.archived_at is null
  ) and not private.is_demo()
    and coalesce(nullif(current_setting('request.jwt.claims', true), '')::jsonb ? 'token_id', false) = false;
end;
$function$;

CREATE OR REPLACE FUNCTION private.missing_proof(p_story_ids uuid[], p_grade public.evidence_grade)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('path', c.id, 'story_id', c.story_id, 'message', format('%s: %s', left(c.text, 200),
      case c.state
        when 'failed' then 'the last look at it failed.'
        when 'stale' then format('it was proven for an earlier commit, and the work has moved on to %s.', left(h.head_sha, 12))
        when 'proven' then format('it is proven as "%s", and "%s" is needed.', c.grade, p_grade)
        else 'nothing proves it yet.' end)) order by s.sort_order, s.created_at, c.place)
    from public.stories s
    left join public.story_heads h on h.story_id = s.id
    cross join lateral private.story_proof(s.id) c
    where s.id = any (p_story_ids) and c.state <> 'waived' and not (c.state = 'proven' and c.grade >= p_grade)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.model_of_worker(p_worker_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select e.model_id from public.usage_events e
    where e.worker_id = p_worker_id and e.model_id is not null order by e.id desc limit 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.next_product(p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_tried uuid[])
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return (
    select c.product_id
    from public.product_members m
    join public.products p on p.id = m.product_id and p.archived_at is null
    cross join lateral (
      select j.product_id, j.claim_rank, j.created_at, j.position, j.id
      from private.claimable_jobs j
      where j.product_id = m.product_id
        and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id)
        and (j.phase <> 'verify' or j.author_worker_id is distinct from p_worker_id)
        and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
        and (p_kinds is null or p_kinds ? j.kind::text)
      order by j.claim_rank, j.created_at, j.position, j.id
      limit 1
    ) c
    where m.user_id = p_user_id
      and case when p_product_id is null then m.workers_allowed else m.product_id = p_product_id end
      and m.product_id <> all (p_tried)
    order by c.claim_rank, c.created_at, c.position, c.id
    limit 1
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_attempt(p_job public.agent_jobs, p_report private.job_report)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if num_nonnulls(p_report.session_id, p_report.kept_ref) = 0 then
    return;
  end if;
  update public.job_attempts a
  set session_id = coalesce(left(p_report.session_id, 300), a.session_id),
      kept_ref = coalesce(left(p_report.kept_ref, 300), a.kept_ref)
  where a.job_id = p_job.id and a.attempt = p_job.attempt;
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_budget_step(p_job public.agent_jobs, p_unit text)
 RETURNS numeric
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_used numeric := private.attempt_used(p_job.id, p_job.attempt, p_unit);
  v_step numeric;
begin
  insert into public.budget_reservations as r (job_id, unit, attempt, product_id, seen, step)
  values (p_job.id, p_unit, p_job.attempt, p_job.product_id, v_used, v_used)
  on conflict (job_id, unit) do update
  set step = case when r.attempt = excluded.attempt then greatest(r.step, v_used - r.seen) else v_used end,
      amount = case when r.attempt = excluded.attempt then r.amount else 0 end,
      seen = v_used, attempt = excluded.attempt
  returning r.step into v_step;
  return v_step;
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_conflict(p_job public.agent_jobs, p_other public.agent_jobs, p_conflict jsonb, p_decision text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.job_conflicts
    (product_id, job_id, attempt, kind, other_job_id, branch, ours_sha, theirs_sha, files, decision, created_at)
  values (p_job.product_id, p_job.id, p_job.attempt, lower(p_conflict ->> 'kind'), p_other.id,
    coalesce(p_conflict ->> 'branch', ''), p_conflict ->> 'ours_sha', p_conflict ->> 'theirs_sha', p_conflict -> 'files', p_decision,
    -- Of two in one transaction none is older; the clock of the database tells them apart.
    greatest(private.now(), (select max(c.created_at) + interval '1 microsecond' from public.job_conflicts c where c.job_id = p_job.id)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_head(p_story_id uuid, p_job public.agent_jobs, p_head_sha text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_head_sha is null or p_story_id is null or p_job.phase <> 'implement' then
    return;
  end if;
  insert into public.story_heads as h (story_id, head_sha, job_id, attempt)
  values (p_story_id, left(p_head_sha, 64), p_job.id, p_job.attempt)
  on conflict (story_id) do update
  set head_sha = excluded.head_sha, job_id = excluded.job_id, attempt = excluded.attempt, moved_at = excluded.moved_at
  where h.head_sha <> excluded.head_sha;
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_merged_requests(p_product_id uuid, p_pbi_id uuid, p_was_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.agent_jobs j
  set merged_at = case when x.pr_merged_at > j.finished_at then x.pr_merged_at end
  from (
    select w.id, min(b.pr_merged_at) as pr_merged_at
    from public.pbis b
    join public.stories s on s.pbi_id = b.id
    join public.tasks t on t.story_id = s.id
    cross join lateral (
      select a.id from public.agent_jobs a where a.task_id = t.id and a.kind = 'TASK_IMPLEMENTATION' and a.status = 'DONE'
      union all
      select a.id from public.task_executions e
      join public.agent_jobs a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION' and a.finished_at is not null
      where e.task_id = t.id and e.status = 'DONE'
    ) w
    where b.product_id = p_product_id and (p_pbi_id is null or b.id = p_pbi_id)
    group by w.id
  ) x
  where j.id = x.id and (j.merged_at is null and x.pr_merged_at > j.finished_at
    or j.merged_at = p_was_at and (x.pr_merged_at > j.finished_at) is not true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_released(p_task_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_codes jsonb;
begin
  select jsonb_agg(t.code order by t.sort_order, t.code) into v_codes
  from public.tasks t
  where t.id = any (p_task_ids) and t.status = 'TO_DO'
    and (exists (select from public.task_dependencies d where d.blocked_id = t.id)
      or exists (select from public.story_dependencies d where d.blocked_id = t.story_id))
    and not private.is_held(t.id);
  if v_codes is not null then
    perform set_config('backloom.released',
      (coalesce(nullif(current_setting('backloom.released', true), '')::jsonb, '[]') || v_codes)::text, true);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_usage_so_far(p_job public.agent_jobs, p_usage jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_after bigint := coalesce((p_usage ->> 'after_seq')::bigint, 0);
begin
  delete from public.usage_so_far s where s.job_id = p_job.id and s.attempt = p_job.attempt and s.after_seq < v_after;
  if exists (
    select from public.usage_events e where e.job_id = p_job.id and e.attempt = p_job.attempt and e.seq > v_after
  ) then
    return;
  end if;
  insert into public.usage_so_far as s (job_id, attempt, model_id, after_seq, product_id, task_id, sprint_run_id, worker_id,
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reported_cost, rates, cost, currency, source, subscription)
  select distinct on (x.model_id) p_job.id, p_job.attempt, x.model_id, v_after, p_job.product_id, p_job.task_id,
    p_job.sprint_run_id, p_job.worker_id, e.input_tokens, e.output_tokens, e.cache_read_tokens, e.cache_write_tokens,
    (u.value ->> 'cost')::numeric, p.rates, p.cost, p.currency, p.source, coalesce((u.value ->> 'subscription')::boolean, false)
  from jsonb_array_elements(p_usage -> 'models') u
  cross join lateral jsonb_to_record(u.value)
    as e (input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint)
  cross join lateral (select coalesce(left(u.value ->> 'model_id', 200), '') as model_id) x
  cross join lateral private.price_usage(u.value) p
  on conflict (job_id, attempt, model_id) do update
  set after_seq = excluded.after_seq, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
      cache_read_tokens = excluded.cache_read_tokens, cache_write_tokens = excluded.cache_write_tokens,
      reported_cost = excluded.reported_cost, rates = excluded.rates, cost = excluded.cost, currency = excluded.currency,
      source = excluded.source, subscription = excluded.subscription, told_at = private.now();
end;
$function$;

CREATE OR REPLACE FUNCTION private.nothing_to_claim(p_user_id uuid, p_product_id uuid, p_full_budgets uuid[] DEFAULT NULL::uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_waiting record;
  v_closed jsonb;
begin
  select count(*) filter (where j.status = 'QUEUED') as queued,
    count(*) filter (where j.status = 'QUEUED' and r.status = 'PAUSED') as paused,
    count(*) filter (where j.status = 'QUEUED' and q.status = 'OPEN') as asked,
    count(*) filter (where j.status = 'QUEUED' and j.not_before > private.now()) as delayed,
    count(*) filter (where j.status = 'QUEUED' and not j.in_turn) as in_order,
    count(*) filter (where j.status = 'QUEUED' and j.phase = 'review') as in_review,
    count(*) filter (where j.status = 'QUEUED' and j.phase = 'verify') as to_verify,
    count(*) filter (where j.status = 'QUEUED' and j.in_turn and j.open_blockers > 0) as blocked,
    count(*) filter (where j.status in ('CLAIMED', 'RUNNING')) as held
  into v_waiting
  from public.agent_jobs j
  join public.product_members m on m.product_id = j.product_id and m.user_id = p_user_id
    and (m.workers_allowed or p_product_id is not null)
  left join public.sprint_runs r on r.id = j.sprint_run_id
  left join public.agent_questions q on q.id = j.parked_question_id
  where j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and (p_product_id is null or j.product_id = p_product_id);

  v_closed := case when v_waiting.queued = 0 and p_product_id is null then private.products_without_consent(p_user_id) end;
  if v_closed is not null then
    return jsonb_build_object('code', 'consent', 'products', v_closed,
      'message', format('Jobs wait in %s, where your workers may not work yet. Switch on "My workers may work here" on the members page of the product, or name it as product_id.',
        (select string_agg(p ->> 'name', ', ') from jsonb_array_elements(v_closed) p)));
  end if;
  if v_waiting.queued = 0 then
    return jsonb_build_object('code', 'empty', 'message', format('No job is queued%s.',
      case when v_waiting.held > 0 then format('; %s held by workers', v_waiting.held) else '' end));
  end if;
  return jsonb_build_object(
    'code', case
      when v_waiting.paused > 0 then 'paused'
      when v_waiting.asked > 0 then 'question'
      when v_waiting.delayed > 0 then 'not_before'
      when p_full_budgets <> '{}' then 'budget'
      when v_waiting.to_verify > 0 then 'needs_other_worker'
      when v_waiting.in_review > 0 then 'review'
      when v_waiting.blocked > 0 then 'dependency'
      else 'order' end,
    'message', format('%s queued, none claimable now: %s wait for their turn, %s for an answer, %s for a paused run, %s for a rate limit%s%s; %s held by workers.%s',
      v_waiting.queued, v_waiting.in_order, v_waiting.asked, v_waiting.paused, v_waiting.delayed,
      case when v_waiting.blocked > 0 then format(', %s for other tasks', v_waiting.blocked) else '' end,
      case when v_waiting.to_verify + v_waiting.in_review > 0 then format(', %s for another worker, %s for a review',
        v_waiting.to_verify, v_waiting.in_review) else '' end, v_waiting.held,
      case when p_full_budgets <> '{}' then ' A budget lets nobody begin.' else '' end))
    || case when v_waiting.blocked > 0 then jsonb_strip_nulls(jsonb_build_object('awaited_heads', private.awaited_heads(p_user_id, p_product_id)))
      else '{}' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.one_line(p_text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select left(regexp_replace(p_text, '[[:cntrl:]]+', ' ', 'g'), 200);
$function$;

CREATE OR REPLACE FUNCTION private.order_by_dependencies(p_task_ids uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_count integer := cardinality(p_task_ids);
  v_nodes integer;
  v_from integer[];
  v_needs integer[];
  v_next integer[];
  v_last integer[];
  v_state integer[];
  v_stack integer[] := '{}';
  v_depth integer := 0;
  v_node integer;
  v_need integer;
  v_ordered uuid[] := '{}';
  v_placed integer := 0;
begin
  if not exists (
    select from public.task_dependencies d where d.blocked_id = any (p_task_ids) and d.blocker_id = any (p_task_ids)
    union all
    select from public.story_dependencies d
    where d.blocked_id in (select t.story_id from public.tasks t where t.id = any (p_task_ids))
  ) then
    return p_task_ids;
  end if;

  -- Nodes 1 to n are the tasks, after them a start and an end for each story.
  with tasks as (
    select t.id, t.story_id, x.place::integer as node
    from unnest(p_task_ids) with ordinality x (id, place) join public.tasks t on t.id = x.id
  ), stories as (
    select s.story_id as id, v_count + 2 * row_number() over (order by s.first)::integer as ending
    from (select t.story_id, min(t.node) as first from tasks t group by t.story_id) s
  ), needs (node, need) as (
    select b.node, a.node from public.task_dependencies d join tasks b on b.id = d.blocked_id join tasks a on a.id = d.blocker_id
    union all
    select t.node, s.ending - 1 from tasks t join stories s on s.id = t.story_id
    union all
    select b.ending - 1, a.ending from public.story_dependencies d
    join stories b on b.id = d.blocked_id join stories a on a.id = d.blocker_id
    union all
    select s.ending, t.node from tasks t join stories s on s.id = t.story_id
  )
  select v_count + 2 * (select count(*) from stories), array_agg(n.node order by n.node, n.need), array_agg(n.need order by n.node, n.need)
  into v_nodes, v_from, v_needs
  from needs n;

  v_state := array_fill(0, array[v_nodes]);
  v_next := array_fill(1, array[v_nodes]);
  v_last := array_fill(0, array[v_nodes]);
  for v_edge in 1 .. coalesce(cardinality(v_from), 0) loop
    v_node := v_from[v_edge];
    if v_last[v_node] = 0 then
      v_next[v_node] := v_edge;
    end if;
    v_last[v_node] := v_edge;
  end loop;

  for v_start in 1 .. v_count loop
    continue when v_state[v_start] > 0;
    v_state[v_start] := 1;
    v_depth := 1;
    v_stack[1] := v_start;
    while v_depth > 0 loop
      v_node := v_stack[v_depth];
      if v_next[v_node] <= v_last[v_node] then
        v_need := v_needs[v_next[v_node]];
        v_next[v_node] := v_next[v_node] + 1;
        if v_state[v_need] = 0 then
          v_state[v_need] := 1;
          v_depth := v_depth + 1;
          v_stack[v_depth] := v_need;
        end if;
        continue;
      end if;
      v_depth := v_depth - 1;
      if v_node <= v_count then
        v_placed := v_placed + 1;
        v_ordered[v_placed] := p_task_ids[v_node];
      end if;
    end loop;
  end loop;
  return v_ordered;
end;
$function$;

CREATE OR REPLACE FUNCTION private.order_runs(p_product_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run_id uuid;
begin
  for v_run_id in
    select r.id from public.sprint_runs r where r.product_id = p_product_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED') order by r.id
  loop
    with waiting as (
      select array_agg(j.task_id order by j.position) as ids, array_agg(j.position order by j.position) as places
      from public.agent_jobs j
      where j.sprint_run_id = v_run_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'QUEUED' and j.attempt = 0
    ), ordered as (
      select x.id, w.places[x.place] as position
      from waiting w cross join lateral unnest(private.order_by_dependencies(w.ids)) with ordinality x (id, place)
    )
    update public.agent_jobs j
    set position = o.position
    from ordered o
    where j.sprint_run_id = v_run_id and j.task_id = o.id and j.position <> o.position;
    perform private.pass_turn(v_run_id, l.lane_id)
    from (select distinct j.lane_id from public.agent_jobs j where j.sprint_run_id = v_run_id and j.status = 'QUEUED') l;

    with waiting as (
      select array_agg(e.task_id order by e.position) as ids, array_agg(e.position order by e.position) as places
      from public.task_executions e where e.sprint_run_id = v_run_id and e.status = 'PENDING'
    ), ordered as (
      select x.id, w.places[x.place] as position
      from waiting w cross join lateral unnest(private.order_by_dependencies(w.ids)) with ordinality x (id, place)
    )
    update public.task_executions e
    set position = o.position
    from ordered o
    where e.sprint_run_id = v_run_id and e.task_id = o.id and e.position <> o.position;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.own_fields(p_kind text, p_row jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case p_kind
    when 'task' then p_row - '{id,product_id,sort_order,created_at,updated_at}'::text[]
    when 'story' then p_row - '{id,product_id,status,sort_order,created_at,updated_at}'::text[]
    when 'pbi' then jsonb_build_object('is_blocked', p_row ->> 'status' = 'BLOCKED')
      || (p_row - '{id,product_id,status,pr_url,pr_merged_at,idea_id,created_at,updated_at}'::text[])
  end;
$function$;

CREATE OR REPLACE FUNCTION private.own_session_id()
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select s.id from public.user_sessions s
    where s.id = private.current_session_id() and s.user_id = auth.uid());
end;
$function$;

CREATE OR REPLACE FUNCTION private.park_job(p_job public.agent_jobs, p_question_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.agent_jobs j
  set status = 'QUEUED', parked_question_id = p_question_id, failure_class = null, failure_reason = null
  where j.id = p_job.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pass_review(p_job_id uuid, p_words text)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_criterion private.proven_criterion;
begin
  perform private.require_review(v_job);
  if private.is_token() then
    perform private.refuse(403, 'This job waits for a person: sign in and approve it there. An API token can send comments and request changes.');
  end if;
  for v_criterion in
    select c.* from unnest(private.stories_to_finish(v_job)) s (id) cross join lateral private.story_proof(s.id) c
    where c.state <> 'waived' and not (c.state = 'proven' and c.grade = 'person')
  loop
    perform private.insert_evidence(v_criterion.story_id, jsonb_build_object('criterion', v_criterion.id, 'verdict', 'pass',
      'excerpt', coalesce(nullif(left(btrim(p_words), 2000), ''), 'Approved.')), 'person', null, v_job,
      coalesce(private.username(auth.uid()), 'somebody'));
  end loop;
  update public.agent_jobs j set status = 'DONE' where j.id = p_job_id returning j.* into v_job;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pass_turn(p_sprint_run_id uuid, p_lane_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_next_id uuid;
begin
  select n.id into v_next_id
  from public.agent_jobs n
  where n.sprint_run_id = p_sprint_run_id and n.lane_id = p_lane_id
    and n.status = 'QUEUED' and not n.in_turn and n.open_blockers = 0 and n.phase <> 'review'
  order by n.position
  limit 1;
  if v_next_id is null then
    return;
  end if;

  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = p_sprint_run_id and j.lane_id = p_lane_id
    and j.in_turn and j.status = 'QUEUED' and j.open_blockers > 0
    and (j.attempt = 0 or exists (
      select from private.task_blockers b
      join public.tasks t on b.blocker_id in (t.id, t.story_id)
      join public.agent_jobs w on w.task_id = t.id and w.sprint_run_id = j.sprint_run_id and w.lane_id = j.lane_id
      where b.task_id = j.task_id and not b.resolved and w.status = 'QUEUED'));
  if found then
    update public.agent_jobs j set in_turn = true where j.id = v_next_id;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pause_for_budget(p_run public.sprint_runs, p_budget public.budgets, p_job_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_spent numeric := private.budget_spent(p_budget);
  v_raise_by numeric := private.budget_raise(p_budget);
  v_begun text;
  v_context jsonb;
  v_question_id uuid;
begin
  select string_agg(t.code, ', ' order by j.position) into v_begun
  from public.agent_jobs j join public.tasks t on t.id = j.task_id
  where j.sprint_run_id = p_run.id and j.status = 'QUEUED' and j.stopped_by_budget_id = p_budget.id;
  v_context := jsonb_build_object('reason', 'budget', 'pr_url', null, 'conflict_files', '[]'::jsonb, 'budget_id', p_budget.id,
    'unit', p_budget.unit, 'amount', p_budget.amount, 'spent', round(v_spent, 6), 'raise_by', v_raise_by);

  insert into public.agent_questions (product_id, story_id, task_id, sprint_run_id, assignee_id, question, options)
  select p_run.product_id, t.story_id, t.id, p_run.id, p.owner_id,
    format('The budget of %s is reached: %s of %s used.%s How should it go on?', private.budget_name(p_budget),
      private.budget_amount_text(v_spent, p_budget.unit), private.budget_amount_text(p_budget.amount, p_budget.unit),
      coalesce(' ' || left(v_begun, 500) || ' was stopped; its work is kept.', '')),
    jsonb_build_array(
      jsonb_build_object('label', 'Raise by ' || private.budget_amount_text(v_raise_by, p_budget.unit),
        'description', 'To ' || private.budget_amount_text(p_budget.amount + v_raise_by, p_budget.unit) || '. The run goes on.'),
      case when v_begun is not null or p_run.pr_strategy = 'SPRINT_BATCH'
        then jsonb_build_object('label', 'Finish what was begun', 'description', 'Whatever it takes; then the run waits again.')
        else jsonb_build_object('label', 'Do one more task', 'description', 'Whatever it takes; then the run waits again.') end,
      jsonb_build_object('label', 'Stop here', 'description', 'The run is cancelled. What is done stays done.'))
  from public.agent_jobs j
  join public.tasks t on t.id = j.task_id
  join public.products p on p.id = p_run.product_id
  where j.sprint_run_id = p_run.id
  order by (j.id is not distinct from p_job_id) desc, (j.stopped_by_budget_id is not null) desc, (j.status = 'QUEUED') desc, j.position
  limit 1
  returning id into v_question_id;

  update public.sprint_runs r
  set status = 'PAUSED', pause_context = v_context, pause_question_id = v_question_id
  where r.id = p_run.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pause_run(p_run public.sprint_runs, p_reason text, p_pr_url text, p_conflict_files jsonb, p_job_id uuid, p_task_codes text[] DEFAULT '{}'::text[])
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_files jsonb := coalesce(p_conflict_files, '[]');
  v_text text;
  v_run public.sprint_runs;
begin
  if jsonb_typeof(v_files) <> 'array' or jsonb_array_length(v_files) > 500 or length(v_files::text) > 65536
    or exists (select from jsonb_array_elements(v_files) f where jsonb_typeof(f) <> 'string') then
    perform private.refuse(422, 'conflict_files must be a list of at most 500 paths.');
  end if;

  v_text := left(format('The run of sprint %s is paused (%s).%s%s%s Resume the run when it can go on, or cancel it.',
    (select s.code from public.sprints s where s.id = p_run.sprint_id), replace(p_reason, '_', ' '),
    case when p_task_codes <> '{}' then format(' %s does not merge%s, also after two tries.', p_task_codes[1], ' with ' || p_task_codes[2]) else '' end,
    case when jsonb_array_length(v_files) > 0
      then ' In conflict: ' || left((select string_agg(f, ', ') from jsonb_array_elements_text(v_files) f), 1500) || '.' else '' end,
    case when p_pr_url is not null then ' Pull request: ' || p_pr_url || '.' else '' end), 4000);

  update public.sprint_runs r
  set status = 'PAUSED',
      pause_context = jsonb_build_object('reason', p_reason, 'pr_url', p_pr_url, 'conflict_files', v_files)
        || case when p_task_codes <> '{}' then jsonb_build_object('tasks', p_task_codes) else '{}' end,
      pause_question_id = private.open_pause_question(p_run, p_job_id, v_text)
  where r.id = p_run.id
  returning * into v_run;
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pause_sprint_run(p_sprint_run_id uuid, p_reason text, p_pr_url text, p_conflict_files jsonb, p_job_id uuid, p_attempt integer, p_release boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs := private.lock_run(p_sprint_run_id);
  v_reason text := btrim(coalesce(p_reason, 'paused_by_person'));
  v_job public.agent_jobs;
begin
  perform private.require_link('pr_url', p_pr_url);
  if v_reason = '' or char_length(v_reason) > 500 then
    perform private.refuse(422, 'reason takes 1 to 500 characters.');
  end if;
  if p_job_id is not null then
    v_job := private.hold_job(p_job_id, p_attempt);
    if v_job.sprint_run_id is distinct from p_sprint_run_id then
      perform private.refuse(422, 'This job does not belong to the run. Name one of its jobs, or none.');
    end if;
  end if;
  if v_run.status not in ('QUEUED', 'RUNNING') then
    perform private.refuse(409, format('Only a run that is queued or running can be paused; this one is %s.', lower(v_run.status::text)));
  end if;

  v_run := private.pause_run(v_run, v_reason, p_pr_url, p_conflict_files, v_job.id);
  if v_job.id is not null and p_release then
    update public.agent_jobs j
    set status = 'QUEUED', failure_class = null, pr_url = coalesce(p_pr_url, j.pr_url)
    where j.id = v_job.id;
  end if;
  return private.run_json(v_run, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.phase_after(p_job public.agent_jobs)
 RETURNS public.job_phase
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_required public.done_requires;
  v_stories uuid[];
  v_missing jsonb;
begin
  select p.done_requires into v_required from public.products p where p.id = p_job.product_id;
  if p_job.phase = 'verify' then
    return private.phase_after_verify(p_job, v_required);
  end if;
  if v_required = 'none' or p_job.kind = 'PLAN_CHAT' then
    return null;
  end if;
  v_stories := private.stories_to_finish(p_job);
  if v_stories = '{}' then
    return null;
  end if;
  v_missing := private.missing_proof(v_stories, v_required::text::public.evidence_grade);
  case v_required
    when 'worker' then
      if v_missing is not null then
        perform private.refuse_unproven(v_missing);
      end if;
      return null;
    when 'other_worker' then
      return case when v_missing is not null then 'verify'::public.job_phase end;
    else
      return case when v_missing is not null or not private.has_criteria(v_stories) then 'review'::public.job_phase end;
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.phase_after_verify(p_job public.agent_jobs, p_required public.done_requires)
 RETURNS public.job_phase
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_stories uuid[] := private.stories_to_finish(p_job);
  v_missing jsonb := private.missing_proof(v_stories, 'other_worker');
  v_silent jsonb;
begin
  if p_required = 'person' then
    return 'review';
  end if;
  if v_missing is null or p_required <> 'other_worker' then
    return null;
  end if;
  select jsonb_agg(m.issue) into v_silent
  from jsonb_array_elements(v_missing) m (issue)
  where not exists (
    select from public.evidence e
    where e.job_id = p_job.id and e.attempt = p_job.attempt and e.story_id = (m.issue ->> 'story_id')::uuid
      and e.criterion = m.issue ->> 'path');
  if v_silent is not null then
    perform private.refuse(422, 'Not verified yet: give a verdict for each criterion (evidence: criterion, verdict, and the command that you ran or what you looked at), then report done again.',
      jsonb_build_object('issues', v_silent));
  end if;
  return 'implement';
end;
$function$;

CREATE OR REPLACE FUNCTION private.preflight_sprint_run(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
  v_product public.products;
  v_blockers jsonb;
  v_tasks bigint := (select count(*) from private.sprint_scope(p_sprint_id));
begin
  perform private.require_access('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_sprint.product_id;
  v_blockers := private.run_blockers(v_sprint, v_product);
  return json_build_object(
    'sprint_id', p_sprint_id,
    'sprint_code', v_sprint.code,
    'pr_strategy', v_product.pr_strategy,
    'ready', v_blockers = '[]',
    'tasks_total', v_tasks,
    'jobs_total', case when v_product.pr_strategy = 'SPRINT_BATCH' then least(1, v_tasks) else v_tasks end,
    'blockers', v_blockers,
    'warnings', private.budget_warnings(v_sprint));
end;
$function$;

CREATE OR REPLACE FUNCTION private.previous_failure(p_job public.agent_jobs)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(p_job.failure_reason, (
    select j.failure_reason from public.agent_jobs j
    where p_job.kind = 'TASK_IMPLEMENTATION' and j.task_id = p_job.task_id and j.status = 'FAILED' and j.id <> p_job.id
    order by j.finished_at desc limit 1));
end;
$function$;

CREATE OR REPLACE FUNCTION private.price_usage(p_usage jsonb, OUT rates jsonb, OUT cost numeric, OUT currency text, OUT source text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_price public.model_prices;
  v_reported numeric := (p_usage ->> 'cost')::numeric;
  v_counts record;
begin
  select m.* into v_price from public.model_prices m where m.model_id = p_usage ->> 'model_id';
  if v_price.model_id is not null then
    rates := jsonb_build_object('input', v_price.input_per_million, 'output', v_price.output_per_million,
      'cache_read', v_price.cache_read_per_million, 'cache_write', v_price.cache_write_per_million, 'currency', v_price.currency);
  end if;
  if v_reported is not null then
    cost := v_reported;
    currency := coalesce(p_usage ->> 'currency', 'USD');
    source := 'reported';
    return;
  end if;
  source := 'unpriced';
  select * into v_counts from jsonb_to_record(p_usage)
    as e (input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint);
  if v_price.model_id is null
    or num_nonnulls(v_counts.input_tokens, v_counts.output_tokens, v_counts.cache_read_tokens, v_counts.cache_write_tokens) = 0 then
    return;
  end if;
  cost := (coalesce(v_counts.input_tokens, 0) * v_price.input_per_million
    + coalesce(v_counts.output_tokens, 0) * v_price.output_per_million
    + coalesce(v_counts.cache_read_tokens, 0) * v_price.cache_read_per_million
    + coalesce(v_counts.cache_write_tokens, 0) * v_price.cache_write_per_million) / 1000000;
  currency := v_price.currency;
  source := 'list_price';
end;
$function$;

CREATE OR REPLACE FUNCTION private.products_past_due()
 RETURNS uuid[]
 LANGUAGE sql
 SET search_path TO ''
AS $function$
  select array(
    select j.product_id from public.agent_jobs j
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= private.now()
    union
    select q.product_id from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at <= private.now() and (q.park or q.on_expiry <> 'STOP')
    union
    select d.product_id from private.products_with_due_budgets() as d (product_id)
    order by 1);
$function$;

CREATE OR REPLACE FUNCTION private.products_with_due_budgets()
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select distinct b.product_id from public.budgets b
    where b.due_at is not null or (b.reached_at is not null and b.period is not null and not private.is_budget_reached(b));
end;
$function$;

CREATE OR REPLACE FUNCTION private.products_without_consent(p_user_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('id', x.id, 'code', x.code, 'name', x.name) order by x.name, x.id)
    from (
      select p.id, p.code, p.name
      from public.product_members m
      join public.products p on p.id = m.product_id and p.archived_at is null
      where m.user_id = p_user_id and not m.workers_allowed
        and exists (
          select from private.claimable_jobs j
          where j.product_id = p.id and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id))
      order by p.name, p.id
      limit 10
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.promote_idea(p_idea_id uuid, p_product_id uuid, p_title text, p_description text, p_code text, p_priority integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := coalesce(p_product_id, private.require_idea_write(p_idea_id));
  v_idea public.ideas;
  v_pbi_id uuid := gen_random_uuid();
begin
  perform private.require_idea_write(p_idea_id);
  perform private.require_write('product', v_product_id);
  select i.* into v_idea from public.ideas i where i.id = p_idea_id for update;

  if v_idea.status = 'PLANNED' then
    raise exception using errcode = 'PT409', message = format('Idea %s was promoted already. Go on with %s.', v_idea.code,
      coalesce((select b.code from public.pbis b where b.idea_id = p_idea_id limit 1), 'another idea'));
  end if;
  if v_idea.archived_at is not null then
    raise exception using errcode = 'PT409', message = format('Idea %s is archived. Restore it first.', v_idea.code);
  end if;

  insert into public.pbis (id, product_id, code, title, description, priority, idea_id)
  values (v_pbi_id, v_product_id, p_code, coalesce(p_title, v_idea.title), coalesce(p_description, v_idea.description),
    coalesce(p_priority, 3), p_idea_id);
  update public.ideas i set status = 'PLANNED', pbi_id = v_pbi_id where i.id = p_idea_id;

  return json_build_object(
    'idea', (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id),
    'pbi', (select row_to_json(b) from private.pbi_shape b where b.id = v_pbi_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.proof_count(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (
    select from public.stories s join public.products p on p.id = s.product_id
    where s.id = p_story_id and (p.done_requires <> 'none' or exists (select from public.evidence e where e.story_id = s.id))
  ) then
    return null;
  end if;
  return (
    select json_build_array(count(*) filter (where c.state in ('proven', 'waived')), count(*))
    from private.story_proof(p_story_id) c having count(*) > 0);
end;
$function$;

CREATE OR REPLACE FUNCTION private.proof_gap(p_task_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select private.missing_proof(array[t.story_id], 'worker')
    from public.tasks t
    join public.products p on p.id = t.product_id
    where t.id = p_task_id and p.done_requires = 'worker' and private.finishes_story(t.id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.proof_json(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_head public.story_heads;
begin
  select h.* into v_head from public.story_heads h where h.story_id = p_story_id;
  return (
    select json_build_object('story_id', s.id, 'done_requires', p.done_requires, 'head_sha', v_head.head_sha,
      'criteria', (
        select coalesce(json_agg(json_build_object('id', c.id, 'kind', c.kind, 'text', c.text, 'state', c.state, 'grade', c.grade,
          'waiver', (select private.waiver_json(w) from public.waivers w where w.story_id = s.id and w.criterion = c.id),
          'evidence', (
            select coalesce(json_agg(private.evidence_json(y.e, not private.is_fresh(y.e, v_head)) order by (y.e).seq desc), '[]')
            from (select e from public.evidence e where e.story_id = s.id and e.criterion = c.id order by e.seq desc limit 20) y)
        ) order by c.place), '[]')
        from private.story_proof(s.id) c),
      'former', (
        select coalesce(json_agg(json_build_object('id', f.criterion, 'text', f.criterion_text,
          'waiver', (select private.waiver_json(w) from public.waivers w where w.story_id = s.id and w.criterion = f.criterion),
          'evidence', (
            select coalesce(json_agg(private.evidence_json(y.e, true) order by (y.e).seq desc), '[]')
            from (select e from public.evidence e where e.story_id = s.id and e.criterion = f.criterion order by e.seq desc limit 5) y)
        )), '[]')
        from (
          select o.criterion, min(o.criterion_text) as criterion_text
          from (
            select e.criterion, e.criterion_text, false as waived, e.created_at from public.evidence e where e.story_id = s.id
            union all
            select w.criterion, w.criterion_text, true, w.created_at from public.waivers w where w.story_id = s.id
          ) o
          where o.criterion not in (select c.id from private.criteria_of(s.acceptance_criteria, p.definition_of_done) c)
          group by o.criterion
          order by bool_or(o.waived) desc, max(o.created_at) desc
          limit 50
        ) f))
    from public.stories s
    join public.products p on p.id = s.product_id
    where s.id = p_story_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.put_budget(p_product_id uuid, p_scope text, p_period text, p_target_id uuid, p_unit text, p_amount numeric)
 RETURNS public.budgets
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_scope text := lower(private.require_choice('scope', p_scope, array['PRODUCT', 'SPRINT', 'RUN', 'TASK']));
  v_period text := lower(private.require_choice('period', p_period, array['DAY', 'WEEK', 'MONTH']));
  v_budget public.budgets;
begin
  if v_scope is null or (v_scope = 'product') <> (v_period is not null) then
    perform private.refuse(422, 'A budget of a product has a period: day, week or month; one of a sprint, run or task has none.');
  end if;
  if (v_scope = 'product') <> (p_target_id is null) then
    perform private.refuse(422, format('Name the %s that the budget is for.', coalesce(v_scope, 'scope')));
  end if;
  if coalesce(p_unit, '') !~ '^(tokens|[A-Z]{3})$' then
    perform private.refuse(422, 'unit is tokens, or a currency as three capital letters.');
  end if;
  if p_amount is null or p_amount <= 0 or p_amount > 1000000000000 then
    perform private.refuse(422, 'amount must be more than 0 and at most 1000000000000.');
  end if;
  if v_scope = 'sprint' and not exists (select from public.sprints s where s.id = p_target_id and s.product_id = p_product_id)
    or v_scope = 'run' and not exists (select from public.sprint_runs r where r.id = p_target_id and r.product_id = p_product_id)
    or v_scope = 'task' and not exists (select from public.tasks t where t.id = p_target_id and t.product_id = p_product_id) then
    perform private.refuse(422, format('There is no such %s in this product.', v_scope));
  end if;

  select b.* into v_budget from public.budgets b
  where b.product_id = p_product_id and b.scope = v_scope and b.period is not distinct from v_period and b.unit = p_unit
    and coalesce(b.sprint_id, b.sprint_run_id, b.task_id) is not distinct from p_target_id;
  if not found then
    insert into public.budgets (product_id, scope, period, sprint_id, sprint_run_id, task_id, unit, amount, due_at, created_by)
    values (p_product_id, v_scope, v_period, case when v_scope = 'sprint' then p_target_id end,
      case when v_scope = 'run' then p_target_id end, case when v_scope = 'task' then p_target_id end, p_unit, p_amount,
      private.now(), auth.uid())
    returning * into v_budget;
    perform private.audit(auth.uid(), auth.uid(), 'budget.set', jsonb_build_object('product_id', p_product_id,
      'budget', private.budget_name(v_budget), 'unit', p_unit, 'amount', p_amount));
  else
    perform private.raise_budget(v_budget, p_amount);
  end if;
  perform private.settle_budgets(p_product_id);
  select b.* into v_budget from public.budgets b where b.id = v_budget.id;
  return v_budget;
end;
$function$;

CREATE OR REPLACE FUNCTION private.question_target(p_story_id uuid, p_idea_id uuid, p_task_id uuid, OUT p_story uuid, OUT p_product uuid)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  p_story := p_story_id;
  if p_task_id is not null then
    perform private.require_access('task', p_task_id);
    p_story := coalesce(p_story_id, (select t.story_id from public.tasks t where t.id = p_task_id));
  end if;
  if num_nonnulls(p_story, p_idea_id) <> 1 then
    perform private.refuse(422, 'A question is bound to exactly one of story_id and idea_id (a task_id stands for its story).');
  end if;
  if p_idea_id is not null then
    p_product := private.require_own_idea(p_idea_id);
    perform private.require_product_access(p_product);
    return;
  end if;
  p_product := private.require_access('story', p_story);
  if p_task_id is not null and not exists (select from public.tasks t where t.id = p_task_id and t.story_id = p_story) then
    perform private.refuse(422, 'The task does not belong to the story. Leave story_id out: task_id stands for its story.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.raise_budget(p_budget public.budgets, p_amount numeric)
 RETURNS public.budgets
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
begin
  update public.budgets b
  set amount = p_amount, warned_at = case when p_amount > b.amount then null else b.warned_at end,
      overshoot = greatest(b.overshoot, private.budget_spent(b) - b.amount),
      reached_at = case when private.budget_spent(b) < p_amount then null else b.reached_at end,
      due_at = private.now()
  where b.id = p_budget.id
  returning b.* into v_budget;
  perform private.audit(auth.uid(), auth.uid(), 'budget.changed', jsonb_build_object('product_id', v_budget.product_id,
    'budget', private.budget_name(v_budget), 'unit', v_budget.unit, 'from', p_budget.amount, 'to', p_amount));
  return v_budget;
end;
$function$;

CREATE OR REPLACE FUNCTION private.rate_limit(p_action text, OUT p_max integer, OUT p_seconds integer)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  select l.max_count, l.seconds
  into p_max, p_seconds
  from (
    values
      -- per client address (login also the failed tries of an account, or of a browser it was signed in on)
      ('login', 10, 60),
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('member_lookup', 10, 3600),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('dependency', 120, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('change', 120, 60),
      ('undo', 60, 60),
      ('api_token', 10, 3600),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      ('inbox', 240, 60),
      ('saved_view', 60, 60),
      ('job_comment', 120, 60),
      ('job_review', 60, 60),
      -- per job
      ('job_output', 240, 60),
      ('job_diff', 30, 60),
      ('job_conflict', 30, 60),
      ('job_merged', 30, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.read_job_stream(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
begin
  perform private.require_stream_product(v_job.product_id);
  return json_build_object('viewer', private.stream_viewer(),
    'job', private.job_json(v_job) || jsonb_build_object('attempts', private.attempts_json(p_job_id)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.record_evidence(p_job public.agent_jobs, p_evidence jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_line jsonb;
  v_place integer := -1;
  v_story_id uuid;
  v_worker text;
  v_grade public.evidence_grade;
begin
  if p_evidence is null or p_job.kind = 'PLAN_CHAT' then
    return;
  end if;
  select w.name into v_worker from public.agent_workers w where w.id = p_job.worker_id;
  for v_line in select jsonb_array_elements(p_evidence) loop
    v_place := v_place + 1;
    v_story_id := private.story_of_line(p_job, v_line, v_place);
    v_grade := case when p_job.phase = 'verify' then 'other_worker'
      when v_line ->> 'grade' = 'worker' then 'worker' else 'said' end;
    perform private.check_observation(v_line, v_grade, v_place);
    perform private.insert_evidence(v_story_id, v_line, v_grade, v_place, p_job, coalesce(v_worker, 'a worker'));
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.record_usage(p_job public.agent_jobs, p_attempt integer, p_report private.job_report)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_has_totals boolean := num_nonnulls(p_report.input_tokens, p_report.output_tokens, p_report.cache_read_tokens,
    p_report.cache_write_tokens) > 0;
begin
  if not v_has_totals and num_nonnulls(p_report.model_id, p_report.events) = 0 then
    return p_job;
  end if;
  if p_report.events is not null then
    perform private.record_usage_event(p_job, p_attempt, e.value) from jsonb_array_elements(p_report.events) e;
  end if;
  perform private.record_usage_total(p_job, p_attempt, p_report);
  delete from public.usage_so_far s
  where s.job_id = p_job.id and s.attempt = p_attempt and (v_has_totals or s.after_seq < (
    select max((e.value ->> 'seq')::bigint) from jsonb_array_elements(p_report.events) e));
  return private.sum_usage(p_job.id, p_report.model_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.record_usage_event(p_job public.agent_jobs, p_attempt integer, p_event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_priced record;
begin
  select * into v_priced from private.price_usage(p_event);
  insert into public.usage_events (product_id, job_id, task_id, sprint_run_id, worker_id, attempt, seq, model_id,
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reported_cost, rates, cost, currency, source, estimated,
    subscription)
  select p_job.product_id, p_job.id, p_job.task_id, p_job.sprint_run_id, p_job.worker_id, p_attempt,
    (p_event ->> 'seq')::bigint, left(p_event ->> 'model_id', 200), e.input_tokens, e.output_tokens, e.cache_read_tokens,
    e.cache_write_tokens, (p_event ->> 'cost')::numeric, v_priced.rates, v_priced.cost, v_priced.currency, v_priced.source,
    coalesce((p_event ->> 'estimated')::boolean, false), coalesce((p_event ->> 'subscription')::boolean, false)
  from jsonb_to_record(p_event)
    as e (input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint)
  on conflict (job_id, attempt, seq) do nothing;
end;
$function$;

CREATE OR REPLACE FUNCTION private.record_usage_total(p_job public.agent_jobs, p_attempt integer, p_report private.job_report)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_so_far record;
begin
  if least(p_report.input_tokens, p_report.output_tokens, p_report.cache_read_tokens, p_report.cache_write_tokens) < 0 then
    perform private.refuse(422, 'Token counts must not be negative.');
  end if;
  if num_nonnulls(p_report.input_tokens, p_report.output_tokens, p_report.cache_read_tokens, p_report.cache_write_tokens) = 0 then
    return;
  end if;
  select sum(e.input_tokens) as input, sum(e.output_tokens) as output, sum(e.cache_read_tokens) as cache_read,
    sum(e.cache_write_tokens) as cache_write, least(coalesce(min(e.seq), 0), 0) - 1 as seq
  into v_so_far
  from public.usage_events e
  where e.job_id = p_job.id and e.attempt = p_attempt;

  if coalesce(p_report.input_tokens = v_so_far.input, p_report.input_tokens is null)
    and coalesce(p_report.output_tokens = v_so_far.output, p_report.output_tokens is null)
    and coalesce(p_report.cache_read_tokens = v_so_far.cache_read, p_report.cache_read_tokens is null)
    and coalesce(p_report.cache_write_tokens = v_so_far.cache_write, p_report.cache_write_tokens is null) then
    return;
  end if;
  perform private.record_usage_event(p_job, p_attempt, jsonb_build_object(
    'seq', v_so_far.seq, 'model_id', coalesce(p_report.model_id, p_job.model_id),
    'input_tokens', p_report.input_tokens - coalesce(v_so_far.input, 0), 'output_tokens', p_report.output_tokens - coalesce(v_so_far.output, 0),
    'cache_read_tokens', p_report.cache_read_tokens - coalesce(v_so_far.cache_read, 0),
    'cache_write_tokens', p_report.cache_write_tokens - coalesce(v_so_far.cache_write, 0)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.recount_blockers(p_task_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job_ids uuid[];
begin
  select array_agg(l.id) into v_job_ids
  from (
    select j.id
    from public.agent_jobs j
    where j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
      and j.id in (
        select a.id from public.agent_jobs a where a.task_id = any (p_task_ids) and a.kind = 'TASK_IMPLEMENTATION'
        union all
        select a.id from public.task_executions e
        join public.agent_jobs a on a.sprint_run_id = e.sprint_run_id and a.kind = 'SPRINT_IMPLEMENTATION'
        where e.task_id = any (p_task_ids)
      )
    order by j.id
    for update
  ) l;
  if v_job_ids is null then
    return;
  end if;

  update public.agent_jobs j
  set open_blockers = c.open_blockers
  from (
    select a.id, private.count_open_blockers(a) as open_blockers from public.agent_jobs a where a.id = any (v_job_ids)
  ) c
  where j.id = c.id and j.open_blockers <> c.open_blockers;
  if found then
    perform private.pass_turn(j.sprint_run_id, j.lane_id)
    from (select distinct a.sprint_run_id, a.lane_id from public.agent_jobs a where a.id = any (v_job_ids) order by 1, 2) j;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_attempt(p_job public.agent_jobs, p_attempt integer, p_state text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.refuse(409, private.attempt_words(p_job, p_attempt, p_state),
    jsonb_build_object('state', p_state, 'status', lower(p_job.status::text), 'attempt', p_job.attempt));
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_cycle(p_kind text, p_blocked_id uuid, p_blocker_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_path text[];
begin
  if p_kind = 'task' then
    v_path := private.find_path('task', p_blocked_id, 'task', p_blocker_id);
  else
    v_path := private.find_path('start', p_blocked_id, 'end', p_blocker_id);
  end if;
  if v_path is null then
    return;
  end if;
  v_path := v_path[cardinality(v_path)] || v_path;
  perform private.refuse(409, format('That would go round in a circle: %s. Remove one of these dependencies first.',
    array_to_string(v_path, ' waits for ')), jsonb_build_object('path', v_path));
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_evidence(p_place integer, p_field text, p_message text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.refuse(422, p_message, jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
    'path', case when p_place is null then p_field else format('evidence.%s.%s', p_place, p_field) end, 'message', p_message))));
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_moved_cycle(p_task_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_path text[] := private.find_path('task', p_task_id, 'task', p_task_id);
begin
  if v_path is null then
    return;
  end if;
  perform private.refuse(409, format('In that story it would wait for itself: %s. Remove one of these dependencies first.',
    array_to_string(v_path, ' waits for ')), jsonb_build_object('path', v_path));
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_unproven(p_missing jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.refuse(422, format('Not done yet: %s of the story %s not proven. Send evidence for each (update_job_status, evidence) that a worker has seen, then report done again.',
      case jsonb_array_length(p_missing) when 1 then '1 criterion' else jsonb_array_length(p_missing) || ' criteria' end,
      case jsonb_array_length(p_missing) when 1 then 'is' else 'are' end),
    jsonb_build_object('issues', p_missing));
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_waiting(p_task_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_codes text[] := array(
    select b.code from private.task_blockers b where b.task_id = p_task_id and not b.resolved order by b.sort_order, b.code);
begin
  if v_codes <> '{}' then
    perform private.refuse(409, format('This task waits for %s. Do that first.', array_to_string(v_codes, ', ')),
      jsonb_build_object('blocked_by', v_codes));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reject_review(p_job_id uuid)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_busy boolean;
begin
  perform private.require_review(v_job);
  v_busy := private.is_lane_held(v_job.sprint_run_id, v_job.lane_id);
  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = v_job.sprint_run_id and j.lane_id = v_job.lane_id and j.id <> v_job.id
    and j.status = 'QUEUED' and j.in_turn and j.phase = 'implement';
  update public.agent_jobs j
  set phase = 'implement', claim_rank = 0, in_turn = not v_busy, verify_result = null
  where j.id = p_job_id
  returning j.* into v_job;
  perform private.reopen_tasks(v_job, private.stories_to_finish(v_job));
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.release_held_tasks(p_sprint_run_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.tasks t set status = 'DONE'
  from public.products p
  where p.id = t.product_id and p.done_requires in ('other_worker', 'person')
    and t.id in (select h.id from private.held_tasks(p_sprint_run_id) h);
end;
$function$;

CREATE OR REPLACE FUNCTION private.released()
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_codes jsonb := nullif(current_setting('backloom.released', true), '')::jsonb;
begin
  if v_codes is null then
    return '{}';
  end if;
  return jsonb_build_object('released', (select jsonb_agg(distinct c) from jsonb_array_elements(v_codes) c));
end;
$function$;

CREATE OR REPLACE FUNCTION private.remember_change(p_kind text, p_thing_id uuid, p_product_id uuid, p_code text, p_before jsonb, p_after jsonb, p_lost text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_session_id uuid := (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id')::uuid;
  v_known integer := coalesce(nullif(current_setting('backloom.remembered_changes', true), ''), '0')::integer;
begin
  if v_session_id is null or v_known > 1000 or current_setting('backloom.undoing', true) = 'yes' then
    return;
  end if;

  if v_known = 0 then
    delete from private.changes c
    where c.session_id = v_session_id and c.changed_at < private.now() - interval '1 minute';
  end if;
  insert into private.changes (session_id, product_id, kind, thing_id, code, before, after, lost)
  values (v_session_id, p_product_id, p_kind, p_thing_id, p_code, p_before, p_after,
    case when v_known = 1000 then 'more than 1,000 things' else p_lost end);
  perform set_config('backloom.remembered_changes', (v_known + 1)::text, true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.remove_dependency(p_kind text, p_id uuid, p_blocker text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := private.parse_choice('kind', p_kind, '{task,story}');
  v_product_id uuid := private.require_write(v_kind, p_id);
  v_blocker_id uuid := private.find_blocker(v_kind, v_product_id, p_blocker);
begin
  if v_kind = 'task' then
    delete from public.task_dependencies d where d.blocked_id = p_id and d.blocker_id = v_blocker_id;
  else
    delete from public.story_dependencies d where d.blocked_id = p_id and d.blocker_id = v_blocker_id;
  end if;
  return private.dependencies_json(v_kind, p_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.remove_stale_rows()
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_counters integer;
  v_sessions integer;
  v_pairings integer;
  v_notices integer;
  v_outputs integer;
  v_diffs integer;
  v_workers integer;
begin
  delete from public.rate_limit_counters c where c.window_start < v_now - interval '2 hours';
  get diagnostics v_counters = row_count;
  delete from public.user_sessions s where least(s.expires_at, s.revoked_at) < v_now - interval '30 days';
  get diagnostics v_sessions = row_count;
  delete from private.changes c where c.changed_at < v_now - interval '1 minute';
  delete from public.login_pairings l where l.created_at < v_now - interval '1 day';
  get diagnostics v_pairings = row_count;
  delete from public.notices n where n.status <> 'PENDING' and n.created_at < v_now - interval '30 days';
  get diagnostics v_notices = row_count;
  delete from public.job_outputs o
  where (o.job_id, o.attempt, o.seq) in (
    select x.job_id, x.attempt, x.seq from public.job_outputs x
    where x.created_at < v_now - interval '14 days' order by x.created_at limit 20000);
  get diagnostics v_outputs = row_count;
  delete from public.job_diffs d
  where d.created_at < v_now - interval '14 days'
    and exists (select from public.job_diffs n where n.job_id = d.job_id and n.attempt > d.attempt);
  get diagnostics v_diffs = row_count;
  perform private.keep_usage_so_far(x.job_id, x.attempt)
  from (
    select distinct s.product_id, s.job_id, s.attempt from public.usage_so_far s
    where s.told_at < v_now - interval '1 hour' and not exists (
      select from public.agent_jobs j where j.id = s.job_id and j.attempt = s.attempt and j.status in ('CLAIMED', 'RUNNING'))
  ) x
  -- Whoever writes lines of the ledger holds a share of its product; one that is busy is looked at the next time.
  where private.try_share_product(x.product_id);
  delete from public.agent_workers w
  where w.last_seen_at < v_now - interval '30 days'
    and not exists (select from public.agent_jobs j where j.worker_id = w.id)
    and not exists (select from public.job_attempts a where a.worker_id = w.id);
  get diagnostics v_workers = row_count;
  return jsonb_build_object('rate_limit_counters', v_counters, 'user_sessions', v_sessions, 'login_pairings', v_pairings,
    'notices', v_notices, 'job_outputs', v_outputs, 'job_diffs', v_diffs, 'agent_workers', v_workers);
end;
$function$;

CREATE OR REPLACE FUNCTION private.reopen_job(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_is_held boolean := private.is_lane_held(p_job.sprint_run_id, p_job.lane_id);
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    perform private.refuse(409, 'This batch is over. Make a task of what should change.');
  end if;
  if p_job.status not in ('DONE', 'SKIPPED') then
    return;
  end if;
  if not exists (
    select from public.sprint_runs r where r.id = p_job.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED'))
  then
    update public.tasks t set status = 'TO_DO' where t.id = p_job.task_id and t.status in ('DONE', 'REVIEW');
    return;
  end if;

  update public.agent_jobs j set in_turn = false
  where j.sprint_run_id = p_job.sprint_run_id and j.lane_id = p_job.lane_id and j.id <> p_job.id
    and j.status = 'QUEUED' and j.in_turn and j.phase = 'implement';
  update public.agent_jobs j
  set status = 'QUEUED', phase = 'implement', claim_rank = 0, in_turn = not v_is_held, verify_result = null,
      retry_count = 0, failure_class = null, failure_reason = null, parked_question_id = null, not_before = null
  where j.id = p_job.id;
  update public.tasks t set status = 'IN_PROGRESS' where t.id = p_job.task_id and t.status in ('DONE', 'REVIEW');
end;
$function$;

CREATE OR REPLACE FUNCTION private.reopen_tasks(p_job public.agent_jobs, p_story_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_held uuid[];
begin
  if p_job.kind <> 'SPRINT_IMPLEMENTATION' then
    update public.tasks t set status = 'IN_PROGRESS' where t.id = p_job.task_id and t.status = 'REVIEW';
    return;
  end if;
  v_held := array(select t.id from private.held_tasks(p_job.sprint_run_id) t where t.story_id = any (p_story_ids));
  update public.tasks t set status = 'IN_PROGRESS' where t.id = any (v_held);
  update public.task_executions e set status = 'PENDING', started_at = null
  where e.sprint_run_id = p_job.sprint_run_id and e.task_id = any (v_held);
end;
$function$;

CREATE OR REPLACE FUNCTION private.repeats_report(p_job public.agent_jobs, p_state text, p_status text, p_class public.failure_class, p_result public.verify_result)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case p_state
    when 'finished' then p_job.status::text = p_status or (p_job.status = 'SKIPPED' and p_status = 'DONE' and p_result = 'EMPTY')
    when 'handed_over' then p_status = 'DONE'
    when 'requeued' then p_status = 'FAILED' and p_class = 'rate_limited'
    else false
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_agent_job(p_job_id uuid, p_attempt integer, p_report jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_now timestamptz := private.now();
  v_report private.job_report := jsonb_populate_record(null::private.job_report, p_report);
  v_status text := private.require_choice('status', v_report.status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED']);
  v_class public.failure_class;
  v_job public.agent_jobs := private.lock_job(p_job_id, v_status in ('RUNNING', 'DONE', 'SKIPPED'));
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next public.agent_job_status;
  v_phase public.job_phase;
begin
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped.');
  end if;
  perform private.require_link('pr_url', v_report.pr_url);
  v_class := lower(private.require_choice('failure_class', v_report.failure_class,
    array['AGENT_ERROR', 'VERIFICATION_FAILED', 'RATE_LIMITED', 'INFRASTRUCTURE', 'CANCELLED']));
  v_result := coalesce(private.require_choice('verify_result', v_report.verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_job.verify_result);

  if v_state <> 'held' then
    if private.repeats_report(v_job, v_state, v_status, v_class, v_result) then
      -- The end of a task may have ended its batch before: what this report knows besides is not lost.
      if v_state = 'finished' then
        update public.agent_jobs j set failure_class = v_class
        where j.id = p_job_id and j.kind = 'SPRINT_IMPLEMENTATION' and j.status = 'FAILED' and v_class is not null;
        select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
        v_job := private.record_usage(v_job, p_attempt, v_report);
        perform private.note_attempt(v_job, v_report);
      end if;
      return private.job_json(v_job);
    end if;
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;

  -- Whoever only looks at the work of another moves nothing, and does not fail it by failing to look.
  if v_job.phase = 'verify' then
    v_report := private.verifiers_report(v_report);
  end if;
  if v_report.evidence is not null then
    perform private.record_evidence(v_job, v_report.evidence);
  end if;
  v_next := case v_status
    when 'RUNNING' then 'RUNNING'
    when 'FAILED' then case when v_class = 'rate_limited' or (v_job.phase = 'verify' and v_job.retry_count < 3)
      then 'QUEUED' else 'FAILED' end
    else private.finish_outcome(v_job, v_status, v_result)::text
  end::public.agent_job_status;
  if v_job.kind = 'PLAN_CHAT' and v_next = 'DONE' then
    perform private.answer_chat(v_job, v_report.summary);
  end if;
  perform private.record_usage(v_job, p_attempt, v_report);
  perform private.note_attempt(v_job, v_report);
  if v_report.head_sha is not null and v_job.kind = 'TASK_IMPLEMENTATION' then
    perform private.note_head((select t.story_id from public.tasks t where t.id = v_job.task_id), v_job, v_report.head_sha);
  end if;
  v_phase := case when v_next = 'DONE' then private.phase_after(v_job) end;
  if v_phase is not null then
    v_next := 'QUEUED';
  end if;

  update public.agent_jobs j
  set status = v_next,
      started_at = coalesce(j.started_at, v_now),
      lease_until = v_now + private.lease(),
      phase = coalesce(v_phase, j.phase),
      claim_rank = case when v_phase is null then j.claim_rank else 0 end,
      author_worker_id = case when v_phase = 'verify' then j.worker_id else j.author_worker_id end,
      retry_count = j.retry_count + case when v_status = 'FAILED' and v_next = 'QUEUED' and v_class is distinct from 'rate_limited' then 1 else 0 end,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      summary = coalesce(left(v_report.summary, 20000), j.summary),
      failure_class = case when v_status = 'FAILED' then coalesce(v_class, 'agent_error') end,
      failure_reason = case when v_status = 'FAILED'
        then left(coalesce(v_report.failure_reason, v_report.summary, 'The worker gave no reason.'), 4000) end,
      not_before = case when v_next = 'QUEUED' and v_status = 'FAILED' then greatest(coalesce(v_report.resets_at, v_now + interval '5 minutes'), v_now) end,
      base_sha = coalesce(j.base_sha, left(v_report.base_sha, 64)),
      head_sha = coalesce(left(v_report.head_sha, 64), j.head_sha),
      branch = coalesce(j.branch, left(v_report.branch, 200)),
      pushed_at = coalesce(v_report.pushed_at, j.pushed_at),
      pr_url = coalesce(v_report.pr_url, j.pr_url)
  where j.id = p_job_id
  returning j.* into v_job;

  if v_phase is not null then
    perform private.enter_phase(v_job);
    select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  end if;
  return private.job_json(v_job) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_job_conflict(p_job_id uuid, p_attempt integer, p_conflict jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.hold_job(p_job_id, p_attempt);
  v_kind text := lower(private.require_choice('kind', p_conflict ->> 'kind', array['BRANCH', 'BASE', 'SIBLING']));
  v_branch text := coalesce(p_conflict ->> 'branch', '');
  v_rival public.agent_jobs;
  v_decision text;
begin
  if v_job.kind = 'PLAN_CHAT' or v_job.sprint_run_id is null then
    perform private.refuse(422, 'Only work of a run can be in conflict.');
  end if;
  perform private.take_rate_limit('job_conflict', p_job_id::text);
  perform private.require_link('pr_url', p_conflict ->> 'pr_url');
  if v_kind = 'sibling' then
    v_rival := private.conflict_rival(v_job, v_branch, p_conflict ->> 'theirs_sha');
  end if;
  v_decision := private.decide_conflict(v_job, v_kind, v_branch, v_rival,
    coalesce((p_conflict ->> 'in_vain')::boolean, false));

  if v_decision = 'noted' then
    perform private.note_conflict(v_rival, v_job, p_conflict || jsonb_build_object('branch', v_job.branch,
      'ours_sha', p_conflict -> 'theirs_sha', 'theirs_sha', p_conflict -> 'ours_sha',
      'files', (select jsonb_agg(f || jsonb_build_object('ours', f -> 'theirs', 'theirs', f -> 'ours'))
        from jsonb_array_elements(p_conflict -> 'files') f)), 'noted');
  elsif v_decision <> 'go_on' then
    perform private.note_conflict(v_job, v_rival, p_conflict, v_decision);
    perform private.note_attempt(v_job, jsonb_populate_record(null::private.job_report, p_conflict));
    perform private.send_conflict_home(v_job, v_rival, p_conflict, v_decision = 'paused');
  end if;
  return json_build_object('decision', case v_decision when 'noted' then 'go_on' else v_decision end,
    'task_id', v_rival.task_id, 'task_code', (select t.code from public.tasks t where t.id = v_rival.task_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_job_usage(p_job_id uuid, p_attempt integer, p_usage jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_state text := private.attempt_state(v_job, p_attempt);
begin
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  if v_state = 'held' then
    update public.agent_jobs j set lease_until = private.now() + private.lease() where j.id = p_job_id returning j.* into v_job;
  end if;
  -- A statement of its own: what follows must see the new lines.
  v_job := private.record_usage(v_job, p_attempt, jsonb_populate_record(null::private.job_report, p_usage));
  perform private.sum_budgets(v_job);
  return private.job_json(v_job);
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_merged(p_job_id uuid, p_head_sha text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
begin
  if not private.is_token() then
    perform private.require_product_owner(v_job.product_id);
  elsif p_head_sha is null then
    perform private.refuse(422, 'head_sha names the commit that you found on the main branch.');
  end if;
  perform private.take_rate_limit('job_merged', p_job_id::text);
  if v_job.kind = 'PLAN_CHAT' or v_job.finished_at is null or (v_job.kind = 'TASK_IMPLEMENTATION' and v_job.status <> 'DONE') then
    perform private.refuse(409, 'The work of this job is not done, so it cannot have been merged.');
  end if;
  if p_head_sha is not null and p_head_sha is distinct from v_job.head_sha then
    perform private.refuse(409, format('The work of this job stands at %s now. Say it of that, once it is on the main branch.',
      coalesce(left(v_job.head_sha, 8), 'no commit')));
  end if;
  if v_job.merged_at is null then
    update public.agent_jobs j set merged_at = private.now() where j.id = p_job_id returning j.* into v_job;
    if not private.is_token() then
      perform private.audit(auth.uid(), auth.uid(), 'job.merged', jsonb_build_object('product_id', v_job.product_id, 'job_id', v_job.id,
        'code', (select t.code from public.tasks t where t.id = v_job.task_id), 'head_sha', v_job.head_sha));
      perform private.remember_change('job', v_job.id, v_job.product_id, private.code_of('job', v_job.id),
        '{"merged_at": null}', jsonb_build_object('merged_at', v_job.merged_at));
    end if;
  end if;
  return jsonb_build_object('job_id', v_job.id, 'merged_at', v_job.merged_at) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION private.reports_usage(p_worker_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_last public.job_attempts;
begin
  select a.* into v_last from public.job_attempts a
  where a.worker_id = p_worker_id and a.outcome in ('done', 'failed') order by a.ended_at desc limit 1;
  return v_last.job_id is null
    or exists (select from public.usage_events e where e.job_id = v_last.job_id and e.attempt = v_last.attempt);
end;
$function$;

CREATE OR REPLACE FUNCTION private.requeue_lost_job(p_job public.agent_jobs, p_reason text)
 RETURNS public.agent_job_status
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.agent_job_status;
begin
  update public.agent_jobs j
  set status = case when j.retry_count >= 3 then 'FAILED' else 'QUEUED' end::public.agent_job_status,
      retry_count = least(j.retry_count + 1, 3),
      failure_class = 'infrastructure',
      failure_reason = case when j.retry_count >= 3 then 'All 3 retries are used up. ' else '' end || p_reason,
      lease_until = null
  where j.id = p_job.id and j.attempt = p_job.attempt and j.status in ('CLAIMED', 'RUNNING')
  returning j.status into v_status;

  return v_status;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_admin()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not private.is_admin() then
    raise exception using errcode = 'PT403', message = 'Only administrators may do this. Ask one of them.';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_blocker(p_kind text, p_product_id uuid, p_reference text)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := private.find_blocker(p_kind, p_product_id, p_reference);
begin
  if v_id is null then
    perform private.refuse(422, format('No %s %s in this product. Name one by its id or code.', p_kind, private.one_line(p_reference)),
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'blocked_by',
        'message', format('Not a %s of this product.', p_kind)))));
  end if;
  return v_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_budget_left(p_run public.sprint_runs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
begin
  if p_run.pause_context ->> 'reason' <> 'budget' then
    return;
  end if;
  select b.* into v_budget from public.budgets b where b.id = (p_run.pause_context ->> 'budget_id')::uuid;
  if v_budget.id is not null and private.is_budget_reached(v_budget) then
    perform private.refuse(409, format('The budget of %s is used up. Raise it, or answer the question of the run.',
      private.budget_name(v_budget)));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_criterion(p_story_id uuid, p_criterion text, p_place integer)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_text text;
begin
  select c.text into v_text
  from public.stories s
  join public.products p on p.id = s.product_id
  cross join lateral private.criteria_of(s.acceptance_criteria, p.definition_of_done) c
  where s.id = p_story_id and c.id = p_criterion;
  if v_text is null then
    perform private.refuse_evidence(p_place, 'criterion',
      format('The story has no criterion %s: it may have been edited meanwhile. Read the criteria again (GET /api/stories/:id/evidence).',
        coalesce(left(p_criterion, 40), '?')));
  end if;
  return v_text;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_idea_write(p_idea_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_own_idea(p_idea_id);
begin
  if v_product_id in (select private.accessible_product_ids()) then
    perform private.require_product_write(v_product_id);
  else
    perform private.require_no_demo();
  end if;
  return v_product_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_job_reader(p_job_id uuid)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  perform private.require_job(p_job_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  if v_job.kind = 'PLAN_CHAT' and v_job.created_by is distinct from auth.uid() then
    perform private.refuse(403, 'What is said about an idea belongs to whoever asked.');
  end if;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_look(p_look jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_known text[] := '{q,status,sprint,group,as,dense,hide,fold}';
begin
  if jsonb_typeof(p_look) is distinct from 'object' or p_look - v_known <> '{}' then
    perform private.refuse(422, 'look may hold q, status, sprint, group, as, dense, hide and fold.');
  end if;
  if exists (
    select from jsonb_each(p_look) e
    where jsonb_typeof(e.value) <> 'string' or char_length(e.value #>> '{}') > case e.key when 'fold' then 1000 else 200 end
  ) then
    perform private.refuse(422, 'Each part of a look is a text of at most 200 characters, fold of 1000.');
  end if;
  return (select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(p_look) e where e.value <> '""');
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_own_idea(p_idea_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_idea public.ideas;
begin
  select i.* into v_idea from public.ideas i where i.id = p_idea_id;

  if v_idea.id is null then
    raise exception using errcode = 'PT404', message = 'No such idea.';
  end if;

  if v_idea.user_id is distinct from auth.uid() then
    raise exception using errcode = 'PT403', message = 'This idea belongs to somebody else. Ask them, or note one of your own.';
  end if;

  return v_idea.product_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_own_view(p_view_id uuid)
 RETURNS public.saved_views
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_view public.saved_views;
begin
  select v.* into v_view
  from public.saved_views v
  where v.id = p_view_id and (v.user_id is null or v.user_id = auth.uid());
  if not found then
    perform private.refuse(404, 'No such view.');
  end if;
  perform private.require_write('product', v_view.product_id);
  if not private.may_change_view(v_view) then
    perform private.refuse(403, 'A shared view is changed by whoever made it and by the owner of the product. Save one of your own.');
  end if;
  perform private.take_rate_limit('saved_view', auth.uid()::text);
  -- Anew, under the lock.
  select v.* into v_view from public.saved_views v where v.id = p_view_id;
  if not found then
    perform private.refuse(404, 'No such view.');
  end if;
  return v_view;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_person()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if nullif(current_setting('request.jwt.claims', true), '')::jsonb ? 'token_id' then
    perform private.refuse(403, 'Budgets are set by people: sign in, an API token may only read them.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_product_owner(p_product_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);

  if not exists (
    select from public.product_members m
    where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'OWNER'
  ) then
    raise exception using errcode = 'PT403', message = 'Only the owner of the product may do this. Ask them.';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_product_write(p_product_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_archived boolean;
  v_demo boolean;
begin
  -- Both in one statement: every write asks this.
  select p.archived_at is not null, u.is_demo into v_archived, v_demo
  from public.products p
  left join public.users u on u.id = auth.uid()
  where p.id = p_product_id;

  if v_demo is distinct from false then
    perform private.require_no_demo();
  end if;
  if v_archived then
    raise exception using errcode = 'PT403',
      message = 'This product is archived and can only be read. Restore it to make changes.';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_proof(p_task_id uuid, p_status public.task_status)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_missing jsonb;
begin
  if p_status is distinct from 'DONE' or not private.is_token() then
    return;
  end if;
  select private.missing_proof(array[t.story_id], p.done_requires::text::public.evidence_grade) into v_missing
  from public.tasks t
  join public.products p on p.id = t.product_id
  where t.id = p_task_id and p.done_requires <> 'none' and private.finishes_story(t.id);
  if v_missing is not null then
    perform private.refuse_unproven(v_missing);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_review(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_job.status <> 'QUEUED' or p_job.phase <> 'review' then
    perform private.refuse(409, format('This job does not wait for a review: it is %s%s.', lower(p_job.status::text),
      case when p_job.status = 'QUEUED' and p_job.phase = 'implement' then ' to be worked on again' else '' end),
      jsonb_build_object('status', lower(p_job.status::text), 'phase', p_job.phase));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_reviewable(p_job public.agent_jobs, p_verdict text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_earlier public.job_reviews;
begin
  select r.* into v_earlier from public.job_reviews r
  where r.job_id = p_job.id and r.attempt = p_job.attempt
  order by r.created_at desc, r.id limit 1;
  if v_earlier.id is not null and not (v_earlier.verdict = 'approve' and p_verdict = 'approve') then
    perform private.refuse(409, format(case v_earlier.verdict
        when 'approve' then '%s has approved attempt %s already. What should change now is a task of its own.'
        else '%s has requested changes of attempt %s already. Look again when they have come.' end,
      v_earlier.author, v_earlier.attempt), jsonb_build_object('verdict', v_earlier.verdict));
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    perform private.refuse(409, 'A worker is at it. Review the job when its attempt has ended.');
  end if;
  if p_job.attempt = 0 or (p_job.status = 'QUEUED' and p_job.phase <> 'review') then
    perform private.refuse(409, 'This job waits to be worked on. Review it when an attempt has ended.');
  end if;
  if p_verdict = 'approve' and p_job.status in ('FAILED', 'CANCELLED') then
    perform private.refuse(409, format('This job is %s: there is nothing to approve.', lower(p_job.status::text)));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_reviewer(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'PLAN_CHAT' then
    perform private.refuse(422, 'A talk about an idea has no changes to review. Go on with it on the page of the idea.');
  end if;
  if private.is_token() and exists (
    select from public.job_attempts a join public.agent_workers w on w.id = a.worker_id
    where a.job_id = p_job.id and w.user_id = auth.uid())
  then
    perform private.refuse(403, 'A worker does not review its own work. Sign in and review it on its page.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_view_name(p_product_id uuid, p_page text, p_user_id uuid, p_name text, p_except uuid)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_name text := btrim(p_name);
  v_others integer;
begin
  if coalesce(v_name, '') = '' or char_length(v_name) > 60 or v_name ~ '[[:cntrl:]]' then
    perform private.refuse(422, 'A view has a name of 1 to 60 characters in one line.');
  end if;
  if exists (
    select from public.saved_views v
    where v.product_id = p_product_id and v.page = p_page and v.user_id is not distinct from p_user_id
      and lower(v.name) = lower(v_name) and v.id is distinct from p_except
  ) then
    perform private.refuse(409, format('There is a view "%s" already. Change that one, or choose another name.', private.one_line(v_name)));
  end if;
  select count(*) into v_others
  from public.saved_views v
  where v.product_id = p_product_id and v.user_id is not distinct from p_user_id and v.id is distinct from p_except;
  if v_others >= 50 then
    perform private.refuse(409, 'A product keeps 50 shared views, and 50 of each member. Delete one that nobody uses.');
  end if;
  return v_name;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reserve_budget(p_job public.agent_jobs, p_rooms private.budget_room[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_tasks integer := 1;
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    select count(*) into v_tasks from public.task_executions e
    where e.sprint_run_id = p_job.sprint_run_id and e.status in ('PENDING', 'RUNNING');
  end if;
  insert into public.budget_reservations as r (job_id, unit, attempt, product_id, amount)
  select p_job.id, x.unit, p_job.attempt, p_job.product_id, least(greatest(v_tasks, 1) * x.need, x.amount)
  from private.budget_left(p_job, p_rooms) x
  on conflict (job_id, unit) do update
  set attempt = excluded.attempt, amount = excluded.amount, seen = 0, step = 0;
end;
$function$;

CREATE OR REPLACE FUNCTION private.restart_worker(p_worker text, p_stopped boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers := private.ensure_worker(v_user_id, p_worker);
  v_products uuid[];
  v_product_id uuid;
  v_job public.agent_jobs;
  v_closed jsonb := '[]';
  v_status public.agent_job_status;
begin
  v_products := array(
    select distinct j.product_id from public.agent_jobs j
    where j.worker_id = v_worker.id and j.status in ('CLAIMED', 'RUNNING') order by 1);
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;

  -- What the worker claimed since, in a product that is not locked, belongs to its new life.
  for v_job in
    select j.* from public.agent_jobs j
    where j.worker_id = v_worker.id and j.status in ('CLAIMED', 'RUNNING') and j.product_id = any (v_products) order by j.claimed_at, j.id for update
  loop
    v_status := case
      when p_stopped then private.give_back_job(v_job)
      else private.requeue_lost_job(v_job, format('Worker %s restarted during attempt %s.', v_worker.name, v_job.attempt))
    end;
    if v_status is not null then
      v_closed := v_closed || jsonb_build_object('id', v_job.id, 'attempt', v_job.attempt, 'status', lower(v_status::text));
    end if;
  end loop;

  perform private.touch_worker(v_worker.id, null, null, null);
  return json_build_object('worker_id', v_worker.id, 'closed', v_closed);
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_fields(p_change private.changes)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now jsonb;
  v_task public.tasks;
  v_story public.stories;
  v_pbi public.pbis;
begin
  if p_change.kind = 'job' then
    return private.restore_unmerged(p_change);
  end if;

  case p_change.kind
    when 'task' then
      select t.* into v_task from public.tasks t where t.id = p_change.thing_id;
      v_now := private.own_fields('task', to_jsonb(v_task));
    when 'story' then
      select s.* into v_story from public.stories s where s.id = p_change.thing_id;
      v_now := private.own_fields('story', to_jsonb(v_story));
    else
      select b.* into v_pbi from public.pbis b where b.id = p_change.thing_id;
      v_now := private.own_fields('pbi', to_jsonb(v_pbi));
  end case;
  if v_now is null or v_now ->> 'code' is null then
    return 'was deleted since';
  end if;
  if exists (select from jsonb_each(p_change.after) a where a.value is distinct from v_now -> a.key) then
    return 'was changed since';
  end if;

  case p_change.kind
    when 'task' then
      v_task := jsonb_populate_record(v_task, p_change.before);
      update public.tasks t
      set (story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only, verify_required,
          requires_opus, estimated_minutes) =
        (v_task.story_id, v_task.code, v_task.title, v_task.description, v_task.implementation_plan, v_task.priority,
          v_task.status, v_task.repo_url, v_task.verify_only, v_task.verify_required, v_task.requires_opus,
          v_task.estimated_minutes)
      where t.id = p_change.thing_id;
    when 'story' then
      v_story := jsonb_populate_record(v_story, p_change.before);
      update public.stories s
      set (pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id) =
        (v_story.pbi_id, v_story.code, v_story.title, v_story.description, v_story.acceptance_criteria, v_story.priority,
          v_story.sprint_id, v_story.assignee_id)
      where s.id = p_change.thing_id;
    else
      v_pbi := jsonb_populate_record(v_pbi, p_change.before);
      -- READY lifts a block; what the stories call for is put.
      v_pbi.status := case p_change.before ->> 'is_blocked' when 'true' then 'BLOCKED' when 'false' then 'READY'
        else v_pbi.status::text end::public.pbi_status;
      update public.pbis b
      set (code, title, description, priority, sort_order, status) =
        (v_pbi.code, v_pbi.title, v_pbi.description, v_pbi.priority, v_pbi.sort_order, v_pbi.status)
      where b.id = p_change.thing_id;
  end case;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_thing(p_change private.changes)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_claims text := current_setting('request.jwt.claims', true);
begin
  perform set_config('request.jwt.claims', '', true);
  case p_change.kind
    when 'pbi' then
      insert into public.pbis select * from jsonb_populate_record(null::public.pbis, p_change.before);
    when 'story' then
      insert into public.stories select * from jsonb_populate_record(null::public.stories, p_change.before);
    else
      insert into public.tasks select * from jsonb_populate_record(null::public.tasks, p_change.before);
      delete from public.task_status_changes c where c.task_id = p_change.thing_id;
      insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status, changed_at)
      select h.task_id, h.story_id, h.product_id, h.sprint_id, h.from_status, h.to_status, h.changed_at
      from jsonb_populate_recordset(null::public.task_status_changes, p_change.before -> 'history') h
      order by h.id;
  end case;
  perform set_config('request.jwt.claims', v_claims, true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_unmerged(p_change private.changes)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
  v_begun text;
begin
  select j.* into v_job from public.agent_jobs j where j.id = p_change.thing_id for update;
  if not found then
    return 'was deleted since';
  end if;
  perform private.require_product_owner(v_job.product_id);
  if v_job.merged_at is distinct from (p_change.after ->> 'merged_at')::timestamptz then
    return 'was changed since';
  end if;

  select string_agg(distinct private.code_of('job', a.id), ', ') into v_begun
  from public.agent_jobs a
  where a.product_id = v_job.product_id and a.claimed_at >= p_change.changed_at
    and private.tasks_of_job(a) && private.waiting_for(private.tasks_of_job(v_job));
  if v_begun is not null then
    return format('freed what an agent has begun since (%s)', v_begun);
  end if;

  update public.agent_jobs j set merged_at = null where j.id = v_job.id;
  perform private.audit(auth.uid(), auth.uid(), 'job.merge_taken_back', jsonb_build_object('product_id', v_job.product_id,
    'job_id', v_job.id, 'code', p_change.code, 'head_sha', v_job.head_sha));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.resume_batch_run(p_run public.sprint_runs)
 RETURNS public.sprint_runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
begin
  perform private.end_run(p_run, 'CANCELLED', 'The run was resumed as a new one.', null);

  insert into public.sprint_runs (sprint_id, product_id, pr_strategy, branch, previous_run_id, started_by)
  values (p_run.sprint_id, p_run.product_id, p_run.pr_strategy, p_run.branch, p_run.id, auth.uid())
  returning * into v_run;

  insert into public.task_executions (sprint_run_id, task_id, position, plan_snapshot, verify_required)
  select v_run.id, e.task_id, e.position,
    case when t.implementation_plan ~ '\S' then t.implementation_plan else e.plan_snapshot end, t.verify_required
  from public.task_executions e
  join public.tasks t on t.id = e.task_id
  where e.sprint_run_id = p_run.id and e.status in ('PENDING', 'RUNNING', 'FAILED');
  -- What was at work keeps its place in the old run; here it is to do again, and comes after what it waits for by now.
  perform private.order_runs(v_run.product_id);
  perform private.create_batch_job(v_run);
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.resume_sprint(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_previous public.sprint_runs;
  v_other text;
  v_blockers jsonb;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  if v_sprint.status <> 'FAILED' then
    perform private.refuse(409, format('Only a failed sprint can be resumed; %s is %s.', v_sprint.code, lower(v_sprint.status::text)));
  end if;
  select s.code into v_other from public.sprints s where s.product_id = v_product_id and s.status = 'ACTIVE';
  if found then
    perform private.refuse(409, format('Sprint %s is active. Complete it first: a product has one active sprint.', v_other));
  end if;

  -- Stories and PBIs follow their tasks out of failed.
  update public.tasks t set status = 'TO_DO'
  from public.stories s
  where s.id = t.story_id and s.sprint_id = p_sprint_id and t.status = 'FAILED';
  update public.sprints s set status = 'ACTIVE' where s.id = p_sprint_id returning * into v_sprint;

  if not exists (select from private.sprint_scope(p_sprint_id)) then
    return null;
  end if;

  select p.* into v_product from public.products p where p.id = v_product_id;
  v_blockers := private.run_blockers(v_sprint, v_product);
  if v_blockers <> '[]' then
    perform private.refuse(409, private.blockers_sentence(v_blockers), jsonb_build_object('blockers', v_blockers));
  end if;

  select r.* into v_previous from public.sprint_runs r
  where r.sprint_id = p_sprint_id and r.status = 'FAILED' order by r.created_at desc, r.id desc limit 1;
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, v_previous);
  return private.run_json(v_run, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.resume_sprint_run(p_sprint_run_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs := private.lock_run(p_sprint_run_id);
begin
  if v_run.status <> 'PAUSED' then
    perform private.refuse(409, format('Only a paused run can be resumed; this one is %s.', lower(v_run.status::text)));
  end if;
  perform private.require_budget_left(v_run);
  perform private.close_question(v_run.pause_question_id);
  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.continue_run(v_run);
  return private.run_json(v_run, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_costs(p_runs uuid[], p_story_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
    from (
      select e.currency, round(sum(e.cost), 6) as cost
      from public.usage_events e
      where e.sprint_run_id = any(p_runs) and e.cost is not null and not e.subscription
        and (p_story_id is null or (
          e.task_id in (select t.id from public.tasks t where t.story_id = p_story_id)
          and not exists (select from public.agent_jobs j where j.id = e.job_id and j.kind = 'SPRINT_IMPLEMENTATION')))
      group by e.currency
    ) s
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_evidence(p_story_id uuid, p_criterion text, p_evidence_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_evidence public.evidence;
begin
  select e.* into v_evidence
  from public.evidence e
  where e.story_id = p_story_id and e.criterion = p_criterion and (p_evidence_id is null or e.id = p_evidence_id)
  order by e.seq desc limit 1;
  if v_evidence.id is null then
    return '[]';
  end if;
  v_evidence.excerpt := left(v_evidence.excerpt, 600);
  return json_build_array(private.evidence_json(v_evidence,
    not private.is_fresh(v_evidence, (select h from public.story_heads h where h.story_id = p_story_id))));
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_job(p_job_id uuid, p_verdict text, p_summary text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_verdict text := lower(private.require_choice('verdict', p_verdict, array['APPROVE', 'REQUEST_CHANGES']));
  v_summary text := coalesce(btrim(p_summary), '');
  v_review public.job_reviews;
begin
  perform private.require_reviewer(v_job);
  perform private.take_rate_limit('job_review', auth.uid()::text);
  perform private.require_reviewable(v_job, v_verdict);
  if v_verdict = 'request_changes' and v_summary = '' and not exists (
    select from public.job_comments c where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null)
  then
    perform private.refuse(422, 'Say what should change: comment on a line, or write it into the summary.');
  end if;

  insert into public.job_reviews (job_id, product_id, attempt, verdict, summary, author_id, author)
  values (p_job_id, v_job.product_id, v_job.attempt, v_verdict, v_summary, auth.uid(),
    coalesce(private.username(auth.uid()), 'somebody'))
  returning * into v_review;
  update public.job_comments c set review_id = v_review.id
  where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null;

  if v_job.status = 'QUEUED' and v_verdict = 'approve' then
    perform private.pass_review(p_job_id, v_summary);
  elsif v_job.status = 'QUEUED' then
    perform private.reject_review(p_job_id);
  elsif v_verdict = 'request_changes' then
    perform private.reopen_job(v_job);
  end if;
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  perform private.emit('product:' || v_job.product_id, jsonb_build_object('op', 'U', 'entity', 'job', 'id', p_job_id,
    'product_id', v_job.product_id, 'changed_fields', jsonb_build_array('review'), 'task_id', v_job.task_id, 'idea_id', null,
    'kind', v_job.kind, 'status', v_job.status, 'sprint_run_id', v_job.sprint_run_id));
  return private.review_json(v_review) || jsonb_build_object('job', private.job_json(v_job));
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_json(p_review public.job_reviews)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('id', p_review.id, 'job_id', p_review.job_id, 'attempt', p_review.attempt,
    'verdict', p_review.verdict, 'summary', p_review.summary, 'author_id', p_review.author_id, 'author', p_review.author,
    'created_at', p_review.created_at);
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_payload(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_review public.job_reviews;
begin
  select x.* into v_review
  from (
    select r.*
    from public.agent_jobs j join public.job_reviews r on r.job_id = j.id
    where p_job.kind <> 'PLAN_CHAT' and j.kind = p_job.kind
      and (j.id = p_job.id or (p_job.kind = 'TASK_IMPLEMENTATION' and j.task_id = p_job.task_id))
    union all
    select r.* from public.job_reviews r
    where p_job.kind = 'TASK_IMPLEMENTATION' and r.task_id = p_job.task_id
  ) x
  order by x.created_at desc, x.id limit 1;
  if v_review.id is null or v_review.verdict <> 'request_changes' then
    return '[]';
  end if;
  return (
    select coalesce(json_agg(json_build_object('path', x.path, 'line', x.line, 'side', x.side, 'line_text', x.line_text,
      'body', x.body, 'author', x.author) order by x.created_at, x.id), '[]')
    from (
      select null as path, null::integer as line, null as side, null as line_text, v_review.summary as body,
        v_review.author, '-infinity'::timestamptz as created_at, v_review.id
      where v_review.summary <> ''
      union all
      select c.path, c.line, c.side, c.line_text, c.body, c.author, c.created_at, c.id
      from public.job_comments c where c.review_id = v_review.id
    ) x);
end;
$function$;

CREATE OR REPLACE FUNCTION private.reviewed_job(p_job public.agent_jobs)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('id', p_job.id, 'status', lower(p_job.status::text), 'additions', p_job.additions,
    'deletions', p_job.deletions, 'pr_url', p_job.pr_url,
    'task_code', (select t.code from public.tasks t where t.id = p_job.task_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.reviewed_story(p_story public.stories, p_sprint_id uuid, p_runs uuid[])
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object(
    'id', p_story.id, 'code', p_story.code, 'title', p_story.title, 'status', lower(p_story.status::text),
    'left', p_story.sprint_id is distinct from p_sprint_id,
    'assignee_name', private.username(p_story.assignee_id),
    'tasks', (
      select json_build_array(count(*) filter (where t.status = 'DONE'), count(*)) from public.tasks t where t.story_id = p_story.id),
    'criteria', (
      select coalesce(json_agg(json_build_object('id', c.id, 'kind', c.kind, 'text', left(c.text, 1000), 'state', c.state,
        'grade', c.grade,
        'waiver', (select private.waiver_json(w) from public.waivers w where w.story_id = p_story.id and w.criterion = c.id),
        'evidence', private.review_evidence(p_story.id, c.id, c.evidence_id)) order by c.place), '[]')
      from (select x.* from private.story_proof(p_story.id) x order by x.place limit 50) c),
    'jobs', (
      select coalesce(json_agg(private.reviewed_job(j) order by j.created_at, j.id), '[]')
      from (
        select distinct on (j.task_id) j.*
        from public.tasks t
        join public.agent_jobs j on j.task_id = t.id
        where t.story_id = p_story.id and j.kind = 'TASK_IMPLEMENTATION' and j.sprint_run_id = any(p_runs)
        order by j.task_id, j.additions is null, j.created_at desc limit 100
      ) j),
    'costs', private.review_costs(p_runs, p_story.id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.revoke_pairing(p_pairing_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_pairing public.login_pairings;
begin
  select * into v_pairing from public.login_pairings p
  where p.id = p_pairing_id and p.user_id = auth.uid() for update;
  if not found then
    return false;
  end if;

  if v_pairing.status = 'APPROVED' then
    update public.login_pairings set status = 'CANCELLED' where id = p_pairing_id;
  end if;
  perform private.end_session_chain(v_pairing.session_id);
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.revoke_session(p_session_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select from public.user_sessions s where s.id = p_session_id and s.user_id = auth.uid()) then
    return false;
  end if;
  return private.end_session_chain(p_session_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_blockers(p_sprint public.sprints, p_product public.products)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  return (
    with scope as materialized (select * from private.sprint_scope(p_sprint.id))
    select coalesce(jsonb_agg(jsonb_build_object('type', b.type, 'message', b.message,
      'task_id', b.task_id, 'task_code', b.task_code, 'story_id', b.story_id, 'story_code', b.story_code,
      'pbi_id', b.pbi_id, 'pbi_code', b.pbi_code, 'question_id', b.question_id, 'sprint_run_id', b.run_id)
      order by b.rank, b.place), '[]')
    from (
      select 1 as rank, 0 as place, 'sprint_not_active' as type,
        format('Sprint %s is %s. Start the sprint first.', p_sprint.code, lower(p_sprint.status::text)) as message,
        null::uuid as task_id, null as task_code, null::uuid as story_id, null as story_code,
        null::uuid as pbi_id, null as pbi_code, null::uuid as question_id, null::uuid as run_id
      where p_sprint.status <> 'ACTIVE'
      union all
      select 2, 0, 'no_tasks', format('Sprint %s has no task that is not done.', p_sprint.code),
        null, null, null, null, null, null, null, null
      where not exists (select from scope)
      union all
      select 3, 0, 'run_unfinished',
        format('A run of sprint %s is %s. Wait for it, resume it or cancel it.', p_sprint.code, lower(r.status::text)),
        null, null, null, null, null, null, null, r.id
      from public.sprint_runs r
      where r.sprint_id = p_sprint.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      union all
      select 4, sc.place, 'task_no_plan', format('Task %s has no implementation plan.', sc.task_code),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      -- Each by its key: how long the list is cannot be foreseen, and a plan for many would read all tasks of all products.
      cross join lateral (select k.implementation_plan from public.tasks k where k.id = sc.task_id offset 0) t
      where coalesce(t.implementation_plan, '') !~ '\S'
      union all
      select 5, row_number() over (order by q.created_at, q.id)::integer, 'open_question',
        format('Story %s has an open question: %s', s.code, left(q.question, 200)),
        q.task_id, t.code, s.id, s.code, s.pbi_id, null, q.id, null
      from public.stories s
      join public.agent_questions q on q.story_id = s.id
      left join public.tasks t on t.id = q.task_id
      where s.sprint_id = p_sprint.id and s.status <> 'DONE' and q.status = 'OPEN' and q.expires_at > v_now
      union all
      select distinct on (b.id) case b.status when 'BLOCKED' then 6 else 7 end, 0,
        case b.status when 'BLOCKED' then 'pbi_blocked' else 'pbi_failed' end,
        format('PBI %s is %s.', b.code, lower(b.status::text)),
        null::uuid, null, s.id, s.code, b.id, b.code, null::uuid, null::uuid
      from public.stories s
      cross join lateral (select k.id, k.code, k.status from public.pbis k where k.id = s.pbi_id offset 0) b
      where s.sprint_id = p_sprint.id and s.status <> 'DONE' and b.status in ('BLOCKED', 'FAILED')
      union all
      select 8, sc.place, 'task_cross_repo',
        format('Task %s belongs to %s, and a batch run works in the product''s repository only.', sc.task_code, t.repo_url),
        sc.task_id, sc.task_code, sc.story_id, sc.story_code, sc.pbi_id, null, null, null
      from scope sc
      cross join lateral (select k.repo_url from public.tasks k where k.id = sc.task_id offset 0) t
      where p_product.pr_strategy = 'SPRINT_BATCH'
        and btrim(coalesce(t.repo_url, '')) not in ('', btrim(p_product.repo_url))
    ) b
  ) || private.dependency_blockers(p_sprint.id) || private.deadlock_blockers(p_sprint.id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_json(p_run public.sprint_runs, p_with_jobs boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_totals jsonb;
  v_run jsonb;
  v_costs jsonb := private.costs_of(p_run.product_id, p_run.id);
begin
  select jsonb_build_object(
    'jobs_total', count(*),
    'counts', jsonb_build_object(
      'queued', count(*) filter (where j.status = 'QUEUED'),
      'claimed', count(*) filter (where j.status = 'CLAIMED'),
      'running', count(*) filter (where j.status = 'RUNNING'),
      'done', count(*) filter (where j.status = 'DONE'),
      'failed', count(*) filter (where j.status = 'FAILED'),
      'cancelled', count(*) filter (where j.status = 'CANCELLED'),
      'skipped', count(*) filter (where j.status = 'SKIPPED')),
    'input_tokens', sum(j.input_tokens),
    'output_tokens', sum(j.output_tokens),
    'cache_read_tokens', sum(j.cache_read_tokens),
    'cache_write_tokens', sum(j.cache_write_tokens),
    'costs', v_costs,
    'cost', case when jsonb_array_length(v_costs) = 1 then v_costs -> 0 -> 'cost' end)
  into v_totals
  from public.agent_jobs j
  where j.sprint_run_id = p_run.id;

  v_run := to_jsonb(p_run) || v_totals || jsonb_build_object(
    'status', lower(p_run.status::text),
    'sprint_code', (select s.code from public.sprints s where s.id = p_run.sprint_id),
    'started_by_name', private.username(p_run.started_by));
  if not p_with_jobs then
    return v_run;
  end if;

  return v_run || jsonb_build_object(
    'jobs', (
      select coalesce(jsonb_agg(private.job_json(j) order by j.position, j.id), '[]')
      from public.agent_jobs j where j.sprint_run_id = p_run.id),
    'executions', (
      select coalesce(jsonb_agg(private.execution_json(e) order by e.position), '[]')
      from public.task_executions e where e.sprint_run_id = p_run.id),
    'overlaps', private.run_overlaps(p_run),
    'pause_question', (
      select private.question_json(q) from public.agent_questions q where q.id = p_run.pause_question_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_overlaps(p_run public.sprint_runs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_run.finished_at is not null or p_run.pr_strategy <> 'STORY' or not exists (
    select from public.agent_jobs j where j.sprint_run_id = p_run.id and j.status in ('CLAIMED', 'RUNNING'))
  then
    return '[]';
  end if;
  return (
    with jobs as (
      select j.id, j.branch, j.attempt, j.position, j.status in ('CLAIMED', 'RUNNING') as at_work, t.id as task_id, t.code
      from public.agent_jobs j join public.tasks t on t.id = j.task_id
      where j.sprint_run_id = p_run.id and j.attempt > 0 and j.status in ('QUEUED', 'CLAIMED', 'RUNNING', 'DONE')
      order by at_work desc, j.updated_at desc
      limit 50
    ), files as (
      select j.id, f.file ->> 'path' as path
      from jobs j
      cross join lateral (select d.files from public.job_diffs d where d.job_id = j.id order by d.attempt desc limit 1) d
      cross join lateral jsonb_array_elements(d.files) f (file)
      union
      select j.id, o.path
      from jobs j join public.job_outputs o on o.job_id = j.id and o.attempt = j.attempt
      where j.at_work and o.kind = 'edit' and o.path <> ''
    ), pairs as (
      select a.position, b.position as other_position, a.task_id, a.code, b.task_id as other_id, b.code as other_code,
        (array_agg(x.path order by x.path))[:10] as paths, count(*) as count
      from jobs a
      join jobs b on (a.position, a.id) < (b.position, b.id) and a.branch <> b.branch and (a.at_work or b.at_work)
      join files x on x.id = a.id
      join files y on y.id = b.id and y.path = x.path
      group by a.position, a.id, b.position, b.id, a.task_id, a.code, b.task_id, b.code
      order by a.position, b.position
      limit 20
    )
    select coalesce(jsonb_agg(jsonb_build_object('tasks', jsonb_build_array(
        jsonb_build_object('id', p.task_id, 'code', p.code), jsonb_build_object('id', p.other_id, 'code', p.other_code)),
      'files', p.paths, 'files_total', p.count) order by p.position, p.other_position), '[]')
    from pairs p
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_scope(p_sprint_id uuid)
 RETURNS TABLE(task_id uuid, story_id uuid, story_code text, place integer)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_ordered uuid[] := private.order_by_dependencies(
    (select coalesce(array_agg(s.task_id order by s.place), '{}') from private.sprint_scope(p_sprint_id) s));
begin
  return query
    select x.id, s.id, s.code, x.place::integer
    from unnest(v_ordered) with ordinality x (id, place)
    join public.tasks t on t.id = x.id
    join public.stories s on s.id = t.story_id
    order by x.place;
end;
$function$;

CREATE OR REPLACE FUNCTION private.save_job_diff(p_job_id uuid, p_attempt integer, p_diff jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_files jsonb := p_diff -> 'files';
  v_job public.agent_jobs := private.lock_job(p_job_id, true);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_additions bigint;
  v_deletions bigint;
begin
  if v_job.kind = 'PLAN_CHAT' then
    perform private.refuse(422, 'A talk about an idea changes no files. Report it without a diff.');
  end if;
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  perform private.take_rate_limit('job_diff', p_job_id::text);
  select coalesce(sum((f ->> 'additions')::bigint), 0), coalesce(sum((f ->> 'deletions')::bigint), 0)
  into v_additions, v_deletions
  from jsonb_array_elements(v_files) f;
  if v_additions > 2147483647 or v_deletions > 2147483647 then
    perform private.refuse(422, 'Nobody can look at so many lines. Send the changes without their patches.');
  end if;

  insert into public.job_diffs as d
    (job_id, attempt, product_id, base_sha, head_sha, additions, deletions, files, bytes, created_at)
  values (p_job_id, p_attempt, v_job.product_id, p_diff ->> 'base_sha', p_diff ->> 'head_sha', v_additions, v_deletions,
    v_files, octet_length(v_files::text), private.now())
  on conflict (job_id, attempt) do update
  set base_sha = excluded.base_sha, head_sha = excluded.head_sha, additions = excluded.additions,
      deletions = excluded.deletions, files = excluded.files, bytes = excluded.bytes, created_at = excluded.created_at;
  perform private.make_room_for_diffs(v_job.product_id);

  update public.agent_jobs j
  set additions = v_additions, deletions = v_deletions,
      lease_until = case when v_state = 'held' then private.now() + private.lease() else j.lease_until end
  where j.id = p_job_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.saved_view_json(p_view public.saved_views)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return json_build_object(
    'id', p_view.id, 'product_id', p_view.product_id, 'page', p_view.page, 'name', p_view.name, 'look', p_view.look,
    'shared', p_view.user_id is null, 'may_change', private.may_change_view(p_view), 'created_at', p_view.created_at,
    'updated_at', p_view.updated_at);
end;
$function$;

CREATE OR REPLACE FUNCTION private.saved_views_of(p_product_id uuid, p_page text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(private.saved_view_json(v) order by v.user_id is null, lower(v.name), v.id), '[]')
    from public.saved_views v
    where v.product_id = p_product_id and (p_page is null or v.page = p_page)
      and (v.user_id is null or v.user_id = auth.uid()));
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_blocked(p_query text, p_product_id uuid, p_kind text, p_limit integer, p_offset integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := auth.uid();
  v_asked text := lower(substring(p_query from '(?i)(?:^|\s)blocked:(\S*)'));
  v_words text := trim(regexp_replace(p_query, '(?i)(^|\s)blocked:\S*', ' ', 'g'));
  v_pattern text := '%' || replace(replace(replace(v_words, '\', '\\'), '%', '\%'), '_', '\_') || '%';
  v_found json[];
begin
  select array_agg(row_to_json(r))
  into v_found
  from (
    select h.kind, h.id, h.code, h.title, left(h.description, 200) as excerpt, h.status, h.product_id, p.code as product_code
    from (
      select 'task' as kind, t.id, t.product_id, t.code, t.title, t.description, private.task_status_word(t.status) as status, t.created_at,
        array(select b.code from private.task_blockers b where b.task_id = t.id and not b.resolved) as waits_for
      from public.tasks t
      where (p_kind is null or p_kind = 'task') and t.status <> 'DONE'
        and t.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
        and (p_product_id is null or t.product_id = p_product_id) and (t.code ilike v_pattern or t.title ilike v_pattern)
      union all
      select 'story', s.id, s.product_id, s.code, s.title, s.description, lower(s.status::text), s.created_at,
        array(select b.code from public.story_dependencies d join public.stories b on b.id = d.blocker_id
          where d.blocked_id = s.id and b.status <> 'DONE')
      from public.stories s
      where (p_kind is null or p_kind = 'story') and s.status <> 'DONE'
        and s.product_id in (select m.product_id from public.product_members m where m.user_id = v_user_id)
        and (p_product_id is null or s.product_id = p_product_id) and (s.code ilike v_pattern or s.title ilike v_pattern)
    ) h
    join public.products p on p.id = h.product_id
    where case when v_asked in ('', 'yes', 'true') then h.waits_for <> '{}'
      when v_asked in ('no', 'false', 'none') then h.waits_for = '{}'
      else upper(v_asked) in (select upper(c) from unnest(h.waits_for) c) end
    order by h.created_at desc, h.id
    limit p_limit + 1
    offset p_offset
  ) r;

  return json_build_object(
    'items', array_to_json(coalesce(v_found[1:p_limit], '{}')),
    'next_cursor', case when cardinality(v_found) > p_limit then (p_offset + p_limit)::text end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.send_conflict_home(p_job public.agent_jobs, p_rival public.agent_jobs, p_conflict jsonb, p_pause boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
begin
  select r.* into v_run from public.sprint_runs r where r.id = p_job.sprint_run_id for update;
  if p_pause and v_run.status in ('QUEUED', 'RUNNING') then
    perform private.pause_run(v_run, 'merge_conflict', coalesce(p_conflict ->> 'pr_url', p_job.pr_url),
      (select jsonb_agg(f -> 'path') from jsonb_array_elements(p_conflict -> 'files') f), p_job.id,
      array(select t.code from public.tasks t where t.id in (p_job.task_id, p_rival.task_id) order by (t.id = p_job.task_id) desc));
  end if;
  update public.agent_jobs j
  set status = 'QUEUED', claim_rank = 0, failure_class = null, failure_reason = null, parked_question_id = null, lease_until = null
  where j.id = p_job.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_budget(p_product_id uuid, p_scope text, p_period text, p_target_id uuid, p_unit text, p_amount numeric)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.require_person();
  v_budget := private.put_budget(p_product_id, p_scope, p_period, p_target_id, p_unit, p_amount);
  return private.budget_json(v_budget);
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_budget_settings(p_product_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_settings public.budget_settings;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.require_person();
  v_settings := jsonb_populate_record(private.budget_settings_of(p_product_id), p_changes - 'product_id');
  if not exists (select from pg_catalog.pg_timezone_names z where z.name = v_settings.time_zone) then
    perform private.refuse(422, 'time_zone must be a name like Europe/Paris.',
      '{"issues":[{"path":"time_zone","message":"Not a known time zone."}]}');
  end if;
  if v_settings.unreported is null or v_settings.unreported not in ('allow', 'refuse')
    or coalesce(v_settings.expected_tokens, 0) <= 0 or coalesce(v_settings.expected_cost, 0) <= 0 then
    perform private.refuse(422, 'unreported is allow or refuse; expected_tokens and expected_cost are more than 0.');
  end if;
  insert into public.budget_settings (product_id, time_zone, unreported, expected_tokens, expected_cost)
  values (p_product_id, v_settings.time_zone, v_settings.unreported, v_settings.expected_tokens, v_settings.expected_cost)
  on conflict (product_id) do update
  set time_zone = excluded.time_zone, unreported = excluded.unreported, expected_tokens = excluded.expected_tokens,
      expected_cost = excluded.expected_cost;
  perform private.settle_budgets(p_product_id);
  return to_jsonb(v_settings) - 'product_id';
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_dependency_release(p_product_id uuid, p_release public.dependency_release)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('product', p_product_id), private.require_product_owner(p_product_id);
  if p_release is null or p_release = (select p.dependency_release from public.products p where p.id = p_product_id) then
    return;
  end if;
  if p_release = 'merged' then
    perform private.note_merged_requests(p_product_id, null);
  end if;
  update public.products p set dependency_release = p_release where p.id = p_product_id;
  perform private.recount_blockers(array(
    select d.blocked_id from public.task_dependencies d where d.product_id = p_product_id
    union
    select t.id from public.story_dependencies d join public.tasks t on t.story_id = d.blocked_id where d.product_id = p_product_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.settle_budget(p_budget public.budgets)
 RETURNS public.budgets
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_work record;
  v_left numeric;
  v_reached_at timestamptz := case when private.is_budget_reached(p_budget) then p_budget.reached_at end;
  v_budget public.budgets;
begin
  perform private.sum_budget(p_budget);
  if v_reached_at is null and p_budget.due_at is not null then
    select * into v_work from private.budget_at_work(p_budget);
    v_left := p_budget.amount - private.budget_spent(p_budget);
    if v_work.jobs = 0 and v_left <= private.expected_use(p_budget.product_id, p_budget.unit, null) / 10 then
      v_reached_at := private.now();
    end if;
  end if;
  update public.budgets b
  set reached_at = v_reached_at, due_at = null,
      overshoot = greatest(b.overshoot, private.budget_spent(b) - b.amount)
  where b.id = p_budget.id
  returning b.* into v_budget;
  return v_budget;
end;
$function$;

CREATE OR REPLACE FUNCTION private.settle_budgets(p_product_id uuid, p_job_id uuid DEFAULT NULL::uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_run public.sprint_runs;
begin
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_product_id and (b.due_at is not null or b.reached_at is not null)
    order by b.id
  loop
    v_budget := private.settle_budget(v_budget);
    continue when v_budget.reached_at is null;
    for v_run in
      select r.* from public.sprint_runs r
      where r.product_id = p_product_id and r.status in ('QUEUED', 'RUNNING')
        and exists (
          select from public.agent_jobs j
          where j.sprint_run_id = r.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and j.phase <> 'review'
            and private.budget_covers(v_budget, j))
        and not exists (
          select from public.agent_jobs j
          where j.sprint_run_id = r.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING') and j.id = any (v_budget.finish_job_ids))
      order by r.id
    loop
      perform private.pause_for_budget(v_run, v_budget, p_job_id);
    end loop;
  end loop;

  for v_run in
    select r.* from public.sprint_runs r
    where r.product_id = p_product_id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget'
      and not exists (
        select from public.budgets b
        where b.id = (r.pause_context ->> 'budget_id')::uuid and b.reached_at is not null)
    order by r.id
  loop
    perform private.close_question(v_run.pause_question_id);
    perform private.continue_run(v_run);
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.settle_waiting(p_task_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_task_ids is null then
    return;
  end if;
  if coalesce(current_setting('backloom.shared_product', true), '') = '' then
    perform private.recount_blockers(p_task_ids), private.note_released(p_task_ids);
    return;
  end if;
  perform set_config('backloom.waiting',
    concat_ws(',', nullif(current_setting('backloom.waiting', true), ''), array_to_string(p_task_ids, ',')), true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.spread_of(p_values numeric[], p_tasks integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_low numeric;
  v_high numeric;
  v_mean numeric;
  v_deviation numeric;
begin
  if coalesce(cardinality(p_values), 0) < 5 or p_tasks < 1 then
    return null;
  end if;
  select percentile_cont(0.2) within group (order by v), percentile_cont(0.8) within group (order by v), avg(v), stddev_samp(v)
  into v_low, v_high, v_mean, v_deviation
  from unnest(p_values) v;
  if p_tasks > 1 then
    v_low := greatest(p_tasks * v_mean - 0.8416 * v_deviation * sqrt(p_tasks), 0);
    v_high := p_tasks * v_mean + 0.8416 * v_deviation * sqrt(p_tasks);
  end if;
  return jsonb_build_object('low', round(v_low, 6), 'high', round(v_high, 6), 'finished', cardinality(p_values));
end;
$function$;

CREATE OR REPLACE FUNCTION private.sprint_scope(p_sprint_id uuid)
 RETURNS TABLE(task_id uuid, task_code text, story_id uuid, story_code text, pbi_id uuid, place integer)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select t.id, t.code, s.id, s.code, b.id,
      row_number() over (order by b.priority, b.sort_order, b.created_at, b.id,
        s.sort_order, s.created_at, s.id, t.sort_order, t.created_at, t.id)::integer
    from public.stories s
    -- Story by story: a plan for many stories would read all PBIs and all tasks of all products.
    cross join lateral (
      select k.id, k.priority, k.sort_order, k.created_at from public.pbis k where k.id = s.pbi_id offset 0) b
    cross join lateral (
      select k.id, k.code, k.sort_order, k.created_at from public.tasks k
      where k.story_id = s.id and k.status <> 'DONE' offset 0) t
    where s.sprint_id = p_sprint_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_sprint_run(p_sprint_id uuid, p_stop_at jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('sprint', p_sprint_id);
  v_sprint public.sprints;
  v_product public.products;
  v_blockers jsonb;
  v_run public.sprint_runs;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;
  select p.* into v_product from public.products p where p.id = v_product_id;

  v_blockers := private.run_blockers(v_sprint, v_product);
  if v_blockers <> '[]' then
    perform private.refuse(409, private.blockers_sentence(v_blockers), jsonb_build_object('blockers', v_blockers));
  end if;

  -- A statement of its own: a stable function sees what the statement before it wrote, not what its own does.
  v_run := private.create_run(v_sprint, v_product, null);
  if p_stop_at is not null then
    perform private.require_person();
    perform private.put_budget(v_product_id, 'run', null, v_run.id, p_stop_at ->> 'unit', (p_stop_at ->> 'amount')::numeric);
  end if;
  return private.run_json(v_run, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.stop_for_budget(p_job public.agent_jobs, p_budget public.budgets)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.budgets b set reached_at = private.now(), due_at = null where b.id = p_budget.id;
  update public.agent_jobs j
  set status = 'QUEUED', stopped_by_budget_id = p_budget.id, failure_class = null, failure_reason = null
  where j.id = p_job.id;
  perform private.settle_budgets(p_job.product_id, p_job.id);
  update public.agent_jobs j
  set parked_question_id = r.pause_question_id
  from public.sprint_runs r
  where j.id = p_job.id and r.id = j.sprint_run_id and r.status = 'PAUSED' and r.pause_context ->> 'reason' = 'budget';
  return private.budget_stop_text(p_budget);
end;
$function$;

CREATE OR REPLACE FUNCTION private.stories_to_finish(p_job public.agent_jobs)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    return array(select distinct t.story_id from private.held_tasks(p_job.sprint_run_id) t);
  end if;
  return array(select t.story_id from public.tasks t where t.id = p_job.task_id and private.finishes_story(t.id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.story_of_line(p_job public.agent_jobs, p_line jsonb, p_place integer)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story_id uuid := (p_line ->> 'story_id')::uuid;
  v_own uuid;
begin
  select t.story_id into v_own from public.tasks t where t.id = p_job.task_id;
  if v_story_id is null or v_story_id = v_own then
    return v_own;
  end if;
  if p_job.kind = 'SPRINT_IMPLEMENTATION' and exists (
    select from public.task_executions e join public.tasks t on t.id = e.task_id
    where e.sprint_run_id = p_job.sprint_run_id and t.story_id = v_story_id
  ) then
    return v_story_id;
  end if;
  perform private.refuse_evidence(p_place, 'story_id', 'This story does not belong to the job.');
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.story_proof(p_story_id uuid)
 RETURNS SETOF private.proven_criterion
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_head public.story_heads;
begin
  select h.* into v_head from public.story_heads h where h.story_id = p_story_id;
  return query
  select s.id, c.place, c.id, c.kind, c.text,
    case when w.id is not null then 'waived'
      when d.verdict = 'pass' then 'proven'
      when d.verdict = 'fail' then 'failed'
      when d.id is null and exists (
        select from public.evidence o where o.story_id = s.id and o.criterion = c.id and o.verdict = 'pass') then 'stale'
      else 'unproven' end,
    d.grade, d.id
  from public.stories s
  join public.products p on p.id = s.product_id
  cross join lateral private.criteria_of(s.acceptance_criteria, p.definition_of_done) c
  left join public.waivers w on w.story_id = s.id and w.criterion = c.id
  left join lateral (
    select e.id, e.verdict, e.grade from public.evidence e
    where e.story_id = s.id and e.criterion = c.id and private.is_fresh(e, v_head)
    order by e.grade desc, e.seq desc limit 1
  ) d on true
  where s.id = p_story_id
  order by c.place;
end;
$function$;

CREATE OR REPLACE FUNCTION private.subscribe_push(p_endpoint text, p_p256dh text, p_auth text, p_user_agent text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_id uuid;
begin
  perform private.take_rate_limit('push_subscription', v_user_id::text);
  if coalesce(p_endpoint, '') !~ '^https?://' or char_length(p_endpoint) > 2000
    or coalesce(char_length(p_p256dh), 0) not between 1 and 200 or coalesce(char_length(p_auth), 0) not between 1 and 100 then
    perform private.refuse(422, 'endpoint must be an https address, p256dh and auth the keys of the subscription.');
  end if;
  insert into public.push_subscriptions as s (user_id, session_id, endpoint, p256dh, auth, user_agent)
  values (v_user_id, private.own_session_id(), p_endpoint, p_p256dh, p_auth, left(p_user_agent, 255))
  on conflict (endpoint) do update
  set user_id = v_user_id, session_id = excluded.session_id, p256dh = excluded.p256dh, auth = excluded.auth, user_agent = excluded.user_agent,
      disabled_at = null, last_error = null
  returning s.id into v_id;
  return json_build_object('id', v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.sum_budget(p_budget public.budgets)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if current_setting('backloom.shared_product', true) = p_budget.product_id::text then
    return;
  end if;
  insert into private.budget_sums as s (budget_id, from_at, last_id, amount)
  select p_budget.id, a.from_at, private.last_line(p_budget.product_id), a.in_ledger
  from private.add_up_budget(p_budget) a
  on conflict (budget_id) do update
  set from_at = excluded.from_at, last_id = excluded.last_id, amount = excluded.amount;
end;
$function$;

CREATE OR REPLACE FUNCTION private.sum_budgets(p_job public.agent_jobs)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if exists (select from public.budgets b where b.product_id = p_job.product_id) then
    perform private.sum_budget(b)
    from public.budgets b
    left join private.budget_sums s on s.budget_id = b.id
    where b.product_id = p_job.product_id and coalesce(s.last_id, 0) < private.last_line(p_job.product_id) - 100
      and private.budget_covers(b, p_job);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.sum_usage(p_job_id uuid, p_model_id text)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
begin
  update public.agent_jobs j
  set model_id = coalesce(left(p_model_id, 200), used.model_id, j.model_id),
      input_tokens = used.input, output_tokens = used.output,
      cache_read_tokens = used.cache_read, cache_write_tokens = used.cache_write
  from (
    select sum(e.input_tokens) as input, sum(e.output_tokens) as output, sum(e.cache_read_tokens) as cache_read,
      sum(e.cache_write_tokens) as cache_write, (array_agg(e.model_id order by e.id desc) filter (where e.model_id is not null))[1] as model_id
    from public.usage_events e where e.job_id = p_job_id
  ) used
  where j.id = p_job_id
  returning j.* into v_job;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.sweep(p_full boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_products uuid[] := private.products_past_due();
  v_product_id uuid;
  v_leases json;
  v_questions integer;
  v_removed jsonb;
begin
  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  v_leases := private.sweep_expired_leases(v_products);
  v_questions := private.write_down_expired(true, v_products);
  foreach v_product_id in array v_products loop
    perform private.settle_budgets(v_product_id);
  end loop;

  if (coalesce(p_full, false) or extract(second from v_now) < 5)
    and pg_try_advisory_xact_lock(hashtextextended('backloom:sweep', 0)) then
    v_removed := private.remove_stale_rows();
  end if;
  return json_build_object('taken_back', v_leases -> 'taken_back', 'expired_questions', v_questions, 'removed', v_removed,
    'ran_at', v_now);
end;
$function$;

CREATE OR REPLACE FUNCTION private.sweep_expired_leases(p_locked uuid[])
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_products uuid[] := p_locked;
  v_product_id uuid;
  v_count integer := 0;
begin
  if v_products is null then
    v_products := array(
      select distinct j.product_id from public.agent_jobs j
      where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now order by 1);
    foreach v_product_id in array v_products loop
      perform private.lock_product(v_product_id);
    end loop;
  end if;
  foreach v_product_id in array v_products loop
    v_count := v_count + private.requeue_expired_leases(v_product_id);
  end loop;
  return json_build_object('taken_back', v_count, 'ran_at', v_now);
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_back_expired(p_user_id uuid, p_product_id uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_products uuid[];
  v_product_id uuid;
begin
  if not exists (
    select from public.agent_jobs j where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
  ) and not exists (
    select from public.budgets b where b.due_at is not null or (b.reached_at is not null and b.period is not null)
  ) then
    return '{}';
  end if;

  select coalesce(array_agg(x.product_id order by x.product_id), '{}')
  into v_products
  from (
    select distinct j.product_id
    from public.agent_jobs j
    join public.product_members m on m.product_id = j.product_id and m.user_id = p_user_id
    where j.status in ('CLAIMED', 'RUNNING') and j.lease_until <= v_now
      and (p_product_id is null or j.product_id = p_product_id)
    union
    select d.product_id
    from private.products_with_due_budgets() as d (product_id)
    join public.product_members m on m.product_id = d.product_id and m.user_id = p_user_id
    where p_product_id is null or d.product_id = p_product_id
  ) x;

  foreach v_product_id in array v_products loop
    perform private.lock_product(v_product_id);
  end loop;
  foreach v_product_id in array v_products loop
    perform private.requeue_expired_leases(v_product_id);
    perform private.settle_budgets(v_product_id);
  end loop;
  return v_products;
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_due_notices(p_limit integer, p_lease_seconds integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_notices json;
begin
  update public.notices n
  set status = 'FAILED', last_error = coalesce(n.last_error, 'Given up: ten attempts ended without a word from the sender.')
  where n.id in (
    select d.id from public.notices d
    where d.status = 'PENDING' and d.next_attempt_at <= v_now and d.attempts >= 10
    order by d.next_attempt_at, d.id
    limit 500
    for update skip locked
  );

    with taken as (
      update public.notices n
      set attempts = n.attempts + 1, next_attempt_at = v_now + make_interval(secs => greatest(coalesce(p_lease_seconds, 60), 5))
      where n.id in (
        select d.id from public.notices d
        where d.status = 'PENDING' and d.next_attempt_at <= v_now and d.attempts < 10
        order by d.next_attempt_at, d.id
        limit least(greatest(coalesce(p_limit, 50), 1), 500)
        for update skip locked
      )
      returning n.*
    )
    select json_build_object('notices', coalesce(json_agg(json_build_object(
      'id', t.id, 'kind', t.kind, 'attempts', t.attempts, 'payload', t.payload, 'created_at', t.created_at,
      'webhook', (select json_build_object('id', w.id, 'url', w.url, 'secret', w.secret, 'active', w.active)
        from public.webhooks w where w.id = t.webhook_id),
      'user_id', t.user_id,
      'subscriptions', (select coalesce(json_agg(json_build_object('id', s.id, 'endpoint', s.endpoint, 'p256dh', s.p256dh,
          'auth', s.auth) order by s.created_at), '[]')
        from public.push_subscriptions s
        left join public.user_sessions u on u.id = s.session_id
        where s.user_id = t.user_id and s.disabled_at is null
          and (s.session_id is null or (u.revoked_at is null and u.expires_at > v_now)))
    ) order by t.created_at, t.id), '[]'))
    into v_notices
    from taken t;
  return v_notices;
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_job(p_worker_id uuid, p_user_id uuid, p_product_id uuid, p_sprint_run_id uuid, p_kinds jsonb, p_full_budgets uuid[])
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  v_now timestamptz := private.now();
  v_job public.agent_jobs;
begin
  update public.agent_jobs x
  set status = 'CLAIMED', attempt = x.attempt + 1, worker_id = p_worker_id, claimed_at = v_now, started_at = null,
      lease_until = v_now + private.lease(), not_before = null, claim_rank = 1, stopped_by_budget_id = null, failure_class = null,
      -- A verifier looks at the criteria; how the work meets the plan was found before.
      verify_result = case when x.phase = 'verify' then x.verify_result end,
      plan_snapshot = coalesce(
        (select e.plan_snapshot from public.task_executions e
          where x.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = x.sprint_run_id and e.task_id = x.task_id),
        (select t.implementation_plan from public.tasks t where t.id = x.task_id))
  where x.id = (
    select j.id
    from private.claimable_jobs j
    where j.product_id = p_product_id
      and (j.kind <> 'PLAN_CHAT' or j.created_by = p_user_id)
      and (j.phase <> 'verify' or j.author_worker_id is distinct from p_worker_id)
      and (p_sprint_run_id is null or j.sprint_run_id = p_sprint_run_id)
      and (p_kinds is null or p_kinds ? j.kind::text)
      and (p_full_budgets is null or private.fits_budgets(j.id, p_full_budgets))
    order by j.claim_rank, j.created_at, j.position, j.id
    limit 1
    for update of j skip locked
  )
  returning x.* into v_job;
  -- What an earlier attempt found of a task that it did not finish says nothing about this one.
  if v_job.kind = 'SPRINT_IMPLEMENTATION' then
    update public.task_executions e
    set verify_result = null
    where e.sprint_run_id = v_job.sprint_run_id and e.status in ('PENDING', 'RUNNING') and e.verify_result is not null;
  end if;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.task_history(p_kind text, p_id uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select jsonb_build_object('history', jsonb_agg(to_jsonb(c) order by c.id))
  from public.task_status_changes c
  where p_kind = 'task' and c.task_id = p_id
  having count(*) > 0;
$function$;

CREATE OR REPLACE FUNCTION private.task_reasons(p_task_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_run public.sprint_runs := private.active_run_of_task(p_task_id);
  v_job public.agent_jobs;
  v_sprint record;
begin
  select t.* into v_task from public.tasks t where t.id = p_task_id;
  if v_task.status = 'DONE' then
    return jsonb_build_array(jsonb_build_object('code', 'finished', 'message', 'The task is done.'));
  end if;
  if v_task.status = 'REVIEW' then
    return jsonb_build_array(jsonb_build_object('code', 'review', 'message', 'The task waits for a person to review it.'));
  end if;
  if v_run.id is not null then
    select j.* into v_job from public.agent_jobs j
    where j.sprint_run_id = v_run.id and (j.task_id = p_task_id or j.kind = 'SPRINT_IMPLEMENTATION')
    order by (j.status in ('QUEUED', 'CLAIMED', 'RUNNING')) desc, j.created_at desc
    limit 1;
    return private.job_reasons(v_job);
  end if;

  select j.* into v_job from public.agent_jobs j where j.task_id = p_task_id order by j.created_at desc, j.id limit 1;
  if v_task.status = 'FAILED' then
    return jsonb_build_array(jsonb_build_object('code', 'failed',
      'message', format('The task failed%s Resume the sprint to try it again.', coalesce(': ' || v_job.failure_reason, '.')), 'job_id', v_job.id));
  end if;
  select s.id, s.code, s.status into v_sprint
  from public.stories st join public.sprints s on s.id = st.sprint_id where st.id = v_task.story_id;
  if v_sprint.id is null then
    return jsonb_build_array(jsonb_build_object('code', 'no_sprint', 'message', 'The story of this task is in no sprint.'))
      || private.dependency_reasons(array[p_task_id]);
  end if;
  return jsonb_build_array(jsonb_build_object('code', 'no_run', 'sprint_id', v_sprint.id,
    'message', format('No run of sprint %s (%s) is under way. Start one.', v_sprint.code, lower(v_sprint.status::text))))
    || private.dependency_reasons(array[p_task_id]);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tasks_of_job(p_job public.agent_jobs)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_job.kind = 'SPRINT_IMPLEMENTATION' then
    return array(select e.task_id from public.task_executions e where e.sprint_run_id = p_job.sprint_run_id);
  end if;
  return array_remove(array[p_job.task_id], null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__advance_lane()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (
    select from public.sprint_runs r where r.id = old.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
  ) then
    return null;
  end if;

  if private.bring_next_in_turn(old.sprint_run_id, old.lane_id) then
    return null;
  end if;
  perform private.lock_part('run', old.sprint_run_id);
  perform private.complete_run(old.sprint_run_id);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__advance_task()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'UPDATE' and new.status = old.status then
    return null;
  end if;

  case new.status
    when 'CLAIMED', 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = new.task_id and t.status = 'TO_DO';
      -- Only the first claim of a run: preparing an update costs more than this look, and it is every claim that comes here.
      if exists (select from public.sprint_runs r where r.id = new.sprint_run_id and r.status = 'QUEUED') then
        update public.sprint_runs r
        set status = 'RUNNING', started_at = coalesce(r.started_at, private.now())
        where r.id = new.sprint_run_id and r.status = 'QUEUED';
      end if;
    when 'DONE' then
      update public.tasks t set status = 'DONE'
      where t.id = new.task_id and t.status <> 'DONE'
        and not exists (
          select from public.task_executions e
          where new.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = new.sprint_run_id
            and e.task_id = new.task_id and e.status = 'SKIPPED'
        );
      if new.kind = 'SPRINT_IMPLEMENTATION' then
        perform private.release_held_tasks(new.sprint_run_id);
      end if;
    when 'SKIPPED' then
      if new.kind = 'SPRINT_IMPLEMENTATION' then
        update public.task_executions e
        set status = 'SKIPPED', verify_result = 'EMPTY', finished_at = private.now()
        where e.sprint_run_id = new.sprint_run_id and e.status in ('PENDING', 'RUNNING');
      else
        update public.tasks t set status = 'REVIEW' where t.id = new.task_id and t.status not in ('DONE', 'REVIEW');
      end if;
    when 'FAILED' then
      update public.tasks t set status = 'FAILED' where t.id = new.task_id and t.status <> 'FAILED';
    else
      null;
  end case;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__count_blockers()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.open_blockers := private.count_open_blockers(new);
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_event jsonb;
begin
  if tg_op = 'UPDATE' and new.in_turn <> old.in_turn and new.status = old.status then
    return null;
  end if;
  if tg_op = 'UPDATE' then
    v_event := private.change_event(tg_op, 'job', null,
      jsonb_build_object('id', new.id, 'product_id', new.product_id), private.changed_job_fields(old, new));
  else
    v_event := private.change_event(tg_op, 'job', to_jsonb(old), to_jsonb(new));
  end if;
  if v_event is null or v_event -> 'changed_fields' = '["lease_until"]' then
    return null;
  end if;
  if v_event -> 'changed_fields' = '["open_blockers"]' and new.open_blockers > 0 then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'task_id', coalesce(new.task_id, old.task_id),
    'idea_id', coalesce(new.idea_id, old.idea_id),
    'kind', coalesce(new.kind, old.kind),
    'status', coalesce(new.status, old.status),
    'sprint_run_id', coalesce(new.sprint_run_id, old.sprint_run_id)
  );
  perform private.emit('product:' || coalesce(new.product_id, old.product_id), v_event);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__keep_usage()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.keep_usage_so_far(old.id, old.attempt);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__note_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_outcome text := lower(new.status::text);
begin
  if new.attempt <> old.attempt then
    insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, started_at)
    values (new.id, new.attempt, new.product_id, new.worker_id,
      coalesce((select w.name from public.agent_workers w where w.id = new.worker_id), ''), coalesce(new.claimed_at, private.now()))
    on conflict (job_id, attempt) do nothing;
    return null;
  end if;

  -- Apart from the update, so that the end of a job, which is what mostly comes here, does not prepare to look for conflicts.
  if new.status = 'QUEUED' then
    v_outcome := case
      when new.phase <> old.phase then 'done'
      when new.failure_class = 'rate_limited' then 'rate_limited'
      when new.failure_class is not null then 'lost'
      when new.stopped_by_budget_id is not null then 'budget'
      when new.parked_question_id is not null then 'question'
      when exists (select from public.job_conflicts c where c.job_id = new.id and c.attempt = new.attempt and c.decision <> 'noted') then 'conflict'
      else 'returned'
    end;
  end if;
  update public.job_attempts a
  set ended_at = private.now(), head_sha = new.head_sha, outcome = v_outcome
  where a.job_id = new.id and a.attempt = new.attempt and a.ended_at is null;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__pass_turn()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.pass_turn(new.sprint_run_id, new.lane_id);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__settle_merged()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if (select p.dependency_release from public.products p where p.id = old.product_id) = 'merged' then
    perform private.settle_waiting(nullif(private.waiting_for(private.tasks_of_job(old)), '{}'));
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_jobs__settle_waiting()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_waiting uuid[] := string_to_array(nullif(current_setting('backloom.waiting', true), ''), ',');
begin
  if v_waiting is null then
    return null;
  end if;
  perform set_config('backloom.waiting', '', true), private.lock_part('run', new.sprint_run_id);
  perform private.recount_blockers(v_waiting);
  perform private.note_released(v_waiting);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_agent_workers__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_event jsonb := private.change_event(tg_op, 'worker', to_jsonb(old), to_jsonb(new));
  v_row public.agent_workers := coalesce(new, old);
begin
  if v_event is null then
    return null;
  end if;
  if tg_op = 'UPDATE'
    and (v_event -> 'changed_fields') - 'last_seen_at' - 'last_quota_check_at' = '[]'
    and new.last_seen_at - old.last_seen_at < interval '90 seconds'
  then
    return null;
  end if;

  v_event := v_event || jsonb_build_object(
    'name', v_row.name,
    'last_quota_pct', v_row.last_quota_pct,
    'current_job_id', private.current_job_id(v_row.id),
    'stopped', v_row.stopped_at is not null
  );
  perform private.emit('product:' || m.product_id, v_event || jsonb_build_object('product_id', m.product_id))
  from public.product_members as m
  where m.user_id = v_row.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__keep_product()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  raise exception using errcode = 'PT422', message = 'This cannot move to another product.',
    detail = '{"issues":[{"path":"product_id","message":"The product of this cannot change."}]}';
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__remember_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := tg_argv[0];
  v_old jsonb := to_jsonb(old);
  v_before jsonb := private.own_fields(v_kind, v_old);
  v_after jsonb;
begin
  if tg_op = 'DELETE' then
    perform private.remember_change(v_kind, old.id, old.product_id, old.code,
      v_old || coalesce(private.task_history(v_kind, old.id), '{}'), null, private.lost_with(v_kind, v_old));
    return old;
  end if;

  v_after := private.own_fields(v_kind, to_jsonb(new));
  select jsonb_object_agg(b.key, b.value), jsonb_object_agg(b.key, v_after -> b.key) into v_before, v_after
  from jsonb_each(v_before) b
  where b.value is distinct from v_after -> b.key;
  if v_before is not null then
    perform private.remember_change(v_kind, new.id, new.product_id, new.code, v_before, v_after);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__tell_inbox()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit_to_members(new.product_id,
    jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', new.id, 'product_id', new.product_id));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_evidence__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit('product:' || n.product_id, jsonb_build_object('op', 'I', 'entity', 'evidence', 'id', n.id,
    'product_id', n.product_id, 'story_id', n.story_id))
  from (select distinct on (e.story_id) e.* from new_evidence e) n;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_pbis__note_merged()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if (select p.dependency_release from public.products p where p.id = new.product_id) = 'merged' then
    perform private.note_merged_requests(new.product_id, new.id, old.pr_merged_at);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_products__add_owner()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.product_members (product_id, user_id, role, workers_allowed)
  values (new.id, new.owner_id, 'OWNER', true)
  on conflict (product_id, user_id) do update set role = 'OWNER', workers_allowed = true;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_sprint_runs__carry_budget()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.budgets b
  set sprint_run_id = new.id, spent_before = private.budget_spent(b), reached_at = null, due_at = private.now(), finish_job_ids = '{}'
  where b.sprint_run_id = new.previous_run_id;
  delete from private.budget_sums s using public.budgets b where b.id = s.budget_id and b.sprint_run_id = new.id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_stories__copy_product()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.product_id := private.product_of('pbi', new.pbi_id);

  if tg_op = 'UPDATE' and new.product_id <> old.product_id then
    raise exception using errcode = 'PT422', message = 'A story cannot move to a PBI of another product.',
      detail = '{"issues":[{"path":"pbi_id","message":"Choose a PBI of the same product."}]}';
  end if;

  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_stories__record_sprint()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
  select t.id, t.story_id, t.product_id, new.sprint_id, t.status, t.status
  from public.tasks t
  where t.story_id = new.id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_stories__settle_waiting()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.settle_waiting((
    select array_agg(t.id) from public.story_dependencies d join public.tasks t on t.story_id = d.blocked_id
    where d.blocker_id = new.id));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_story_dependencies__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit_story_change(coalesce(new.blocked_id, old.blocked_id), 'blocked_by'),
    private.emit_story_change(coalesce(new.blocker_id, old.blocker_id), 'blocks');
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_story_dependencies__recount()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.recount_blockers(array(select t.id from public.tasks t where t.story_id = coalesce(new.blocked_id, old.blocked_id)));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_task_dependencies__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit_task_change(coalesce(new.blocked_id, old.blocked_id), 'blocked_by'),
    private.emit_task_change(coalesce(new.blocker_id, old.blocker_id), 'blocks');
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_task_dependencies__recount()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.recount_blockers(array[coalesce(new.blocked_id, old.blocked_id)]);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_task_executions__advance_task()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  case new.status
    when 'RUNNING' then
      update public.tasks t set status = 'IN_PROGRESS' where t.id = new.task_id and t.status = 'TO_DO';
    when 'DONE' then
      update public.tasks t set status = case when private.holds_task(t.id) then 'REVIEW' else 'DONE' end::public.task_status
      where t.id = new.task_id and t.status <> 'DONE';
    when 'SKIPPED' then
      update public.tasks t set status = 'REVIEW' where t.id = new.task_id and t.status not in ('DONE', 'REVIEW');
    when 'FAILED' then
      update public.agent_jobs j set task_id = new.task_id
      where j.sprint_run_id = new.sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
      update public.tasks t set status = 'FAILED' where t.id = new.task_id and t.status <> 'FAILED';
      return null;
    else
      null;
  end case;

  update public.agent_jobs j
  set task_id = n.task_id
  from (
    select e.task_id from public.task_executions e
    where e.sprint_run_id = new.sprint_run_id and e.status in ('RUNNING', 'PENDING')
    order by (e.status = 'RUNNING') desc, e.position
    limit 1
  ) n
  where j.sprint_run_id = new.sprint_run_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING')
    and j.task_id is distinct from n.task_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_task_executions__recount()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.recount_blockers(array[new.task_id]);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__cascade_failure()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_run public.sprint_runs;
  v_job public.agent_jobs;
begin
  perform private.lock_product(new.product_id);
  v_run := private.active_run_of_task(new.id);
  if v_run.id is null then
    return null;
  end if;

  update public.agent_jobs j
  set status = 'FAILED', failure_class = coalesce(j.failure_class, 'agent_error'),
      failure_reason = coalesce(j.failure_reason, 'Its task failed.')
  where j.sprint_run_id = v_run.id and j.task_id = new.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  update public.task_executions e
  set status = 'FAILED', failure_reason = coalesce(e.failure_reason, (
    select j.failure_reason from public.agent_jobs j
    where j.sprint_run_id = v_run.id and j.task_id = new.id and j.status = 'FAILED' order by j.position limit 1), 'Its task failed.')
  where e.sprint_run_id = v_run.id and e.task_id = new.id and e.status in ('PENDING', 'RUNNING');

  select j.* into v_job from public.agent_jobs j
  where j.sprint_run_id = v_run.id and j.task_id = new.id order by j.position limit 1;

  perform private.end_run(v_run, 'FAILED', format('Task %s failed, so the run was stopped.', new.code),
    jsonb_build_object('task_id', new.id, 'task_code', new.code, 'job_id', v_job.id,
      'failure_class', v_job.failure_class, 'reason', v_job.failure_reason));

  update public.sprints s set status = 'FAILED' where s.id = v_run.sprint_id and s.status = 'ACTIVE';
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__copy_product()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.product_id := private.product_of('story', new.story_id);

  if tg_op = 'UPDATE' and new.product_id <> old.product_id then
    raise exception using errcode = 'PT422', message = 'A task cannot move to a story of another product.',
      detail = '{"issues":[{"path":"story_id","message":"Choose a story of the same product."}]}';
  end if;

  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__derive_story()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_story_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct n.story_id) into v_story_ids from new_tasks n;
  elsif tg_op = 'DELETE' then
    select array_agg(distinct o.story_id) into v_story_ids from old_tasks o;
  else
    v_story_ids := array[new.story_id, old.story_id];
  end if;

  -- Most changes leave the story as it is: then no write is tried, and no trigger of stories fires.
  if v_story_ids is not null then
    select array_agg(s.id)
    into v_story_ids
    from public.stories s
    where s.id = any (v_story_ids) and s.status <> private.derived_story_status(s.id, s.sprint_id);
  end if;

  if v_story_ids is not null then
    update public.stories s
    set status = private.derived_story_status(s.id, s.sprint_id)
    where s.id = any (v_story_ids);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_event jsonb;
  v_row public.tasks := coalesce(new, old);
begin
  if tg_op = 'UPDATE' then
    v_event := private.change_event(tg_op, 'task', null,
      jsonb_build_object('id', new.id, 'product_id', new.product_id), private.changed_task_fields(old, new));
  else
    v_event := private.change_event(tg_op, 'task', to_jsonb(old), to_jsonb(new));
  end if;
  if v_event is null then
    return null;
  end if;

  v_event := v_event || private.story_place(v_row.story_id) || jsonb_build_object(
    'story_id', v_row.story_id,
    'task_status', v_row.status,
    'task_title', v_row.title,
    'task_sort_order', v_row.sort_order
  );
  if tg_op = 'UPDATE' and new.story_id <> old.story_id then
    v_event := v_event || jsonb_build_object('old_story_id', old.story_id) || (
      select jsonb_object_agg('old_' || place.key, place.value)
      from jsonb_each(private.story_place(old.story_id)) as place
    );
  end if;
  perform private.emit('product:' || v_row.product_id, v_event);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__finish_elsewhere()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from public.task_executions e where e.task_id = new.id) then
    update public.task_executions e
    set status = 'DONE'
    from public.sprint_runs r
    where e.task_id = new.id and e.status in ('PENDING', 'RUNNING')
      and r.id = e.sprint_run_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED');
  elsif not exists (select from public.agent_jobs o where o.task_id = new.id and o.status = 'QUEUED' and o.phase <> 'implement') then
    return null;
  end if;

  update public.agent_jobs j
  set status = 'DONE'
  where j.id in (
      select o.id from public.agent_jobs o where o.task_id = new.id
      union all
      select b.id from public.task_executions e
      join public.agent_jobs b on b.sprint_run_id = e.sprint_run_id where e.task_id = new.id)
    and j.status = 'QUEUED' and j.phase <> 'implement'
    and (j.kind <> 'SPRINT_IMPLEMENTATION' or not exists (select from private.held_tasks(j.sprint_run_id)));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__keep_batch_job()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from public.products p where p.id = old.product_id) then
    update public.agent_jobs j
    set task_id = (
      select e.task_id from public.task_executions e
      where e.sprint_run_id = j.sprint_run_id and e.task_id <> old.id
      order by (e.status = 'RUNNING') desc, (e.status = 'PENDING') desc, e.position
      limit 1)
    where j.task_id = old.id and j.kind = 'SPRINT_IMPLEMENTATION'
      and exists (
        select from public.task_executions e where e.sprint_run_id = j.sprint_run_id and e.task_id <> old.id);
  end if;
  return old;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__note_review()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from public.tasks_in_review r
  using public.tasks t
  where r.task_id = new.id and t.id = r.task_id and t.status <> 'REVIEW';
  insert into public.tasks_in_review (task_id, product_id)
  select t.id, t.product_id from public.tasks t where t.id = new.id and t.status = 'REVIEW'
  on conflict (task_id) do nothing;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__record_status_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, to_status)
    select n.id, n.story_id, n.product_id, s.sprint_id, n.status
    from new_tasks n
    join public.stories s on s.id = n.story_id;
    return null;
  end if;

  insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status)
  values (new.id, new.story_id, new.product_id, (select s.sprint_id from public.stories s where s.id = new.story_id),
    old.status, new.status);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_tasks__settle_waiting()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_task_ids uuid[];
begin
  if tg_op = 'DELETE' then
    perform private.settle_waiting(nullif(private.waiting_for('{}', array[old.story_id]), '{}'));
    return null;
  end if;
  -- A batch counts for its tasks, so one in a batch is counted anew itself.
  v_task_ids := array(
    select d.blocked_id from public.task_dependencies d where d.blocker_id = new.id
    union all
    (select e.task_id from public.task_executions e where e.task_id = new.id limit 1));
  if new.story_id <> old.story_id then
    perform private.refuse_moved_cycle(new.id);
    v_task_ids := v_task_ids || new.id || private.waiting_for('{}', array[old.story_id, new.story_id]);
  end if;
  if v_task_ids <> '{}' then
    perform private.settle_waiting(v_task_ids);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_waivers__emit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit('product:' || n.product_id, jsonb_build_object('op', 'I', 'entity', 'waiver', 'id', n.id,
    'product_id', n.product_id, 'story_id', n.story_id))
  from (select distinct on (w.story_id) w.* from new_waivers w) n;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.touch_worker(p_worker_id uuid, p_hostname text, p_version text, p_quota_pct integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
begin
  update public.agent_workers w
  set last_seen_at = v_now,
      hostname = coalesce(left(p_hostname, 255), w.hostname),
      version = coalesce(left(p_version, 50), w.version),
      last_quota_pct = coalesce(p_quota_pct, w.last_quota_pct),
      last_quota_check_at = case when p_quota_pct is null then w.last_quota_check_at else v_now end,
      stopped_at = null
  where w.id = p_worker_id
    and (w.last_seen_at <= v_now - interval '10 seconds'
      or w.last_seen_at > v_now
      or w.stopped_at is not null
      or (p_hostname is not null and left(p_hostname, 255) is distinct from w.hostname)
      or (p_version is not null and left(p_version, 50) is distinct from w.version)
      or (p_quota_pct is not null and p_quota_pct is distinct from w.last_quota_pct));
end;
$function$;

CREATE OR REPLACE FUNCTION private.undo_change()
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_session_id uuid := (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id')::uuid;
  v_transaction_id xid8;
  v_product_id uuid;
  v_change private.changes;
  v_changes private.changes[];
  v_reason text;
begin
  perform private.take_rate_limit('undo', auth.uid()::text);
  select c.transaction_id into v_transaction_id
  from private.changes c
  where c.session_id = v_session_id and c.changed_at > private.now() - interval '30 seconds'
  order by c.id desc limit 1;

  for v_product_id in
    select distinct c.product_id from private.changes c
    where c.session_id = v_session_id and c.transaction_id = v_transaction_id order by c.product_id
  loop
    perform private.require_product_access(v_product_id);
    perform private.lock_product(v_product_id);
    perform private.require_product_write(v_product_id);
  end loop;

  with taken as (
    delete from private.changes c
    where c.session_id = v_session_id and c.transaction_id = v_transaction_id
    returning c.*
  )
  select array_agg(taken::private.changes) into v_changes from taken;
  if v_changes is null then
    perform private.refuse(409, 'Nothing to take back: a change can be taken back for 30 seconds.');
  end if;

  select c.* into v_change from unnest(v_changes) c where c.lost is not null order by c.id limit 1;
  if found then
    perform private.refuse(409, format('%s had %s, which cannot be brought back. Nothing was taken back.',
      v_change.code, v_change.lost));
  end if;

  perform set_config('backloom.undoing', 'yes', true);
  for v_change in
    select c.* from unnest(v_changes) c
    -- What was deleted comes back from the top; what was changed twice goes back from the end.
    order by c.after is not null, case when c.after is null then array_position('{pbi,story,task}', c.kind) end, c.id desc
  loop
    begin
      v_reason := null;
      if v_change.after is null then
        perform private.restore_thing(v_change);
      end if;
    exception when foreign_key_violation then
      v_reason := 'has lost its place';
    end;
    if v_reason is null and v_change.after is not null then
      v_reason := private.restore_fields(v_change);
    end if;
    if v_reason is not null then
      perform private.refuse(409, format('%s %s, so nothing was taken back.', v_change.code, v_reason));
    end if;
  end loop;
  perform set_config('backloom.undoing', '', true);

  return json_build_object('changes', (
    select json_agg(json_build_object('kind', c.kind, 'id', c.thing_id, 'code', c.code, 'is_back', c.after is null, 'fields',
      case when c.after is null then '[]'::jsonb else (select jsonb_agg(f.key order by f.key) from jsonb_each(c.before) f) end)
      order by c.after is not null, array_position('{pbi,story,task}', c.kind), c.id)
    from unnest(v_changes) c));
end;
$function$;

CREATE OR REPLACE FUNCTION private.unmerged_work(p_task_id uuid)
 RETURNS public.agent_jobs
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_job public.agent_jobs;
  v_batch public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j
  where j.task_id = p_task_id and j.kind = 'TASK_IMPLEMENTATION' and j.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  select j.* into v_batch
  from public.task_executions e
  join public.agent_jobs j on j.sprint_run_id = e.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION'
  where e.task_id = p_task_id and e.status = 'DONE'
  order by j.created_at desc, j.id limit 1;
  if v_job.id is null or v_batch.created_at > v_job.created_at then
    v_job := v_batch;
  end if;
  if v_job.merged_at is not null
    or (v_job.status in ('DONE', 'SKIPPED') and (v_job.head_sha is null or v_job.head_sha = v_job.base_sha)) then
    return null;
  end if;
  return v_job;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unmerged_works(p_kind text, p_blocker_id uuid)
 RETURNS TABLE(job_id uuid, task_code text, branch text, head_sha text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_job public.agent_jobs;
begin
  for v_task in
    select t.* from public.tasks t where p_kind = 'task' and t.id = p_blocker_id
    union all
    select t.* from public.tasks t where p_kind = 'story' and t.story_id = p_blocker_id
  loop
    v_job := private.unmerged_work(v_task.id);
    continue when v_job.id is null;
    return query select v_job.id, v_task.code, v_job.branch, v_job.head_sha;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unreported_jobs(p_budget public.budgets)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_from timestamptz := (private.budget_window(p_budget)).from_at;
begin
  return (
    select count(*) from public.agent_jobs j
    where j.product_id = p_budget.product_id and j.status in ('DONE', 'FAILED') and j.attempt > 0 and j.finished_at >= v_from
      and private.budget_covers(p_budget, j)
      and not exists (select from public.usage_events e where e.job_id = j.id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_saved_view(p_view_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_view public.saved_views := private.require_own_view(p_view_id);
  v_was_shared boolean := v_view.user_id is null;
  v_shared boolean := coalesce((p_changes ->> 'shared')::boolean, v_was_shared);
  v_name text;
begin
  if v_shared <> v_was_shared then
    v_view.user_id := case when not v_shared then auth.uid() end;
  end if;
  v_name := private.require_view_name(
    v_view.product_id, v_view.page, v_view.user_id, coalesce(p_changes ->> 'name', v_view.name), v_view.id);
  update public.saved_views v
  set name = v_name, user_id = v_view.user_id,
      look = case when p_changes ? 'look' then private.require_look(p_changes -> 'look') else v.look end
  where v.id = p_view_id
  returning v.* into v_view;
  return private.saved_view_json(v_view);
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_task(p_task_id uuid, p_status text, p_implementation_plan text, p_verify_only boolean, p_verify_required text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status;
  v_answer jsonb;
begin
  if p_status is null and p_implementation_plan is null then
    raise exception using errcode = 'PT422', message = 'Give at least one of status and implementation_plan.',
      detail = '{"issues":[{"path":"","message":"At least one of status and implementation_plan is required."}]}';
  end if;
  perform private.parse_choice('status', p_status, '{todo,in_progress,done}');
  perform private.parse_choice('verify_required', p_verify_required, '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  perform private.require_write('task', p_task_id);
  v_status := private.parse_task_status(p_status);
  perform private.require_proof(p_task_id, v_status), private.heed_waiting(p_task_id, v_status, false);

  update public.tasks t
  set status = coalesce(v_status, t.status),
      implementation_plan = coalesce(p_implementation_plan, t.implementation_plan),
      verify_only = coalesce(p_verify_only, t.verify_only),
      verify_required = coalesce(p_verify_required::public.verify_required, t.verify_required)
  where t.id = p_task_id
  returning jsonb_build_object(
    'id', t.id,
    'status', case t.status when 'TO_DO' then 'todo' else lower(t.status::text) end,
    'implementation_plan', t.implementation_plan
  )
  into v_answer;
  return v_answer || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_task_execution(p_job_id uuid, p_attempt integer, p_task_id uuid, p_status text, p_verify_result text, p_failure_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_status text := private.require_choice('status', p_status, array['RUNNING', 'DONE', 'FAILED', 'SKIPPED']);
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_execution public.task_executions := private.hold_execution(v_job, p_task_id);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_result public.verify_result;
  v_next text := v_status;
  v_missing jsonb;
begin
  v_result := coalesce(private.require_choice('verify_result', p_verify_result,
    array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result, v_execution.verify_result);
  if v_state in ('held', 'finished') and (v_execution.status::text = v_status
    or (v_execution.status = 'SKIPPED' and v_status = 'DONE' and v_result = 'EMPTY')) then
    return private.execution_json(v_execution);
  end if;
  if v_state <> 'held' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  if v_status is null then
    perform private.refuse(422, 'status must be one of running, done, failed, skipped.');
  end if;
  if v_execution.status not in ('PENDING', 'RUNNING') then
    perform private.refuse(409, format('This task of the batch is already %s. The job is still yours: go on with the next task.', lower(v_execution.status::text)));
  end if;
  if v_status = 'SKIPPED' and v_result is distinct from 'EMPTY' then
    perform private.refuse(422, 'A task is skipped only when the verification found that the work is already present (verify_result empty).');
  end if;
  if v_status = 'RUNNING' then
    perform private.refuse_waiting(p_task_id);
  end if;
  if v_status = 'DONE' then
    v_next := private.gate(v_execution.verify_required, v_result, (select t.verify_only from public.tasks t where t.id = p_task_id));
    if v_next is null then
      perform private.refuse_gate(v_execution.verify_required, v_result);
    end if;
    v_missing := case when v_next = 'DONE' then private.proof_gap(p_task_id) end;
    if v_missing is not null then
      perform private.refuse_unproven(v_missing);
    end if;
  end if;

  update public.agent_jobs j
  set lease_until = private.now() + private.lease(), status = 'RUNNING', started_at = coalesce(j.started_at, private.now()),
      failure_reason = case when v_next = 'FAILED' then left(coalesce(p_failure_reason, 'A task of the batch failed.'), 4000) end
  where j.id = p_job_id;
  update public.task_executions e
  set status = v_next::public.task_execution_status,
      verify_result = case when v_next = 'SKIPPED' then 'EMPTY' else v_result end,
      failure_reason = case when v_next = 'FAILED' then left(p_failure_reason, 4000) end
  where e.id = v_execution.id
  returning e.* into v_execution;
  return private.execution_json(v_execution) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION private.usage_by(p_product_id uuid, p_sprint_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with used as (
      select e.*, (e.created_at at time zone 'UTC')::date as day, r.sprint_id, t.story_id
      from public.usage_events e
      left join public.sprint_runs r on r.id = e.sprint_run_id
      left join public.tasks t on t.id = e.task_id
      where e.product_id = p_product_id and (p_sprint_id is null or r.sprint_id = p_sprint_id)
    ),
    -- One row a key and currency; the keys are brought together below.
    spread as (
      select k.part, k.key, u.currency, case when not u.subscription then u.cost end as cost, u.job_id, u.source, u.estimated,
        u.input_tokens, u.output_tokens, u.cache_read_tokens, u.cache_write_tokens
      from used u
      cross join lateral (values ('totals', ''), ('by_model', u.model_id), ('by_day', u.day::text), ('by_sprint', u.sprint_id::text),
        ('by_run', u.sprint_run_id::text), ('by_story', u.story_id::text), ('by_task', u.task_id::text),
        ('by_worker', u.worker_id::text)) as k (part, key)
    ),
    costs as (
      select s.part, s.key, jsonb_agg(jsonb_build_object('currency', s.currency, 'cost', s.cost) order by s.currency) as costs,
        max(s.cost) as most
      from (
        select s.part, s.key, s.currency, round(sum(s.cost), 6) as cost from spread s
        where s.cost is not null group by s.part, s.key, s.currency
      ) s
      group by s.part, s.key
    ),
    summed as (
      select s.part, s.key, jsonb_build_object('jobs', count(distinct s.job_id),
        'input_tokens', coalesce(sum(s.input_tokens), 0), 'output_tokens', coalesce(sum(s.output_tokens), 0),
        'cache_read_tokens', coalesce(sum(s.cache_read_tokens), 0), 'cache_write_tokens', coalesce(sum(s.cache_write_tokens), 0),
        'estimated', bool_or(s.estimated), 'unpriced_jobs', count(distinct s.job_id) filter (where s.source = 'unpriced')) as numbers
      from spread s
      group by s.part, s.key
    ),
    named as (
      select s.part, s.key, coalesce(c.most, 0) as most,
        s.numbers || jsonb_build_object('costs', coalesce(c.costs, '[]')) || private.usage_key_json(s.part, s.key) as row
      from summed s
      left join costs c on c.part = s.part and c.key is not distinct from s.key
    )
    select jsonb_build_object(
      'totals', coalesce((select n.row from named n where n.part = 'totals'), jsonb_build_object('jobs', 0, 'input_tokens', 0,
        'output_tokens', 0, 'cache_read_tokens', 0, 'cache_write_tokens', 0, 'estimated', false, 'unpriced_jobs', 0, 'costs', '[]'::jsonb)),
      'by_model', (select coalesce(jsonb_agg(n.row order by n.most desc, n.key), '[]') from named n where n.part = 'by_model'),
      'by_day', (select coalesce(jsonb_agg(n.row order by n.key), '[]') from named n where n.part = 'by_day'),
      'by_sprint', (select coalesce(jsonb_agg(n.row order by n.most desc, n.key), '[]') from named n where n.part = 'by_sprint'),
      'by_run', (select coalesce(jsonb_agg(n.row order by n.row ->> 'created_at'), '[]') from named n where n.part = 'by_run'),
      'by_story', (select coalesce(jsonb_agg(n.row order by n.most desc, n.key), '[]') from named n where n.part = 'by_story'),
      'by_task', (select coalesce(jsonb_agg(n.row order by n.most desc, n.key), '[]') from named n where n.part = 'by_task'),
      'by_worker', (select coalesce(jsonb_agg(n.row order by n.most desc, n.key), '[]') from named n where n.part = 'by_worker'))
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.usage_in_unit(p_usage jsonb, p_unit text)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(sum(case
      when p_unit = 'tokens' then coalesce((u.value ->> 'input_tokens')::numeric, 0)
        + coalesce((u.value ->> 'output_tokens')::numeric, 0) + coalesce((u.value ->> 'cache_write_tokens')::numeric, 0)
      when p.currency = p_unit and (u.value ->> 'subscription')::boolean is not true then p.cost end), 0)
    from jsonb_array_elements(p_usage -> 'models') u
    cross join lateral private.price_usage(u.value) p
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.usage_key_json(p_part text, p_key text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case p_part
    when 'by_model' then jsonb_build_object('model_id', p_key)
    when 'by_day' then jsonb_build_object('date', p_key)
    when 'by_sprint' then jsonb_build_object('sprint_id', p_key,
      'sprint_code', (select x.code from public.sprints x where x.id = p_key::uuid))
    when 'by_run' then (
      select jsonb_build_object('sprint_run_id', p_key, 'branch', max(x.branch), 'created_at', max(x.created_at))
      from public.sprint_runs x where x.id = p_key::uuid)
    when 'by_story' then (
      select jsonb_build_object('story_id', p_key, 'story_code', max(x.code), 'story_title', max(x.title))
      from public.stories x where x.id = p_key::uuid)
    when 'by_task' then (
      select jsonb_build_object('task_id', p_key, 'task_code', max(x.code), 'task_title', max(x.title))
      from public.tasks x where x.id = p_key::uuid)
    when 'by_worker' then jsonb_build_object('worker_id', p_key,
      'worker_name', (select x.name from public.agent_workers x where x.id = p_key::uuid))
    else '{}'
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.verifiers_report(p_report private.job_report)
 RETURNS private.job_report
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  p_report.verify_result := null;
  p_report.base_sha := null;
  p_report.head_sha := null;
  p_report.branch := null;
  p_report.pushed_at := null;
  p_report.pr_url := null;
  return p_report;
end;
$function$;

CREATE OR REPLACE FUNCTION private.verify_rounds(p_job_id uuid)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select count(distinct e.attempt) from public.evidence e
    where e.job_id = p_job_id and e.grade = 'other_worker' and e.verdict <> 'pass');
end;
$function$;

CREATE OR REPLACE FUNCTION private.verify_work(p_job public.agent_jobs, p_execution public.task_executions, p_verify_result text, p_changed_files jsonb, p_evidence jsonb, p_base_sha text, p_head_sha text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
  v_plan text := coalesce(p_execution.plan_snapshot, p_job.plan_snapshot);
  v_required public.verify_required;
  v_result public.verify_result;
  v_outcome text;
  v_missing jsonb;
begin
  if jsonb_typeof(coalesce(p_changed_files, '[]')) <> 'array' or length(coalesce(p_changed_files, '[]')::text) > 262144
    or length(coalesce(p_evidence, '{}')::text) > 65536 then
    perform private.refuse(422, 'changed_files must be a list of paths (256 KiB at most), evidence at most 64 KiB of JSON.');
  end if;
  select t.* into v_task from public.tasks t where t.id = coalesce(p_execution.task_id, p_job.task_id);
  v_required := coalesce(p_execution.verify_required, v_task.verify_required);
  v_result := coalesce(
    case when jsonb_array_length(p_changed_files) = 0 then 'EMPTY'::public.verify_result end,
    private.require_choice('verify_result', p_verify_result, array['ALIGNED', 'PARTIAL', 'EMPTY', 'DIVERGENT'])::public.verify_result,
    private.classify_diff(v_plan, p_changed_files));
  if v_result is null then
    perform private.refuse(422, 'Give verify_result (aligned, partial, empty, divergent) or changed_files.');
  end if;

  if p_execution.id is not null then
    update public.task_executions e set verify_result = v_result where e.id = p_execution.id;
  end if;
  update public.agent_jobs j
  set verify_result = case when p_execution.id is null then v_result else j.verify_result end,
      base_sha = coalesce(j.base_sha, left(p_base_sha, 64)), head_sha = coalesce(left(p_head_sha, 64), j.head_sha),
      evidence = coalesce(p_evidence, j.evidence)
  where j.id = p_job.id;

  perform private.note_head(v_task.story_id, p_job, p_head_sha);

  v_outcome := private.gate(v_required, v_result, v_task.verify_only);
  v_missing := case when v_outcome = 'DONE' then private.proof_gap(v_task.id) end;
  if v_missing is not null then
    v_outcome := null;
  end if;
  return json_build_object('job_id', p_job.id, 'task_id', v_task.id, 'task_code', v_task.code,
    'execution_id', p_execution.id, 'verify_result', v_result, 'verify_required', v_required,
    'verify_only', v_task.verify_only, 'passes', v_outcome is not null, 'report', lower(v_outcome),
    'plan', v_plan, 'missing', coalesce(v_missing, '[]'),
    'hint', case v_outcome
      when 'DONE' then 'The gate is open: report done.'
      when 'SKIPPED' then 'Nothing differs from the main branch: the work is already present. Report skipped.'
      else case when v_missing is not null then 'Not proven yet, and the product asks for it: '
        || (select string_agg(m ->> 'message', ' ') from jsonb_array_elements(v_missing) m)
      else format('The gate needs %s. Finish what is missing and verify again, or report failed with failure_class verification_failed.', v_required) end
    end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.waiting_for(p_task_ids uuid[], p_story_ids uuid[] DEFAULT '{}'::uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story_ids uuid[] := p_story_ids || array(select t.story_id from public.tasks t where t.id = any (p_task_ids));
begin
  return array(
    select d.blocked_id from public.task_dependencies d where d.blocker_id = any (p_task_ids)
    union
    select t.id from public.story_dependencies d join public.tasks t on t.story_id = d.blocked_id where d.blocker_id = any (v_story_ids));
end;
$function$;

CREATE OR REPLACE FUNCTION private.waive_criterion(p_story_id uuid, p_criterion text, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write('story', p_story_id);
  v_text text;
begin
  if private.is_token() then
    perform private.refuse(403, 'Only a person who is signed in can waive a criterion, not an API token.');
  end if;
  if btrim(coalesce(p_reason, '')) = '' or char_length(p_reason) > 2000 then
    perform private.refuse_evidence(null, 'reason', 'Say why this criterion need not be proven (at most 2000 characters).');
  end if;
  v_text := private.require_criterion(p_story_id, p_criterion, null);

  insert into public.waivers (product_id, story_id, criterion, criterion_text, reason, user_id, waived_by)
  values (v_product_id, p_story_id, p_criterion, v_text, btrim(p_reason), auth.uid(), coalesce(private.username(auth.uid()), 'somebody'))
  on conflict (story_id, criterion) do nothing;
  if not found then
    perform private.refuse(409, 'This criterion was waived before.');
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'criterion.waived', jsonb_build_object('product_id', v_product_id,
    'story_id', p_story_id, 'criterion', p_criterion, 'text', left(v_text, 500), 'reason', btrim(p_reason)));
  return private.proof_json(p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.waiver_json(p_waiver public.waivers)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_waiver.id is null then
    return null;
  end if;
  return json_build_object('reason', p_waiver.reason, 'waived_by', p_waiver.waived_by, 'created_at', p_waiver.created_at);
end;
$function$;

CREATE OR REPLACE FUNCTION private.warn_of_budget(p_budget public.budgets, p_spent numeric)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_from timestamptz := (private.budget_window(p_budget)).from_at;
begin
  if p_spent < 0.8 * p_budget.amount or p_budget.warned_at >= v_from then
    return;
  end if;
  update public.budgets b set warned_at = private.now()
  where b.id in (
    select x.id from public.budgets x where x.id = p_budget.id and (x.warned_at is null or x.warned_at < v_from) for update skip locked);
  if found then
    perform private.queue_notices('budget_warning', p_budget.product_id, null, true,
      format('%s of %s used', private.budget_amount_text(p_spent, p_budget.unit),
        private.budget_amount_text(p_budget.amount, p_budget.unit)),
      format('The budget of %s is nearly reached.', private.budget_name(p_budget)),
      case when p_budget.sprint_run_id is null then format('/products/%s/settings', p_budget.product_id)
        else format('/products/%s/runs/%s', p_budget.product_id, p_budget.sprint_run_id) end,
      private.budget_json(p_budget));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.weigh_budgets(p_product_id uuid, p_worker_id uuid, p_wait boolean)
 RETURNS private.budget_room[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_budget public.budgets;
  v_rooms private.budget_room[] := '{}';
  v_room private.budget_room;
  v_model_id text;
  v_spent numeric;
  v_work record;
  v_last_line bigint;
begin
  if not exists (select from public.budgets b where b.product_id = p_product_id) then
    return null;
  end if;
  if p_wait then
    perform pg_advisory_xact_lock(hashtextextended('budgets:' || p_product_id::text, 0));
  elsif not pg_try_advisory_xact_lock(hashtextextended('budgets:' || p_product_id::text, 0)) then
    return private.closed_budgets(p_product_id);
  end if;

  if (private.budget_settings_of(p_product_id)).unreported = 'refuse' and not private.reports_usage(p_worker_id) then
    return private.closed_budgets(p_product_id);
  end if;
  v_last_line := private.last_line(p_product_id);
  v_model_id := private.model_of_worker(p_worker_id);
  for v_budget in
    select b.* from public.budgets b
    where b.product_id = p_product_id
      and not exists (select from public.sprint_runs r where r.id = b.sprint_run_id and r.finished_at is not null)
    order by b.unit, b.id
  loop
    v_spent := private.budget_spent(v_budget);
    select * into v_work from private.budget_at_work(v_budget);
    -- What a task is expected to use is the same for all budgets in one unit.
    v_room := (v_budget.id, v_budget.unit, v_budget.amount - v_spent - v_work.reserved,
      case when v_room.unit = v_budget.unit then v_room.need else private.expected_use(p_product_id, v_budget.unit, v_model_id) end,
      null);
    v_room.is_full := private.is_budget_reached(v_budget)
      or (v_room.room < v_room.need and (v_work.jobs > 0 or v_room.room <= v_room.need / 10));
    v_rooms := v_rooms || v_room;
    perform private.warn_of_budget(v_budget, v_spent);
    if v_room.is_full and v_work.jobs = 0
      or coalesce((select s.last_id from private.budget_sums s where s.budget_id = v_budget.id), 0) < v_last_line - 1000 then
      update public.budgets b set due_at = private.now()
      where b.id in (select x.id from public.budgets x where x.id = v_budget.id and x.due_at is null for update skip locked);
    end if;
  end loop;
  return v_rooms;
end;
$function$;

CREATE OR REPLACE FUNCTION private.why_not_moving(p_kind text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind text := lower(private.require_choice('kind', p_kind, array['JOB', 'TASK', 'RUN']));
  v_job public.agent_jobs;
  v_run public.sprint_runs;
  v_status text;
  v_reasons jsonb;
begin
  if v_kind = 'job' then
    perform private.require_job(p_id);
    select j.* into v_job from public.agent_jobs j where j.id = p_id;
    v_status := lower(v_job.status::text);
    v_reasons := private.job_reasons(v_job);
  elsif v_kind = 'run' then
    perform private.require_run(p_id);
    select r.* into v_run from public.sprint_runs r where r.id = p_id;
    v_status := lower(v_run.status::text);
    v_reasons := private.run_reasons(v_run);
  else
    perform private.require_access('task', p_id);
    select private.task_status_word(t.status) into v_status from public.tasks t where t.id = p_id;
    v_reasons := private.task_reasons(p_id);
  end if;
  v_reasons := v_reasons || private.conflict_reasons(v_kind, p_id);
  return json_build_object('kind', v_kind, 'id', p_id, 'status', v_status,
    'moving', exists (select from jsonb_array_elements(v_reasons) r where r ->> 'code' = 'lease'),
    'reasons', v_reasons,
    'text', (select string_agg(r ->> 'message', ' ') from jsonb_array_elements(v_reasons) r));
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_heartbeat(p_worker text, p_hostname text, p_version text, p_quota_pct integer, p_stopped boolean, p_agents jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers;
  v_quota_reason text;
begin
  if p_quota_pct not between 0 and 100 then
    perform private.refuse(422, 'quota_pct must be 0 to 100.');
  end if;
  v_worker := private.ensure_worker(v_user_id, p_worker);
  if p_stopped then
    update public.agent_workers w set stopped_at = private.now() where w.id = v_worker.id;
  else
    perform private.touch_worker(v_worker.id, p_hostname, p_version, p_quota_pct);
    update public.agent_workers w set agents = p_agents
    where w.id = v_worker.id and p_agents is not null and w.agents is distinct from p_agents;
  end if;
  select w.* into v_worker from public.agent_workers w where w.id = v_worker.id;
  v_quota_reason := private.quota_reason(v_user_id, v_worker.last_quota_pct);
  return json_build_object('worker', private.worker_json(v_worker), 'may_claim', v_quota_reason is null,
    'reason', case when v_quota_reason is not null then json_build_object('code', 'quota', 'message', v_quota_reason) end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_json(p_worker public.agent_workers)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_minimum integer := (select u.min_quota_pct from public.users u where u.id = p_worker.user_id);
  v_online boolean := private.is_online(p_worker);
begin
  return to_jsonb(p_worker) || jsonb_build_object(
    'current_job_id', private.current_job_id(p_worker.id),
    'username', private.username(p_worker.user_id),
    'online', v_online,
    'min_quota_pct', v_minimum,
    'quota_ok', coalesce(p_worker.last_quota_pct >= v_minimum, true));
end;
$function$;

CREATE OR REPLACE FUNCTION private.worker_reasons(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_online integer;
  v_with_quota integer;
  v_without_consent text;
begin
  select count(*) filter (where m.workers_allowed),
    count(*) filter (where m.workers_allowed and (w.last_quota_pct is null or w.last_quota_pct >= u.min_quota_pct)),
    string_agg(distinct u.username, ', ') filter (where not m.workers_allowed)
  into v_online, v_with_quota, v_without_consent
  from public.agent_workers w
  join public.users u on u.id = w.user_id
  join public.product_members m on m.user_id = w.user_id and m.product_id = p_job.product_id
  where private.is_online(w)
    and (p_job.kind <> 'PLAN_CHAT' or w.user_id = p_job.created_by)
    and (p_job.phase <> 'verify' or w.id is distinct from p_job.author_worker_id);

  if v_online = 0 and p_job.phase = 'verify' and v_without_consent is null then
    return jsonb_build_array(jsonb_build_object('code', 'needs_other_worker',
      'message', format('The work is done and has to be looked at by another worker than %s: start one under another name.',
        coalesce((select w.name from public.agent_workers w where w.id = p_job.author_worker_id), 'the one that did it'))));
  end if;
  if v_online = 0 and v_without_consent is not null then
    return jsonb_build_array(jsonb_build_object('code', 'consent',
      'message', format('Workers of %s are online and may not work here yet: each of them switches on "My workers may work here" on the members page, or names the product to the worker.',
        v_without_consent)));
  end if;
  if v_online = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'no_worker',
      'message', 'No worker is online. Start one: the page Connect has the command.',
      'command', 'node backloom-worker.mjs --url <address> --token <token> --repo <folder> --agent <agent>'));
  end if;
  if v_with_quota = 0 then
    return jsonb_build_array(jsonb_build_object('code', 'quota',
      'message', format('%s online, all below the quota that their users want kept (min_quota_pct).', v_online), 'workers_online', v_online));
  end if;
  return '[]';
end;
$function$;

CREATE OR REPLACE FUNCTION private.workers_online(p_product_ids uuid[])
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select count(*) from public.agent_workers w
    where private.is_online(w) and exists (
      select from public.product_members m where m.user_id = w.user_id and m.product_id = any (p_product_ids)));
end;
$function$;

CREATE OR REPLACE FUNCTION private.write_down_expired(p_only_waiting boolean, p_locked uuid[] DEFAULT NULL::uuid[])
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_products uuid[] := p_locked;
  v_product_id uuid;
  v_question public.agent_questions;
  v_count integer := 0;
begin
  if v_products is null then
    v_products := array(
      select distinct q.product_id from public.agent_questions q
      where q.status = 'OPEN' and q.expires_at <= v_now and (not p_only_waiting or q.park or q.on_expiry <> 'STOP') order by 1);
    foreach v_product_id in array v_products loop
      perform private.lock_product(v_product_id);
    end loop;
  end if;

  for v_question in
    update public.agent_questions q
    set status = 'EXPIRED'
    where q.product_id = any (v_products) and q.status = 'OPEN' and q.expires_at <= v_now
      and (not p_only_waiting or q.park or q.on_expiry <> 'STOP')
    returning q.*
  loop
    v_count := v_count + 1;
    perform private.carry_out_expiry(v_question);
  end loop;
  return v_count;
end;
$function$;

CREATE OR REPLACE FUNCTION public.add_dependency(p_kind text, p_id uuid, p_blocked_by text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.add_dependency(p_kind, p_id, p_blocked_by);
end;
$function$;

CREATE OR REPLACE FUNCTION public.add_evidence(p_story_id uuid, p_evidence jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.add_evidence(p_story_id, p_evidence);
end;
$function$;

CREATE OR REPLACE FUNCTION public.add_job_comment(p_job_id uuid, p_attempt integer, p_path text, p_line integer, p_side text, p_line_text text, p_body text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.add_job_comment(p_job_id, p_attempt, p_path, p_line, p_side, p_line_text, p_body);
end;
$function$;

CREATE OR REPLACE FUNCTION public.allow_my_workers(p_product_id uuid, p_allowed boolean)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.allow_my_workers(p_product_id, p_allowed);
end;
$function$;

CREATE OR REPLACE FUNCTION public.append_job_output(p_job_id uuid, p_attempt integer, p_entries jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.append_job_output(p_job_id, p_attempt, p_entries);
end;
$function$;

CREATE OR REPLACE FUNCTION public.approve_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_no_demo();
  return private.answer_pairing(p_pairing_id, p_mobile_secret_hash, 'APPROVED');
end;
$function$;

CREATE OR REPLACE FUNCTION public.call_as(p_credential jsonb, p_function text, p_arguments jsonb DEFAULT '{}'::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_principal private.principal := private.resolve_credential(p_credential);
  v_caller text := current_setting('role');
  v_claims text := coalesce(current_setting('request.jwt.claims', true), '');
  v_statement text;
  v_writes boolean;
  v_answer json;
begin
  select c.p_statement, c.p_writes into v_statement, v_writes
  from private.build_call(p_function, p_arguments) c;

  perform private.become_user(v_principal, v_writes);
  execute v_statement into v_answer using p_arguments;

  perform set_config('role', v_caller, true), set_config('request.jwt.claims', v_claims, true);
  return v_answer;
end;
$function$;

CREATE OR REPLACE FUNCTION public.cancel_pairing(p_pairing_id uuid, p_mobile_secret_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_no_demo();
  return private.answer_pairing(p_pairing_id, p_mobile_secret_hash, 'CANCELLED');
end;
$function$;

CREATE OR REPLACE FUNCTION public.change_things(p_things jsonb, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_thing record;
  v_product_id uuid;
  v_own uuid;
  v_changed integer := 0;
  v_skipped integer := 0;
begin
  if jsonb_typeof(p_things) is distinct from 'array' or jsonb_array_length(p_things) not between 1 and 500 then
    perform private.refuse(422, 'Choose 1 to 500 things.');
  end if;
  perform private.take_rate_limit('change', auth.uid()::text);

  for v_thing in
    select distinct on (i.value ->> 'id') i.value ->> 'kind' as kind, (i.value ->> 'id')::uuid as id, i.place
    from jsonb_array_elements(p_things) with ordinality i (value, place)
    order by i.value ->> 'id', i.place
  loop
    v_own := private.require_access(v_thing.kind, v_thing.id);
    v_product_id := coalesce(v_product_id, v_own);
    if v_own <> v_product_id then
      perform private.refuse(422, 'Change things of one product at a time.');
    end if;
    perform private.require_write(v_thing.kind, v_thing.id);
    begin
      if private.change_thing(v_thing.kind, v_thing.id, p_changes) then
        v_changed := v_changed + 1;
      else
        v_skipped := v_skipped + 1;
      end if;
    exception when others then
      if sqlstate not like 'PT%' or jsonb_array_length(p_things) = 1 then
        raise;
      end if;
      raise exception using errcode = sqlstate,
        message = format('%s: %s Nothing was changed.', private.code_of(v_thing.kind, v_thing.id), sqlerrm);
    end;
  end loop;
  return jsonb_build_object('changed', v_changed, 'skipped', v_skipped) || private.released();
end;
$function$;

CREATE OR REPLACE FUNCTION public.claim_schedule_run(p_name text, p_due_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_taken integer;
begin
  delete from public.schedule_runs where due_at < clock_timestamp() - interval '30 days';

  insert into public.schedule_runs (name, due_at)
  values (p_name, p_due_at)
  on conflict (name, due_at) do update
    set claimed_at = clock_timestamp()
    where schedule_runs.finished_at is null
      and schedule_runs.claimed_at < clock_timestamp() - interval '5 minutes';
  get diagnostics v_taken = row_count;

  return to_json(v_taken = 1);
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_from_list(p_items jsonb, p_pbi_id uuid DEFAULT NULL::uuid, p_story_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_product_id uuid := private.require_write(case when p_pbi_id is null then 'story' else 'pbi' end, coalesce(p_pbi_id, p_story_id));
  v_item jsonb;
  v_task jsonb;
  v_story jsonb;
  v_stories jsonb := '[]';
  v_tasks jsonb := '[]';
begin
  if num_nonnulls(p_pbi_id, p_story_id) <> 1 then
    perform private.refuse(422, 'A list goes into a PBI or into a story: name one of them.');
  end if;
  if jsonb_typeof(p_items) is distinct from 'array' or jsonb_array_length(p_items) not between 1 and 100 then
    perform private.refuse(422, 'A list has 1 to 100 lines.');
  end if;
  perform private.lock_product(v_product_id);
  for v_item in select i.value from jsonb_array_elements(p_items) with ordinality i (value, place) order by i.place loop
    if p_story_id is not null then
      v_tasks := v_tasks || jsonb_build_array(
        public.create_task(p_story_id, v_item ->> 'title', coalesce(v_item ->> 'description', ''))::jsonb -> 'code');
      continue;
    end if;
    v_story := public.create_story(p_pbi_id, v_item ->> 'title', coalesce(v_item ->> 'description', ''));
    v_stories := v_stories || jsonb_build_array(v_story -> 'code');
    for v_task in
      select t.value from jsonb_array_elements(coalesce(v_item -> 'tasks', '[]')) with ordinality t (value, place) order by t.place
    loop
      v_tasks := v_tasks || jsonb_build_array(
        public.create_task((v_story ->> 'id')::uuid, v_task ->> 'title', coalesce(v_task ->> 'description', ''))::jsonb -> 'code');
    end loop;
  end loop;
  if jsonb_array_length(v_stories) + jsonb_array_length(v_tasks) > 150 then
    perform private.refuse(422, 'At most 150 stories and tasks at once. Paste the list in two parts.');
  end if;
  return json_build_object('stories', v_stories, 'tasks', v_tasks);
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_product(p_code text, p_name text, p_description text DEFAULT ''::text, p_repo_url text DEFAULT ''::text, p_definition_of_done text DEFAULT ''::text, p_auto_pr boolean DEFAULT false, p_pr_strategy text DEFAULT 'SPRINT'::text, p_done_requires text DEFAULT 'none'::text, p_dependency_release text DEFAULT 'done'::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_no_demo();
  insert into public.products (id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires,
    dependency_release)
  values (v_id, p_code, p_name, coalesce(p_description, ''), coalesce(p_repo_url, ''), coalesce(p_definition_of_done, ''),
    coalesce(p_auto_pr, false), coalesce(p_pr_strategy, 'SPRINT')::public.pr_strategy, coalesce(p_done_requires, 'none')::public.done_requires,
    coalesce(p_dependency_release, 'done')::public.dependency_release);
  return public.get_product(v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_saved_view(p_product_id uuid, p_page text, p_name text, p_look jsonb, p_shared boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.create_saved_view(p_product_id, p_page, p_name, p_look, coalesce(p_shared, false));
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_session(p_user_id uuid, p_user_agent text DEFAULT NULL::text, p_ip text DEFAULT NULL::text, p_previous_session_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now timestamptz := private.now();
  v_user public.users;
  v_session public.user_sessions;
begin
  select * into v_user from public.users u where u.id = p_user_id for share;
  if not found then
    raise exception using errcode = 'PT401', message = 'This account no longer exists. Sign in with another one.';
  end if;

  delete from public.user_sessions s
  where s.user_id = p_user_id and least(s.expires_at, s.revoked_at) < v_now - interval '30 days';
  update public.user_sessions set revoked_at = v_now
  where id = p_previous_session_id and revoked_at is null;

  insert into public.user_sessions (user_id, user_agent, ip, expires_at, last_seen_at, created_at)
  values (p_user_id, left(p_user_agent, 255), left(p_ip, 45), v_now + interval '30 days', v_now, v_now)
  returning * into v_session;
  -- The same browser and the same person: it goes on being told.
  update public.push_subscriptions set session_id = v_session.id
  where session_id = p_previous_session_id and user_id = p_user_id;

  perform private.audit(p_user_id, p_user_id, 'session.started',
    jsonb_build_object('session_id', v_session.id, 'user_agent', v_session.user_agent), p_ip);
  return json_build_object('session_id', v_session.id, 'user_id', v_user.id, 'is_demo', v_user.is_demo,
    'must_reset_password', v_user.must_reset_password, 'theme', v_user.theme);
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_story(p_pbi_id uuid, p_title text, p_description text DEFAULT ''::text, p_acceptance_criteria text DEFAULT ''::text, p_code text DEFAULT NULL::text, p_priority integer DEFAULT 3, p_sprint_id uuid DEFAULT NULL::uuid, p_assignee_id uuid DEFAULT NULL::uuid, p_blocked_by jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
begin
  if p_sprint_id is not null then
    perform private.require_access('sprint', p_sprint_id);
  end if;
  perform private.require_assignee(v_product_id, p_assignee_id);

  insert into public.stories
    (id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id)
  values
    (v_id, p_pbi_id, p_code, p_title, coalesce(p_description, ''), coalesce(p_acceptance_criteria, ''),
      coalesce(p_priority, 3), p_sprint_id, p_assignee_id);
  perform private.add_dependencies('story', v_id, p_blocked_by);
  return (select row_to_json(s) from private.story_shape s where s.id = v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_task(p_story_id uuid, p_title text, p_description text DEFAULT ''::text, p_code text DEFAULT NULL::text, p_implementation_plan text DEFAULT NULL::text, p_priority integer DEFAULT 3, p_repo_url text DEFAULT NULL::text, p_verify_only boolean DEFAULT false, p_verify_required text DEFAULT 'ALIGNED_OR_PARTIAL'::text, p_requires_opus boolean DEFAULT false, p_estimated_minutes integer DEFAULT NULL::integer, p_blocked_by jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_write('story', p_story_id);

  insert into public.tasks
    (id, story_id, code, title, description, implementation_plan, priority, repo_url, verify_only, verify_required,
      requires_opus, estimated_minutes)
  values
    (v_id, p_story_id, p_code, p_title, coalesce(p_description, ''), p_implementation_plan, coalesce(p_priority, 3),
      p_repo_url, coalesce(p_verify_only, false),
      coalesce(p_verify_required, 'ALIGNED_OR_PARTIAL')::public.verify_required, coalesce(p_requires_opus, false),
      p_estimated_minutes);
  perform private.add_dependencies('task', v_id, p_blocked_by);
  return (select row_to_json(t) from private.task_detail_shape t where t.id = v_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.delete_budget(p_product_id uuid, p_budget_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.delete_budget(p_product_id, p_budget_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.delete_job_comment(p_job_id uuid, p_comment_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.delete_job_comment(p_job_id, p_comment_id);
  return 'null'::json;
end;
$function$;

CREATE OR REPLACE FUNCTION public.delete_saved_view(p_view_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.delete_saved_view(p_view_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.edit_task(p_task_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status := private.parse_task_status(p_changes ->> 'status');
begin
  perform private.parse_choice('verify_required', p_changes ->> 'verify_required', '{ALIGNED,ALIGNED_OR_PARTIAL,ANY}');
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, v_status);
  perform private.heed_waiting(p_task_id, v_status, (p_changes ->> 'confirmed')::boolean);

  update public.tasks t
  set title = coalesce(p_changes ->> 'title', t.title),
      description = coalesce(p_changes ->> 'description', t.description),
      code = coalesce(p_changes ->> 'code', t.code),
      priority = coalesce((p_changes ->> 'priority')::integer, t.priority),
      status = coalesce(v_status, t.status),
      verify_only = coalesce((p_changes ->> 'verify_only')::boolean, t.verify_only),
      verify_required = coalesce((p_changes ->> 'verify_required')::public.verify_required, t.verify_required),
      requires_opus = coalesce((p_changes ->> 'requires_opus')::boolean, t.requires_opus),
      implementation_plan = case when p_changes ? 'implementation_plan' then p_changes ->> 'implementation_plan' else t.implementation_plan end,
      repo_url = case when p_changes ? 'repo_url' then p_changes ->> 'repo_url' else t.repo_url end,
      estimated_minutes = case when p_changes ? 'estimated_minutes' then (p_changes ->> 'estimated_minutes')::integer else t.estimated_minutes end
  where t.id = p_task_id;
  return (select to_jsonb(t) || private.released() from private.task_detail_shape t where t.id = p_task_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.export_product(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object(
      'format', 'backloom-export', 'version', 1, 'exported_at', private.export_time(private.now()),
      'product', json_build_object(
        'code', p.code, 'name', p.name, 'description', p.description, 'repo_url', p.repo_url,
        'definition_of_done', p.definition_of_done, 'auto_pr', p.auto_pr, 'pr_strategy', p.pr_strategy,
        'done_requires', p.done_requires, 'dependency_release', p.dependency_release,
        'archived_at', private.export_time(p.archived_at), 'created_at', private.export_time(p.created_at)),
      'members', (
        select coalesce(json_agg(json_build_object('username', u.username, 'role', m.role) order by u.username), '[]')
        from public.product_members m
        join public.users u on u.id = m.user_id
        where m.product_id = p.id),
      'sprints', (
        select coalesce(json_agg(json_build_object(
          'code', s.code, 'sprint_goal', s.sprint_goal, 'status', s.status,
          'start_date', s.start_date, 'end_date', s.end_date,
          'started_at', private.export_time(s.started_at), 'completed_at', private.export_time(s.completed_at),
          'created_at', private.export_time(s.created_at)
        ) order by private.sort_order_from_code(s.code)), '[]')
        from public.sprints s
        where s.product_id = p.id),
      'pbis', (
        select coalesce(json_agg(json_build_object(
          'code', b.code, 'title', b.title, 'description', b.description, 'priority', b.priority,
          'sort_order', b.sort_order, 'status', b.status, 'pr_url', b.pr_url,
          'pr_merged_at', private.export_time(b.pr_merged_at), 'created_at', private.export_time(b.created_at),
          'stories', private.export_stories(b.id)
        ) order by b.priority, b.sort_order, b.created_at, b.code), '[]')
        from public.pbis b
        where b.product_id = p.id),
      'ideas', private.export_ideas(p.id),
      'views', (
        select coalesce(json_agg(json_build_object('page', v.page, 'name', v.name, 'look', v.look) order by v.page, lower(v.name)), '[]')
        from public.saved_views v
        where v.product_id = p.id and v.user_id is null),
      'counters', (
        select coalesce(json_object_agg(c.kind, c.last_number order by c.kind), '{}')
        from public.code_counters c
        where c.scope_id = p.id)
    )
    from public.products p
    where p.id = p_product_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.find_login_identity(p_identifier text, p_session_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_user public.users;
  v_is_known boolean;
begin
  if position('@' in p_identifier) > 0 then
    select * into v_user from public.users u where lower(u.email) = lower(p_identifier) limit 1;
  else
    select * into v_user from public.users u where lower(u.username) = lower(p_identifier);
  end if;

  if v_user.id is null then
    return json_build_object('user_id', null, 'is_known_browser', false, 'limit_key', 'account:' || lower(p_identifier),
      'email', coalesce((select u.email from public.users u order by u.id limit 1), 'nobody@example.invalid'));
  end if;
  v_is_known := exists (select from public.user_sessions s where s.id = p_session_id and s.user_id = v_user.id);
  return json_build_object('user_id', v_user.id, 'email', v_user.email, 'is_known_browser', v_is_known,
    'limit_key', case when v_is_known then 'session:' || p_session_id else 'account:' || v_user.id end);
end;
$function$;

CREATE OR REPLACE FUNCTION public.find_wrong_counters()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.find_wrong_counters();
end;
$function$;

CREATE OR REPLACE FUNCTION public.finish_schedule_run(p_name text, p_due_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.schedule_runs
  set finished_at = clock_timestamp()
  where name = p_name and due_at = p_due_at;
  return json_build_object('ok', true);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_budgets(p_product_id uuid, p_sprint_run_id uuid DEFAULT NULL::uuid, p_sprint_id uuid DEFAULT NULL::uuid, p_task_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_budgets(p_product_id, p_sprint_run_id, p_sprint_id, p_task_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_dashboard()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products uuid[] := array(
    select p.id from public.products p
    where p.archived_at is null and p.id in (select private.accessible_product_ids()));
  v_today timestamptz := date_trunc('day', private.now() at time zone 'UTC') at time zone 'UTC';
begin
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(x) order by lower(x.name), x.id), '[]')
      from (
        select p.id, p.code, p.name, p.description, p.owner_id = auth.uid() as is_owner,
          (select count(*) from public.stories s where s.product_id = p.id and s.status = 'OPEN') as open_stories,
          (
            select row_to_json(a)
            from (
              select s.id, s.code, s.sprint_goal, s.end_date,
                (
                  select coalesce(json_agg(t.status order by st.sort_order, st.created_at, st.id, t.sort_order, t.created_at, t.id), '[]')
                  from public.tasks t join public.stories st on st.id = t.story_id
                  where st.sprint_id = s.id) as task_statuses
              from public.sprints s where s.product_id = p.id and s.status = 'ACTIVE'
            ) a
          ) as active_sprint,
          (
            select row_to_json(r)
            from (
              select r.id, lower(r.status::text) as status, r.started_at, r.created_at,
                (
                  select coalesce(json_agg(j.status order by j.position, j.id), '[]')
                  from public.agent_jobs j where j.sprint_run_id = r.id) as job_statuses
              from public.sprint_runs r
              where r.product_id = p.id and r.status in ('QUEUED', 'RUNNING', 'PAUSED')
              order by r.created_at desc
              limit 1
            ) r
          ) as run
        from public.products p
        where p.id = any (v_products)
      ) x),
    'added_to', (
      select coalesce(json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name,
        'owner_username', private.username(p.owner_id)) order by m.created_at, p.id), '[]')
      from public.product_members m
      join public.products p on p.id = m.product_id
      where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and p.id = any (v_products)),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at), '[]')
      from (
        select q.* from public.agent_questions q
        where q.status = 'OPEN' and q.expires_at > private.now() and q.product_id = any (v_products)
        order by q.created_at
        limit 5
      ) q),
    'reviews', (
      select coalesce(json_agg(row_to_json(t) order by t.changed_at desc), '[]')
      from (
        select t.id, t.code, t.title, p.name as product_name, t.updated_at as changed_at
        from public.tasks_in_review w
        join public.tasks t on t.id = w.task_id
        join public.products p on p.id = w.product_id
        where w.product_id = any (v_products)
        order by t.updated_at desc
        limit 5
      ) t),
    'costs_today', (
      select coalesce(json_agg(json_build_object('currency', s.currency, 'cost', s.cost) order by s.currency), '[]')
      from (
        select e.currency, round(sum(e.cost), 6) as cost
        from public.usage_events e
        where e.product_id = any (v_products) and e.created_at >= v_today and e.cost is not null
        group by e.currency
      ) s),
    'done_today', (
      select count(distinct c.task_id) from public.task_status_changes c
      where c.product_id = any (v_products) and c.changed_at >= v_today and c.to_status = 'DONE'
        -- Null is what an import brought as done already.
        and c.from_status <> 'DONE'),
    'workers_online', private.workers_online(v_products)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_forecast(p_product_id uuid, p_sprint_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_forecast(p_product_id, p_sprint_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_inbox(p_state text DEFAULT 'OPEN'::text, p_kinds jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_inbox(p_state, p_kinds);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_job_diff(p_job_id uuid, p_attempt integer DEFAULT NULL::integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_job_diff(p_job_id, p_attempt);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_job_output(p_job_id uuid, p_attempt integer DEFAULT NULL::integer, p_after bigint DEFAULT NULL::bigint, p_limit integer DEFAULT NULL::integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_job_output(p_job_id, p_attempt, p_after, p_limit);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_job_proof(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_job_proof(p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_proof(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_proof(p_story_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_shell(p_active_product_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object(
    'products', (
      select coalesce(json_agg(row_to_json(p) order by lower(p.name), p.id), '[]')
      from (
        select p.id, p.code, p.name
        from public.products p
        where p.archived_at is null and p.id in (select private.accessible_product_ids())
      ) p),
    'active_sprint_id', (
      select s.id from public.sprints s where s.product_id = p_active_product_id and s.status = 'ACTIVE'),
    'inbox', private.inbox_count()
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_solo_board(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_sprint uuid;
begin
  perform private.require_product_access(p_product_id);
  select s.id into v_sprint from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE';

  return json_build_object(
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = v_sprint),
    'stories', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, lower(s.status::text) as status, s.sort_order, s.created_at, s.pbi_id, s.assignee_id,
          private.username(s.assignee_id) as assignee_name,
          (
            select count(*) from public.agent_questions q
            where q.story_id = s.id and q.status = 'OPEN' and q.expires_at > private.now()
          ) as open_questions
        from public.stories s
        where s.sprint_id = v_sprint and (s.assignee_id is null or s.assignee_id = auth.uid())
      ) x),
    'tasks', private.board_tasks(v_sprint),
    'workers_online', private.workers_online(array[p_product_id])
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_sprint_board(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_product uuid := private.require_access('sprint', p_sprint_id);
  v_preflight json;
  v_forecast json;
begin
  if exists (select from public.sprints s where s.id = p_sprint_id and s.status = 'ACTIVE')
    and not exists (
      select from public.sprint_runs r where r.sprint_id = p_sprint_id and r.status in ('QUEUED', 'RUNNING', 'PAUSED'))
  then
    v_preflight := private.preflight_sprint_run(p_sprint_id);
    if (v_preflight ->> 'ready')::boolean then
      v_forecast := private.get_forecast(v_product, p_sprint_id);
    end if;
  end if;
  return json_build_object(
    'views', private.saved_views_of(v_product, 'board'),
    'sprint', (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id),
    'pr_strategy', (select p.pr_strategy from public.products p where p.id = v_product),
    'stories', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, lower(s.status::text) as status, s.sort_order, s.created_at, s.pbi_id, s.assignee_id,
          private.username(s.assignee_id) as assignee_name,
          (
            select count(*) from public.agent_questions q
            where q.story_id = s.id and q.status = 'OPEN' and q.expires_at > private.now()
          ) as open_questions
        from public.stories s where s.sprint_id = p_sprint_id
      ) x),
    'tasks', private.board_tasks(p_sprint_id),
    'run', (
      select row_to_json(r)
      from (
        select r.id, lower(r.status::text) as status, r.started_at, r.created_at, r.finished_at, r.pause_context,
          r.failure,
          (
            select coalesce(json_agg(j.status order by j.position, j.id), '[]')
            from public.agent_jobs j where j.sprint_run_id = r.id) as job_statuses
        from public.sprint_runs r
        where r.sprint_id = p_sprint_id
        order by r.created_at desc
        limit 1
      ) r),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_product),
    'candidates', (
      select coalesce(json_agg(row_to_json(x) order by x.sort_order, x.created_at, x.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at,
          (select count(*) from public.tasks t where t.story_id = s.id) as task_count
        from public.stories s
        where s.product_id = v_product and s.sprint_id is null
          -- As text: as a status it would allow the index of all stories that are not done, which is then read from end to
          -- end instead of the one product's part of the index by sprint.
          and s.status::text in ('OPEN', 'FAILED')
        order by s.sort_order, s.created_at, s.id
        limit 200
      ) x),
    'budgets', public.get_budgets(v_product, null, p_sprint_id),
    'preflight', v_preflight,
    'forecast', v_forecast,
    'burndown', private.get_sprint_burndown(p_sprint_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_sprint_review(p_sprint_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.get_sprint_review(p_sprint_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_story_page(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_story public.stories;
begin
  perform private.require_access('story', p_story_id);
  select s.* into v_story from public.stories s where s.id = p_story_id;

  return json_build_object(
    'story', (select row_to_json(s) from private.story_shape s where s.id = p_story_id),
    'assignee_name', private.username(v_story.assignee_id),
    'dependencies', public.list_dependencies('story', p_story_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'archived', p.archived_at is not null,
        'is_owner', p.owner_id = auth.uid())
      from public.products p where p.id = v_story.product_id),
    'pbi', (
      select json_build_object('id', b.id, 'code', b.code, 'title', b.title)
      from public.pbis b where b.id = v_story.pbi_id),
    'sprint', (
      select json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
      from public.sprints s where s.id = v_story.sprint_id),
    'sprints', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'status', lower(s.status::text))
        order by s.created_at desc), '[]')
      from public.sprints s where s.product_id = v_story.product_id and s.status in ('PLANNED', 'ACTIVE')),
    'pbis', (
      select coalesce(json_agg(json_build_object('id', b.id, 'code', b.code, 'title', b.title)
        order by b.priority, b.sort_order), '[]')
      from public.pbis b where b.product_id = v_story.product_id),
    'members', (
      select coalesce(json_agg(json_build_object('id', m.user_id, 'username', private.username(m.user_id))), '[]')
      from public.product_members m where m.product_id = v_story.product_id),
    'tasks', (
      select coalesce(json_agg(row_to_json(t) order by t.sort_order, t.created_at, t.id), '[]')
      from (
        select x.*, (
          select json_build_object('job_id', j.id, 'additions', j.additions, 'deletions', j.deletions)
          from public.agent_jobs j
          where j.task_id = x.id and j.kind = 'TASK_IMPLEMENTATION' and j.additions is not null
          order by j.created_at desc limit 1
        ) as changes
        from private.task_shape x where x.story_id = p_story_id
      ) t),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.story_id = p_story_id),
    'logs', (
      select coalesce(json_agg(row_to_json(l) order by l.created_at desc, l.id), '[]')
      from (
        select * from private.story_log_shape l
        where l.story_id = p_story_id
        order by l.created_at desc
        limit 100
      ) l)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.get_task_page(p_task_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_task public.tasks;
begin
  perform private.require_access('task', p_task_id);
  select t.* into v_task from public.tasks t where t.id = p_task_id;

  return json_build_object(
    'task', (select row_to_json(t) from private.task_detail_shape t where t.id = p_task_id),
    'product', (
      select json_build_object('id', p.id, 'name', p.name, 'repo_url', p.repo_url, 'archived', p.archived_at is not null,
        'is_owner', p.owner_id = auth.uid())
      from public.products p where p.id = v_task.product_id),
    'story', (
      select json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'sprint_id', s.sprint_id)
      from public.stories s where s.id = v_task.story_id),
    'stories', (
      select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title) order by s.sort_order, s.created_at, s.id), '[]')
      from (
        select s.id, s.code, s.title, s.sort_order, s.created_at
        from public.stories s
        where s.product_id = v_task.product_id and (s.status in ('OPEN', 'IN_SPRINT') or s.id = v_task.story_id)
        order by s.sort_order, s.created_at, s.id
        limit 300
      ) s),
    'jobs', (
      select coalesce(json_agg(private.job_json(j) order by j.created_at desc), '[]')
      from public.agent_jobs j where j.task_id = p_task_id),
    'imported_reviews', private.imported_reviews(p_task_id),
    'dependencies', public.list_dependencies('task', p_task_id),
    'waits_for', (
      select coalesce(json_agg(b.code order by b.sort_order, b.code), '[]')
      from private.task_blockers b where b.task_id = p_task_id and not b.resolved),
    'questions', (
      select coalesce(json_agg(private.question_json(q) order by q.created_at desc), '[]')
      from public.agent_questions q where q.task_id = p_task_id),
    'history', (
      select coalesce(json_agg(row_to_json(c) order by c.changed_at desc, c.id desc), '[]')
      from (
        select c.id, lower(c.to_status::text) as to_status, c.changed_at
        from public.task_status_changes c
        where c.task_id = p_task_id and c.from_status is distinct from c.to_status
        order by c.changed_at desc, c.id desc
        limit 20
      ) c)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.give_back_limit(p_action text, p_key text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.rate_limit_counters c set count = greatest(c.count - 1, 0)
  where c.action = p_action and c.key = p_key;
  return json_build_object('ok', true);
end;
$function$;

CREATE OR REPLACE FUNCTION public.heartbeat_agent_job(p_job_id uuid, p_attempt integer, p_quota_pct integer DEFAULT NULL::integer, p_usage jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.heartbeat_agent_job(p_job_id, p_attempt, p_quota_pct, p_usage);
end;
$function$;

CREATE OR REPLACE FUNCTION public.import_dependencies(p_product_id uuid, p_dependencies jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.import_dependencies(p_product_id, p_dependencies);
end;
$function$;

CREATE OR REPLACE FUNCTION public.import_product(p_owner_id uuid, p_document jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_product jsonb := p_document -> 'product';
  v_product_id uuid;
  v_pbis jsonb;
begin
  insert into public.products
    (owner_id, code, name, description, repo_url, definition_of_done, auto_pr, pr_strategy, done_requires, dependency_release,
      created_at)
  values (
    p_owner_id, v_product ->> 'code', v_product ->> 'name', v_product ->> 'description', v_product ->> 'repo_url',
    v_product ->> 'definition_of_done', (v_product ->> 'auto_pr')::boolean,
    (v_product ->> 'pr_strategy')::public.pr_strategy, (v_product ->> 'done_requires')::public.done_requires,
    coalesce(v_product ->> 'dependency_release', 'done')::public.dependency_release,
    coalesce((v_product ->> 'created_at')::timestamptz, private.now()))
  returning id into v_product_id;

  perform private.lock_product(v_product_id);

  insert into public.product_members (product_id, user_id)
  select distinct v_product_id, u.id
  from jsonb_array_elements(p_document -> 'members') m
  join public.users u on lower(u.username) = lower(m ->> 'username')
  where u.id <> p_owner_id;

  insert into public.code_counters (scope_id, kind, last_number)
  select v_product_id, c.key, c.value::bigint
  from jsonb_each_text(p_document -> 'counters') c
  where c.key in ('pbi', 'story', 'task', 'sprint');

  insert into public.saved_views (product_id, created_by, page, name, look)
  select v_product_id, p_owner_id, v ->> 'page', v ->> 'name', v -> 'look'
  from jsonb_array_elements(p_document -> 'views') v
  on conflict do nothing;

  insert into public.sprints
    (product_id, code, sprint_goal, status, start_date, end_date, started_at, completed_at, created_at)
  select v_product_id, s ->> 'code', s ->> 'sprint_goal', (s ->> 'status')::public.sprint_status,
    (s ->> 'start_date')::date, (s ->> 'end_date')::date, (s ->> 'started_at')::timestamptz,
    (s ->> 'completed_at')::timestamptz, coalesce((s ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_document -> 'sprints') s;

  select jsonb_agg(e.pbi || jsonb_build_object('id', gen_random_uuid()) order by e.place)
  into v_pbis
  from jsonb_array_elements(p_document -> 'pbis') with ordinality e (pbi, place);

  insert into public.pbis
    (id, product_id, code, title, description, priority, sort_order, status, pr_url, pr_merged_at, created_at)
  select (e.pbi ->> 'id')::uuid, v_product_id, e.pbi ->> 'code', e.pbi ->> 'title', e.pbi ->> 'description',
    (e.pbi ->> 'priority')::integer, (e.pbi ->> 'sort_order')::double precision,
    (e.pbi ->> 'status')::public.pbi_status, e.pbi ->> 'pr_url', (e.pbi ->> 'pr_merged_at')::timestamptz,
    coalesce((e.pbi ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_pbis) with ordinality e (pbi, place)
  order by e.place;

  return json_build_object(
    'id', v_product_id,
    'code', v_product ->> 'code',
    'pbi_codes', (
      select coalesce(json_agg(b.code order by e.place), '[]')
      from jsonb_array_elements(v_pbis) with ordinality e (pbi, place)
      join public.pbis b on b.id = (e.pbi ->> 'id')::uuid),
    'unknown_users', (
      select coalesce(json_agg(distinct m ->> 'username'), '[]')
      from jsonb_array_elements(p_document -> 'members') m
      where not exists (select from public.users u where lower(u.username) = lower(m ->> 'username'))));
end;
$function$;

CREATE OR REPLACE FUNCTION public.import_stories(p_product_id uuid, p_owner_id uuid, p_stories jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_stories jsonb;
  v_tasks jsonb;
begin
  perform private.lock_product(p_product_id);

  select jsonb_agg(e.story || jsonb_build_object('id', gen_random_uuid()) order by e.place)
  into v_stories
  from jsonb_array_elements(p_stories) with ordinality e (story, place);

  insert into public.stories
    (id, product_id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, b.id, e.story ->> 'code', e.story ->> 'title',
    e.story ->> 'description', e.story ->> 'acceptance_criteria', (e.story ->> 'priority')::integer, s.id, m.user_id,
    coalesce((e.story ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  join public.pbis b on b.product_id = p_product_id and b.code = e.story ->> 'pbi'
  left join public.sprints s on s.product_id = p_product_id and s.code = e.story ->> 'sprint'
  left join public.users u on lower(u.username) = lower(e.story ->> 'assignee')
  left join public.product_members m on m.product_id = p_product_id and m.user_id = u.id
  order by e.place;

  select jsonb_agg(
    t.task || jsonb_build_object('id', gen_random_uuid(), 'story_id', e.story -> 'id') order by e.place, t.place)
  into v_tasks
  from jsonb_array_elements(v_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'tasks') with ordinality t (task, place);

  insert into public.tasks
    (id, product_id, story_id, code, title, description, implementation_plan, priority, status, repo_url, verify_only,
     verify_required, requires_opus, estimated_minutes, created_at)
  select (e.task ->> 'id')::uuid, p_product_id, (e.task ->> 'story_id')::uuid, e.task ->> 'code', e.task ->> 'title',
    e.task ->> 'description', e.task ->> 'implementation_plan', (e.task ->> 'priority')::integer,
    (e.task ->> 'status')::public.task_status, e.task ->> 'repo_url', (e.task ->> 'verify_only')::boolean,
    (e.task ->> 'verify_required')::public.verify_required, (e.task ->> 'requires_opus')::boolean,
    (e.task ->> 'estimated_minutes')::integer, coalesce((e.task ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_tasks) with ordinality e (task, place)
  order by e.place;

  insert into public.story_logs
    (story_id, product_id, type, content, status, commit_hash, commit_message, metadata, user_id, created_at)
  select (e.story ->> 'id')::uuid, p_product_id, (l ->> 'type')::public.story_log_type, l ->> 'content',
    (l ->> 'status')::public.story_log_status, l ->> 'commit_hash', l ->> 'commit_message',
    nullif(l -> 'metadata', 'null'), coalesce(u.id, p_owner_id),
    coalesce((l ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_stories) e (story)
  cross join lateral jsonb_array_elements(e.story -> 'log') l
  left join public.users u on lower(u.username) = lower(l ->> 'username');

  perform private.import_proof(p_product_id, v_stories);
  perform private.import_reviews(p_product_id, v_tasks);

  return json_build_object(
    'story_codes', (
      select coalesce(json_agg(s.code order by e.place), '[]')
      from jsonb_array_elements(v_stories) with ordinality e (story, place)
      join public.stories s on s.id = (e.story ->> 'id')::uuid),
    'task_codes', (
      select coalesce(json_agg(t.code order by e.place), '[]')
      from jsonb_array_elements(v_tasks) with ordinality e (task, place)
      join public.tasks t on t.id = (e.task ->> 'id')::uuid));
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_candidates(p_kind text, p_id uuid, p_query text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_candidates(p_kind, p_id, p_query);
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_dependencies(p_kind text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_dependencies(p_kind, p_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_job_comments(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_job_comments(p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_open_user_questions(p_product_id uuid DEFAULT NULL::uuid, p_limit integer DEFAULT 50, p_cursor uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_open_user_questions(p_product_id, p_limit, p_cursor);
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_product_members(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_product_access(p_product_id);

  return (
    select coalesce(json_agg(row_to_json(x)), '[]')
    from (
      select
        m.user_id, private.username(m.user_id) as username, m.role, m.workers_allowed,
        to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
      from public.product_members m
      where m.product_id = p_product_id
      order by m.role, lower(private.username(m.user_id))
    ) x
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_ready(p_product_id uuid, p_limit integer DEFAULT 50)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_ready(p_product_id, p_limit);
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_run_order(p_sprint_run_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_run_order(p_sprint_run_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_saved_views(p_product_id uuid, p_page text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_access('product', p_product_id);
  return json_build_object('views', private.saved_views_of(p_product_id, p_page));
end;
$function$;

CREATE OR REPLACE FUNCTION public.list_sent_messages(p_topics jsonb)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_array(s.topic, s.event -> 'seq', s.event -> 'xid')), '[]')
    from (
      select m.topic, m.payload -> 'events' -> 0 as event
      from realtime.messages as m
      where m.inserted_at > localtimestamp - interval '1 minute'
        and m.topic = any (array(select jsonb_array_elements_text(p_topics)))
        and m.extension = 'broadcast'
        and m.private is true
        and m.event = 'change'
      order by m.inserted_at desc
      limit 5000
    ) as s
    where s.event ? 'seq'
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.mark_inbox_item(p_kind text, p_item_id uuid, p_mark text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.mark_inbox_item(p_kind, p_item_id, p_mark, p_until);
end;
$function$;

CREATE OR REPLACE FUNCTION public.move_stories(p_story_ids jsonb, p_sprint_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_story_ids uuid[] := array(select i.id::uuid from jsonb_array_elements_text(p_story_ids) with ordinality i (id, place) order by i.place);
  v_story_id uuid;
  v_product_id uuid;
begin
  if cardinality(v_story_ids) not between 1 and 500 then
    perform private.refuse(422, 'Choose 1 to 500 stories.');
  end if;
  v_product_id := private.require_access('story', v_story_ids[1]);
  foreach v_story_id in array v_story_ids loop
    if private.require_access('story', v_story_id) <> v_product_id then
      perform private.refuse(422, 'Move stories of one product at a time.');
    end if;
    begin
      if p_sprint_id is null then
        perform public.remove_story_from_sprint(v_story_id);
      else
        perform public.add_story_to_sprint(p_sprint_id, v_story_id);
      end if;
    exception when others then
      if sqlstate not like 'PT%' then
        raise;
      end if;
      raise exception using errcode = sqlstate,
        message = format('%s: %s No story has moved.', (select s.code from public.stories s where s.id = v_story_id), sqlerrm);
    end;
  end loop;
  return json_build_object('moved', cardinality(v_story_ids));
end;
$function$;

CREATE OR REPLACE FUNCTION public.read_job_stream(p_job_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.read_job_stream(p_job_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.remove_dependency(p_kind text, p_id uuid, p_blocker text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.remove_dependency(p_kind, p_id, p_blocker);
end;
$function$;

CREATE OR REPLACE FUNCTION public.report_agent_job(p_job_id uuid, p_attempt integer, p_report jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.report_agent_job(p_job_id, p_attempt, p_report);
end;
$function$;

CREATE OR REPLACE FUNCTION public.report_job_conflict(p_job_id uuid, p_attempt integer, p_conflict jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.report_job_conflict(p_job_id, p_attempt, p_conflict);
end;
$function$;

CREATE OR REPLACE FUNCTION public.report_job_usage(p_job_id uuid, p_attempt integer, p_usage jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.report_job_usage(p_job_id, p_attempt, p_usage);
end;
$function$;

CREATE OR REPLACE FUNCTION public.report_merged(p_job_id uuid, p_head_sha text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.report_merged(p_job_id, p_head_sha);
end;
$function$;

CREATE OR REPLACE FUNCTION public.resolve_account(p_identifier text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_account json;
begin
  select json_build_object('id', u.id, 'username', u.username, 'email', u.email)
  into v_account
  from public.users u
  where lower(u.username) = lower(p_identifier) or lower(u.email) = lower(p_identifier) or u.id::text = p_identifier;

  if v_account is null then
    raise exception using errcode = 'PT404',
      message = format('There is no user %s. Give the user name or the e-mail address of an account.', private.one_line(p_identifier));
  end if;
  return v_account;
end;
$function$;

CREATE OR REPLACE FUNCTION public.resolve_product(p_reference text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_products json;
begin
  select json_agg(json_build_object('id', p.id, 'code', p.code, 'name', p.name, 'owner_id', p.owner_id) order by p.created_at)
  into v_products
  from public.products p
  join public.users u on u.id = p.owner_id
  where p.id::text = p_reference or p.code = p_reference or u.username || '/' || p.code = p_reference;

  if v_products is null then
    raise exception using errcode = 'PT404',
      message = format('There is no product %s. Give its id, its code, or owner/code.', private.one_line(p_reference));
  end if;

  if json_array_length(v_products) > 1 then
    raise exception using errcode = 'PT409',
      message = format('%s products have the code %s. Give the id, or owner/code.', json_array_length(v_products), p_reference),
      detail = json_build_object('candidates', v_products)::text;
  end if;
  return v_products -> 0;
end;
$function$;

CREATE OR REPLACE FUNCTION public.restart_worker(p_worker text, p_stopped boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.restart_worker(p_worker, p_stopped);
end;
$function$;

CREATE OR REPLACE FUNCTION public.review_job(p_job_id uuid, p_verdict text, p_summary text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.review_job(p_job_id, p_verdict, p_summary);
end;
$function$;

CREATE OR REPLACE FUNCTION public.save_job_diff(p_job_id uuid, p_attempt integer, p_diff jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.save_job_diff(p_job_id, p_attempt, p_diff);
  return 'null'::json;
end;
$function$;

CREATE OR REPLACE FUNCTION public.search(p_query text, p_product_id uuid DEFAULT NULL::uuid, p_kind text DEFAULT NULL::text, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_limit integer := least(greatest(coalesce(p_limit, 20), 1), 50);
  v_offset integer := case when p_cursor ~ '^[0-9]{1,6}$' then p_cursor::integer else 0 end;
begin
  perform private.parse_choice('kind', p_kind, '{pbi,story,task,idea}');
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  if trim(coalesce(p_query, '')) = '' then
    return json_build_object('items', '[]'::json, 'next_cursor', null);
  end if;

  if p_query ~* '(^|\s)blocked:' then
    return private.search_blocked(left(p_query, 200), p_product_id, p_kind, v_limit, v_offset);
  end if;
  return private.search(left(p_query, 200), p_product_id, p_kind, v_limit, v_offset);
end;
$function$;

CREATE OR REPLACE FUNCTION public.set_budget(p_product_id uuid, p_scope text, p_unit text, p_amount numeric, p_period text DEFAULT NULL::text, p_target_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.set_budget(p_product_id, p_scope, p_period, p_target_id, p_unit, p_amount);
end;
$function$;

CREATE OR REPLACE FUNCTION public.set_budget_settings(p_product_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.set_budget_settings(p_product_id, p_changes);
end;
$function$;

CREATE OR REPLACE FUNCTION public.set_task_status(p_task_id uuid, p_status text, p_confirmed boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_status public.task_status := private.parse_task_status(coalesce(p_status, ''));
begin
  perform private.require_write('task', p_task_id);
  perform private.require_proof(p_task_id, v_status);
  perform private.heed_waiting(p_task_id, v_status, p_confirmed);
  update public.tasks t set status = v_status where t.id = p_task_id and t.status <> v_status;
  return (select to_jsonb(t) || private.released() from private.task_shape t where t.id = p_task_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.start_sprint_run(p_sprint_id uuid, p_stop_at jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.start_sprint_run(p_sprint_id, p_stop_at);
end;
$function$;

CREATE OR REPLACE FUNCTION public.sweep_expired_leases()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.sweep_expired_leases(null);
end;
$function$;

CREATE OR REPLACE FUNCTION public.undo_change()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.undo_change();
end;
$function$;

CREATE OR REPLACE FUNCTION public.unlink_idea_product(p_idea_id uuid, p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_idea_write(p_idea_id);
  if p_product_id in (select private.accessible_product_ids()) then
    perform private.require_product_write(p_product_id);
  end if;
  delete from public.idea_products l where l.idea_id = p_idea_id and l.product_id = p_product_id;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.update_product(p_product_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);

  update public.products p
  set code = coalesce(p_changes ->> 'code', p.code),
      name = coalesce(p_changes ->> 'name', p.name),
      description = coalesce(p_changes ->> 'description', p.description),
      repo_url = coalesce(p_changes ->> 'repo_url', p.repo_url),
      definition_of_done = coalesce(p_changes ->> 'definition_of_done', p.definition_of_done),
      auto_pr = coalesce((p_changes ->> 'auto_pr')::boolean, p.auto_pr),
      pr_strategy = coalesce((p_changes ->> 'pr_strategy')::public.pr_strategy, p.pr_strategy),
      done_requires = coalesce((p_changes ->> 'done_requires')::public.done_requires, p.done_requires)
  where p.id = p_product_id;
  perform private.set_dependency_release(p_product_id, (p_changes ->> 'dependency_release')::public.dependency_release);
  return public.get_product(p_product_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.update_profile(p_username text DEFAULT NULL::text, p_min_quota_pct integer DEFAULT NULL::integer, p_theme text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_no_demo();
  if p_min_quota_pct not between 1 and 100 then
    raise exception using errcode = 'PT422', message = 'The worker quota threshold is a whole number from 1 to 100.',
      detail = '{"issues":[{"path":"min_quota_pct","message":"Enter a whole number from 1 to 100"}]}';
  end if;
  if p_username !~ '^[A-Za-z0-9][A-Za-z0-9._-]{1,39}$' then
    raise exception using errcode = 'PT422', message = 'This user name cannot be used. Choose another one.',
      detail = '{"issues":[{"path":"username","message":"Use 2 to 40 letters, digits, dots, underscores or hyphens"}]}';
  end if;

  perform private.update_profile(p_username, p_min_quota_pct, p_theme::public.user_theme);
  return private.get_profile();
exception when unique_violation then
  raise exception using errcode = 'PT422', message = 'This user name is taken. Choose another one.',
    detail = '{"issues":[{"path":"username","message":"This user name is taken"}]}';
end;
$function$;

CREATE OR REPLACE FUNCTION public.update_saved_view(p_view_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.update_saved_view(p_view_id, p_changes);
end;
$function$;

CREATE OR REPLACE FUNCTION public.update_sprint(p_sprint_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_sprint public.sprints;
begin
  perform private.require_write('sprint', p_sprint_id);
  select s.* into v_sprint from public.sprints s where s.id = p_sprint_id;

  if v_sprint.status in ('COMPLETED', 'CANCELLED') then
    raise exception using errcode = 'PT409',
      message = format('Sprint %s is %s and does not change any more. Plan another one.', v_sprint.code, lower(v_sprint.status::text));
  end if;

  v_sprint.sprint_goal := coalesce(p_changes ->> 'sprint_goal', v_sprint.sprint_goal);
  if p_changes ? 'start_date' then
    v_sprint.start_date := (p_changes ->> 'start_date')::date;
  end if;
  if p_changes ? 'end_date' then
    v_sprint.end_date := (p_changes ->> 'end_date')::date;
  end if;
  perform private.require_dates_in_order(v_sprint.start_date, v_sprint.end_date);

  update public.sprints s
  set sprint_goal = v_sprint.sprint_goal, start_date = v_sprint.start_date, end_date = v_sprint.end_date
  where s.id = p_sprint_id;
  return (select row_to_json(s) from private.sprint_shape s where s.id = p_sprint_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.waive_criterion(p_story_id uuid, p_criterion text, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.waive_criterion(p_story_id, p_criterion, p_reason);
end;
$function$;

CREATE OR REPLACE FUNCTION public.worker_heartbeat(p_worker text, p_hostname text DEFAULT NULL::text, p_version text DEFAULT NULL::text, p_quota_pct integer DEFAULT NULL::integer, p_stopped boolean DEFAULT false, p_agents jsonb DEFAULT NULL::jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.worker_heartbeat(p_worker, p_hostname, p_version, p_quota_pct, p_stopped, p_agents);
end;
$function$;

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

-- Owners go on as before; members are asked once.
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

CREATE VIEW "private"."claimable_jobs" WITH (security_invoker=true) AS  SELECT id,
    product_id,
    kind,
    sprint_run_id,
    created_by,
    claim_rank,
    created_at,
    "position",
    phase,
    author_worker_id
   FROM public.agent_jobs j
  WHERE ((status = 'QUEUED'::public.agent_job_status) AND in_turn AND (open_blockers = 0) AND (phase <> 'review'::public.job_phase) AND ((not_before IS NULL) OR (not_before <= private.now())) AND ((sprint_run_id IS NULL) OR ( SELECT (r.status = ANY (ARRAY['QUEUED'::public.sprint_run_status, 'RUNNING'::public.sprint_run_status]))
           FROM public.sprint_runs r
          WHERE (r.id = j.sprint_run_id))) AND ((parked_question_id IS NULL) OR ( SELECT ((q.status <> 'OPEN'::public.agent_question_status) OR ((q.on_expiry = 'RECOMMENDED'::public.question_expiry) AND (q.expires_at <= private.now())))
           FROM public.agent_questions q
          WHERE (q.id = j.parked_question_id))));

CREATE VIEW "private"."operations" WITH (security_invoker=true) AS  SELECT proname AS name,
    proargnames AS parameter_names,
    (proargtypes)::oid[] AS parameter_types,
    (provolatile = 'v'::"char") AS writes
   FROM pg_proc p
  WHERE ((pronamespace = ('public'::regnamespace)::oid) AND (prokind = 'f'::"char") AND (proargmodes IS NULL) AND has_function_privilege('authenticated'::name, oid, 'execute'::text));

CREATE VIEW "private"."product_detail_shape" WITH (security_invoker=true) AS  SELECT id,
    code,
    name,
    description,
    repo_url,
    definition_of_done,
    auto_pr,
    pr_strategy,
    done_requires,
    dependency_release,
    owner_id,
    to_char((archived_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS archived_at,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS created_at
   FROM public.products p;

CREATE VIEW "private"."task_blockers" WITH (security_invoker=true) AS  SELECT d.blocked_id AS task_id,
    'task'::text AS kind,
    b.id AS blocker_id,
    b.code,
    b.title,
        CASE b.status
            WHEN 'TO_DO'::public.task_status THEN 'todo'::text
            ELSE lower((b.status)::text)
        END AS status,
    ((b.status = 'DONE'::public.task_status) AND private.has_arrived(d.blocked_id, 'task'::text, b.id, d.product_id)) AS resolved,
    b.sort_order
   FROM (public.task_dependencies d
     JOIN public.tasks b ON ((b.id = d.blocker_id)))
UNION ALL
 SELECT t.id AS task_id,
    'story'::text AS kind,
    b.id AS blocker_id,
    b.code,
    b.title,
    lower((b.status)::text) AS status,
    ((b.status = 'DONE'::public.story_status) AND private.has_arrived(t.id, 'story'::text, b.id, d.product_id)) AS resolved,
    b.sort_order
   FROM ((public.story_dependencies d
     JOIN public.tasks t ON ((t.story_id = d.blocked_id)))
     JOIN public.stories b ON ((b.id = d.blocker_id)));

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

-- What 0.1.0 kept moves before the triggers of this release are there: it was counted and announced then.
update public.schedule_runs set finished_at = claimed_at;

-- Jobs that were claimed before: their newest attempt as far as the job itself knows it.
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

-- What was used before the ledger: one line a job, with the price of its model as it is now.
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

-- Tasks that are in a sprint now were counted from its first day on, and stay so; what came from another sprint counts from now on.
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

CREATE TRIGGER _150_count_blockers BEFORE INSERT ON public.agent_jobs FOR EACH ROW WHEN ((new.kind <> 'PLAN_CHAT'::public.agent_job_kind)) EXECUTE FUNCTION private.tg_agent_jobs__count_blockers();

CREATE TRIGGER _520_note_attempt AFTER UPDATE OF status, attempt ON public.agent_jobs FOR EACH ROW WHEN (((new.attempt <> old.attempt) OR ((old.status = ANY (ARRAY['CLAIMED'::public.agent_job_status, 'RUNNING'::public.agent_job_status])) AND (new.status <> ALL (ARRAY['CLAIMED'::public.agent_job_status, 'RUNNING'::public.agent_job_status]))))) EXECUTE FUNCTION private.tg_agent_jobs__note_attempt();

CREATE TRIGGER _530_keep_usage AFTER UPDATE OF status, attempt ON public.agent_jobs FOR EACH ROW WHEN ((((old.attempt > 0) AND (new.attempt <> old.attempt)) OR ((old.status = ANY (ARRAY['CLAIMED'::public.agent_job_status, 'RUNNING'::public.agent_job_status])) AND (new.status = ANY (ARRAY['QUEUED'::public.agent_job_status, 'FAILED'::public.agent_job_status])) AND (new.failure_class = 'infrastructure'::public.failure_class)))) EXECUTE FUNCTION private.tg_agent_jobs__keep_usage();

CREATE TRIGGER _590_settle_waiting AFTER UPDATE OF status ON public.agent_jobs FOR EACH ROW WHEN (((new.status = ANY (ARRAY['DONE'::public.agent_job_status, 'SKIPPED'::public.agent_job_status])) AND (old.status = ANY (ARRAY['CLAIMED'::public.agent_job_status, 'RUNNING'::public.agent_job_status])))) EXECUTE FUNCTION private.tg_agent_jobs__settle_waiting();

CREATE TRIGGER _592_settle_merged_deleted AFTER DELETE ON public.agent_jobs FOR EACH ROW WHEN (((old.finished_at IS NOT NULL) AND (old.head_sha IS NOT NULL) AND (old.merged_at IS NULL))) EXECUTE FUNCTION private.tg_agent_jobs__settle_merged();

CREATE TRIGGER _592_settle_merged AFTER UPDATE OF merged_at ON public.agent_jobs FOR EACH ROW WHEN ((new.merged_at IS DISTINCT FROM old.merged_at)) EXECUTE FUNCTION private.tg_agent_jobs__settle_merged();

CREATE TRIGGER _605_pass_turn AFTER UPDATE OF status ON public.agent_jobs FOR EACH ROW WHEN (((new.status = 'QUEUED'::public.agent_job_status) AND (old.status = ANY (ARRAY['CLAIMED'::public.agent_job_status, 'RUNNING'::public.agent_job_status])) AND (new.open_blockers > 0) AND new.in_turn AND (new.sprint_run_id IS NOT NULL))) EXECUTE FUNCTION private.tg_agent_jobs__pass_turn();

CREATE TRIGGER _890_tell_inbox AFTER UPDATE OF status ON public.agent_jobs FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND (('FAILED'::public.agent_job_status = old.status) OR ('FAILED'::public.agent_job_status = new.status)) AND (new.idea_id IS NOT NULL))) EXECUTE FUNCTION private.tg_any__tell_inbox();

CREATE TRIGGER _400_touch BEFORE UPDATE ON public.budgets FOR EACH ROW EXECUTE FUNCTION private.tg_any__touch();

CREATE TRIGGER _900_emit AFTER INSERT ON public.evidence REFERENCING NEW TABLE AS new_evidence FOR EACH STATEMENT EXECUTE FUNCTION private.tg_evidence__emit();

CREATE TRIGGER _560_note_merged AFTER UPDATE OF pr_merged_at ON public.pbis FOR EACH ROW WHEN ((new.pr_merged_at IS DISTINCT FROM old.pr_merged_at)) EXECUTE FUNCTION private.tg_pbis__note_merged();

CREATE TRIGGER _870_remember AFTER UPDATE ON public.pbis FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"session_id"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('pbi');

CREATE TRIGGER _871_remember BEFORE DELETE ON public.pbis FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"session_id"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('pbi');

CREATE TRIGGER _400_touch BEFORE UPDATE ON public.saved_views FOR EACH ROW EXECUTE FUNCTION private.tg_any__touch();

CREATE TRIGGER _530_carry_budget AFTER INSERT ON public.sprint_runs FOR EACH ROW WHEN ((new.previous_run_id IS NOT NULL)) EXECUTE FUNCTION private.tg_sprint_runs__carry_budget();

CREATE TRIGGER _890_tell_inbox AFTER UPDATE ON public.sprint_runs FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND (('FAILED'::public.sprint_run_status = old.status) OR ('FAILED'::public.sprint_run_status = new.status)))) EXECUTE FUNCTION private.tg_any__tell_inbox();

CREATE TRIGGER _550_record_sprint AFTER UPDATE OF sprint_id ON public.stories FOR EACH ROW WHEN ((new.sprint_id IS DISTINCT FROM old.sprint_id)) EXECUTE FUNCTION private.tg_stories__record_sprint();

CREATE TRIGGER _560_settle_waiting AFTER UPDATE OF status ON public.stories FOR EACH ROW WHEN (((new.status = 'DONE'::public.story_status) <> (old.status = 'DONE'::public.story_status))) EXECUTE FUNCTION private.tg_stories__settle_waiting();

CREATE TRIGGER _870_remember AFTER UPDATE ON public.stories FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"session_id"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('story');

CREATE TRIGGER _871_remember BEFORE DELETE ON public.stories FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"session_id"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('story');

CREATE TRIGGER _130_lock_product BEFORE INSERT OR DELETE OR UPDATE ON public.story_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_any__lock_product();

CREATE TRIGGER _500_recount AFTER INSERT OR DELETE ON public.story_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_story_dependencies__recount();

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE ON public.story_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_story_dependencies__emit();

CREATE TRIGGER _130_lock_product BEFORE INSERT OR DELETE OR UPDATE ON public.task_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_any__lock_product();

CREATE TRIGGER _500_recount AFTER INSERT OR DELETE ON public.task_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_task_dependencies__recount();

CREATE TRIGGER _900_emit AFTER INSERT OR DELETE ON public.task_dependencies FOR EACH ROW EXECUTE FUNCTION private.tg_task_dependencies__emit();

CREATE TRIGGER _560_recount AFTER UPDATE OF status ON public.task_executions FOR EACH ROW WHEN (((new.status = ANY (ARRAY['PENDING'::public.task_execution_status, 'RUNNING'::public.task_execution_status])) <> (old.status = ANY (ARRAY['PENDING'::public.task_execution_status, 'RUNNING'::public.task_execution_status])))) EXECUTE FUNCTION private.tg_task_executions__recount();

CREATE TRIGGER _121_copy_product BEFORE UPDATE OF story_id, product_id ON public.tasks FOR EACH ROW WHEN (((new.story_id <> old.story_id) OR (new.product_id <> old.product_id))) EXECUTE FUNCTION private.tg_tasks__copy_product();

CREATE TRIGGER _151_assign_code BEFORE UPDATE OF code ON public.tasks FOR EACH ROW WHEN ((new.code IS DISTINCT FROM old.code)) EXECUTE FUNCTION private.tg_any__assign_code('task');

CREATE TRIGGER _160_keep_batch_job BEFORE DELETE ON public.tasks FOR EACH ROW EXECUTE FUNCTION private.tg_tasks__keep_batch_job();

CREATE TRIGGER _201_sort_order BEFORE UPDATE OF code, sort_order ON public.tasks FOR EACH ROW WHEN (((new.code <> old.code) OR (new.sort_order <> old.sort_order))) EXECUTE FUNCTION private.tg_any__sort_order();

CREATE TRIGGER _550_record_move AFTER UPDATE OF story_id ON public.tasks FOR EACH ROW WHEN ((new.story_id <> old.story_id)) EXECUTE FUNCTION private.tg_tasks__record_status_change();

CREATE TRIGGER _550_record_status_update AFTER UPDATE OF status ON public.tasks FOR EACH ROW WHEN ((new.status <> old.status)) EXECUTE FUNCTION private.tg_tasks__record_status_change();

CREATE TRIGGER _555_note_review_insert AFTER INSERT ON public.tasks FOR EACH ROW WHEN ((new.status = 'REVIEW'::public.task_status)) EXECUTE FUNCTION private.tg_tasks__note_review();

CREATE TRIGGER _555_note_review_update AFTER UPDATE OF status ON public.tasks FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND (('REVIEW'::public.task_status = old.status) OR ('REVIEW'::public.task_status = new.status)))) EXECUTE FUNCTION private.tg_tasks__note_review();

CREATE TRIGGER _560_settle_waiting_deleted AFTER DELETE ON public.tasks FOR EACH ROW WHEN ((old.status = 'DONE'::public.task_status)) EXECUTE FUNCTION private.tg_tasks__settle_waiting();

CREATE TRIGGER _560_settle_waiting AFTER UPDATE OF status, story_id ON public.tasks FOR EACH ROW WHEN ((((new.status = 'DONE'::public.task_status) <> (old.status = 'DONE'::public.task_status)) OR (new.story_id <> old.story_id))) EXECUTE FUNCTION private.tg_tasks__settle_waiting();

CREATE TRIGGER _620_finish_elsewhere AFTER UPDATE OF status ON public.tasks FOR EACH ROW WHEN (((new.status = 'DONE'::public.task_status) AND (old.status <> 'DONE'::public.task_status))) EXECUTE FUNCTION private.tg_tasks__finish_elsewhere();

CREATE TRIGGER _870_remember AFTER UPDATE ON public.tasks FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"session_id"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('task');

CREATE TRIGGER _871_remember BEFORE DELETE ON public.tasks FOR EACH ROW WHEN ((current_setting('request.jwt.claims'::text, true) ~~ '%"session_id"%'::text)) EXECUTE FUNCTION private.tg_any__remember_change('task');

CREATE TRIGGER _890_tell_inbox AFTER UPDATE OF status ON public.tasks FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND (('REVIEW'::public.task_status = old.status) OR ('REVIEW'::public.task_status = new.status)))) EXECUTE FUNCTION private.tg_any__tell_inbox();

CREATE TRIGGER _990_derive_story_update AFTER UPDATE OF status, story_id ON public.tasks FOR EACH ROW WHEN (((new.story_id <> old.story_id) OR ((new.status <> old.status) AND ((new.status = ANY (ARRAY['DONE'::public.task_status, 'FAILED'::public.task_status])) OR (old.status = ANY (ARRAY['DONE'::public.task_status, 'FAILED'::public.task_status])))))) EXECUTE FUNCTION private.tg_tasks__derive_story();

CREATE TRIGGER _900_emit AFTER INSERT ON public.waivers REFERENCING NEW TABLE AS new_waivers FOR EACH STATEMENT EXECUTE FUNCTION private.tg_waivers__emit();

CREATE POLICY "budget_sums_service" ON "private"."budget_sums" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "changes_service" ON "private"."changes" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "agent_jobs_select" ON "public"."agent_jobs" FOR SELECT TO "authenticated" USING (((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)) AND ((kind <> 'PLAN_CHAT'::public.agent_job_kind) OR (created_by = ( SELECT auth.uid() AS uid)))));

CREATE POLICY "budget_reservations_select" ON "public"."budget_reservations" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "budget_settings_select" ON "public"."budget_settings" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "budgets_select" ON "public"."budgets" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "evidence_select" ON "public"."evidence" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "idea_products_delete" ON "public"."idea_products" FOR DELETE TO "authenticated" USING (((idea_id IN ( SELECT i.id
   FROM public.ideas i
  WHERE ((i.user_id = ( SELECT auth.uid() AS uid)) AND (NOT (i.product_id IN ( SELECT private.frozen_product_ids() AS frozen_product_ids)))))) AND (NOT (product_id IN ( SELECT private.frozen_product_ids() AS frozen_product_ids)))));

CREATE POLICY "idea_products_insert" ON "public"."idea_products" FOR INSERT TO "authenticated" WITH CHECK (((idea_id IN ( SELECT i.id
   FROM public.ideas i
  WHERE ((i.user_id = ( SELECT auth.uid() AS uid)) AND (NOT (i.product_id IN ( SELECT private.frozen_product_ids() AS frozen_product_ids)))))) AND (product_id IN ( SELECT private.writable_product_ids() AS writable_product_ids))));

CREATE POLICY "ideas_delete" ON "public"."ideas" FOR DELETE TO "authenticated" USING (((user_id = ( SELECT auth.uid() AS uid)) AND (NOT (product_id IN ( SELECT private.frozen_product_ids() AS frozen_product_ids)))));

CREATE POLICY "ideas_update" ON "public"."ideas" FOR UPDATE TO "authenticated" USING (((user_id = ( SELECT auth.uid() AS uid)) AND (NOT (product_id IN ( SELECT private.frozen_product_ids() AS frozen_product_ids))))) WITH CHECK (((user_id = ( SELECT auth.uid() AS uid)) AND ((product_id IN ( SELECT private.writable_product_ids() AS writable_product_ids)) OR (product_id = private.require_own_idea(id)))));

CREATE POLICY "inbox_marks_select" ON "public"."inbox_marks" FOR SELECT TO "authenticated" USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "job_attempts_select" ON "public"."job_attempts" FOR SELECT TO "authenticated" USING (((job_id IN ( SELECT j.id
   FROM public.agent_jobs j
  WHERE ((j.kind <> 'PLAN_CHAT'::public.agent_job_kind) OR (j.created_by = ( SELECT auth.uid() AS uid))))) AND (product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids))));

CREATE POLICY "job_comments_service" ON "public"."job_comments" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "job_conflicts_service" ON "public"."job_conflicts" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "job_diffs_service" ON "public"."job_diffs" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "job_outputs_service" ON "public"."job_outputs" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "job_reviews_service" ON "public"."job_reviews" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "product_members_delete" ON "public"."product_members" FOR DELETE TO "authenticated" USING (((role = 'MEMBER'::public.member_role) AND ((user_id = ( SELECT auth.uid() AS uid)) OR ((product_id IN ( SELECT private.owned_product_ids() AS owned_product_ids)) AND (product_id IN ( SELECT private.writable_product_ids() AS writable_product_ids))))));

CREATE POLICY "saved_views_select" ON "public"."saved_views" FOR SELECT TO "authenticated" USING (((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)) AND ((user_id IS NULL) OR (user_id = ( SELECT auth.uid() AS uid)))));

CREATE POLICY "sprint_leftovers_service" ON "public"."sprint_leftovers" FOR ALL TO "service_role" USING (true) WITH CHECK (true);

CREATE POLICY "story_dependencies_select" ON "public"."story_dependencies" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "story_heads_select" ON "public"."story_heads" FOR SELECT TO "authenticated" USING ((story_id IN ( SELECT s.id
   FROM public.stories s
  WHERE (s.product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)))));

CREATE POLICY "task_dependencies_select" ON "public"."task_dependencies" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "tasks_in_review_select" ON "public"."tasks_in_review" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "usage_events_select" ON "public"."usage_events" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "usage_so_far_select" ON "public"."usage_so_far" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

CREATE POLICY "waivers_select" ON "public"."waivers" FOR SELECT TO "authenticated" USING ((product_id IN ( SELECT private.accessible_product_ids() AS accessible_product_ids)));

COMMENT ON COLUMN "public"."agent_jobs"."additions" IS 'Lines that the newest diff of the job adds, for chips; null until there is one.';

COMMENT ON COLUMN "public"."agent_jobs"."author_worker_id" IS 'Who did the work that is to be verified: anybody but this worker may.';

COMMENT ON COLUMN "public"."agent_jobs"."merged_at" IS 'Since when its work is known to be on the main branch; looked for where a product asks for it (docs/dependencies.md).';

COMMENT ON COLUMN "public"."agent_jobs"."stopped_by_budget_id" IS 'The budget that stopped the last attempt; null once it is claimed again.';

COMMENT ON COLUMN "public"."budget_settings"."expected_cost" IS 'Of one task, in whatever currency its budget has.';

COMMENT ON COLUMN "public"."evidence"."observed_by" IS 'Name of the worker or person who saw it, as it was then.';

COMMENT ON COLUMN "public"."inbox_marks"."item_at" IS 'Since when the item waited as it was marked; one that waits anew is shown again.';

COMMENT ON COLUMN "public"."job_attempts"."dropped_from" IS 'First and last seq of the middle of a long output that was let go; null while everything is there.';

COMMENT ON COLUMN "public"."job_attempts"."told_at" IS 'When viewers were last told that there is more to read: at most once a second.';

COMMENT ON COLUMN "public"."job_conflicts"."decision" IS 'home: the job went back to work; paused: it was tried twice in vain; noted: the job waited and hears of it with its next claim.';

COMMENT ON COLUMN "public"."job_conflicts"."files" IS 'One object a file: path, and what stands on either side (ours, theirs), both cut.';

COMMENT ON COLUMN "public"."job_conflicts"."job_id" IS 'The job that mends it; attempt is the one that had ended, or was at work, when it was met.';

COMMENT ON COLUMN "public"."job_conflicts"."kind" IS 'What the work does not go together with: its own branch that has moved on, the main branch, or another branch of the run.';

COMMENT ON COLUMN "public"."job_diffs"."files" IS 'One object a file: path, old_path, status, additions, deletions, binary, folded, truncated, and patch as git writes it.';

COMMENT ON COLUMN "public"."product_members"."workers_allowed" IS 'Whether this person''s workers may take the jobs of the product.';

COMMENT ON COLUMN "public"."product_members"."workers_decided_at" IS 'When the person last said so; null while nobody has been asked.';

COMMENT ON COLUMN "public"."usage_events"."subscription" IS 'Paid by a subscription: the cost is what the list price would be, and no money that anybody spends.';

COMMENT ON COLUMN "public"."usage_so_far"."after_seq" IS 'The last line of the ledger that the worker had told of this attempt.';

COMMENT ON FUNCTION "private"."act_as"(jsonb, text) IS 'Makes the rest of the transaction the call of one operation by the user behind a credential (specification: Authentication).';

COMMENT ON FUNCTION "private"."act_on_budget_answer"(public.agent_questions, integer) IS 'Raise, finish or stop, as a person answered (specification: Agent question; Sprint run, pause).';

COMMENT ON FUNCTION "private"."add_dependencies"(text, uuid, jsonb) IS 'The dependencies of something new, or PT422.';

COMMENT ON FUNCTION "private"."add_up_budget"(public.budgets) IS 'What was used in the window of a budget, and how much of it is in the ledger.';

COMMENT ON FUNCTION "private"."answer_pairing"(uuid, text, public.pairing_status) IS 'Approves (APPROVED) or declines (CANCELLED) a pending pairing for the caller.';

COMMENT ON FUNCTION "private"."ask_about_proof"(public.agent_jobs) IS 'A question to a person after rounds in vain (docs/proof.md).';

COMMENT ON FUNCTION "private"."attempt_usage_json"(uuid, integer) IS 'Tokens and cost of one attempt (specification: Agent job, token usage).';

COMMENT ON FUNCTION "private"."attempt_used"(uuid, integer, text) IS 'What an attempt has used so far, in tokens or in one currency.';

COMMENT ON FUNCTION "private"."attempt_words"(public.agent_jobs, integer, text) IS 'What a worker is told whose attempt does not hold its job (specification: Agent job; attempts).';

COMMENT ON FUNCTION "private"."attempts_json"(uuid) IS 'The attempts of a job, oldest first (specification: Agent job; attempts).';

COMMENT ON FUNCTION "private"."awaited_heads"(uuid, uuid) IS 'Commits that work waits for on main branches, for a worker to look for.';

COMMENT ON FUNCTION "private"."awaited_work"(uuid[], integer) IS 'Work that is done, not on the main branch yet, and waited for.';

COMMENT ON FUNCTION "private"."base_refs"(public.agent_jobs) IS 'Heads of what a job waited for that its branch does not hold (specification: Agent job).';

COMMENT ON FUNCTION "private"."batch_executions"(uuid) IS 'The tasks of a batch as its worker gets them (specification: Sprint run, executions).';

COMMENT ON FUNCTION "private"."become_user"(private.principal, boolean) IS 'Takes on a user''s role and claims, unless a demo account would write (specification: Authentication 3).';

COMMENT ON FUNCTION "private"."blocker_json"(uuid, text, text, text, boolean) IS 'One end of a dependency: { id, code, title, status, resolved }.';

COMMENT ON FUNCTION "private"."branch_head"(public.agent_jobs) IS 'The job with the head that the work of a finished job ends at.';

COMMENT ON FUNCTION "private"."bring_next_in_turn"(uuid, uuid) IS 'The next job of a lane is in turn (specification: Agent job; docs/proof.md).';

COMMENT ON FUNCTION "private"."budget_amount_text"(numeric, text) IS 'An amount of a budget in words.';

COMMENT ON FUNCTION "private"."budget_at_work"(public.budgets, uuid) IS 'Held jobs under a budget, and what is reserved for them beyond what they used.';

COMMENT ON FUNCTION "private"."budget_covers"(public.budgets, public.agent_jobs) IS 'Whether a job falls under a budget.';

COMMENT ON FUNCTION "private"."budget_json"(public.budgets) IS 'A budget with what was spent, what is reserved and what is left.';

COMMENT ON FUNCTION "private"."budget_left"(public.agent_jobs, private.budget_room[]) IS 'What is left for a job of the budgets that it falls under.';

COMMENT ON FUNCTION "private"."budget_name"(public.budgets) IS 'Whose budget it is, in words.';

COMMENT ON FUNCTION "private"."budget_need"(public.agent_jobs, jsonb) IS 'The budget that a job at work comes near to, if any.';

COMMENT ON FUNCTION "private"."budget_payload"(public.agent_jobs, private.budget_room[]) IS 'What a claimed job may use at most, by unit.';

COMMENT ON FUNCTION "private"."budget_raise"(public.budgets) IS 'By how much the button of a reached budget raises it.';

COMMENT ON FUNCTION "private"."budget_reasons"(public.agent_jobs) IS 'budget (specification: Agent job; budgets).';

COMMENT ON FUNCTION "private"."budget_settings_of"(uuid) IS 'The settings of a product for its budgets.';

COMMENT ON FUNCTION "private"."budget_spent"(public.budgets) IS 'What was used of a budget in its window, in its unit.';

COMMENT ON FUNCTION "private"."budget_stop_text"(public.budgets) IS 'Why a budget has stopped a job, for its worker.';

COMMENT ON FUNCTION "private"."budget_warnings"(public.sprints) IS 'What of a sprint or product may not be enough for a run (docs/users.md).';

COMMENT ON FUNCTION "private"."budget_window"(public.budgets) IS 'The day, week or month that a budget is in, in the time zone of its product.';

COMMENT ON FUNCTION "private"."change_event"(text, text, jsonb, jsonb, jsonb) IS 'Operation, entity, id, product and changed fields of a change (specification: Events); null when nothing changed.';

COMMENT ON FUNCTION "private"."change_thing"(text, uuid, jsonb) IS 'One thing of change_things; false when the change is none for its kind.';

COMMENT ON FUNCTION "private"."changed_job_fields"(public.agent_jobs, public.agent_jobs) IS 'Names of the columns in which two versions of a job differ, as private.changed_fields finds them (specification: Solo stream, changed_fields).';

COMMENT ON FUNCTION "private"."changed_task_fields"(public.tasks, public.tasks) IS 'Names of the columns in which two versions of a task differ, as private.changed_fields finds them (specification: Solo stream, changed_fields).';

COMMENT ON FUNCTION "private"."chat_questions"(public.agent_jobs) IS 'Questions and answers about an idea (specification: Agent job, PLAN_CHAT).';

COMMENT ON FUNCTION "private"."check_observation"(jsonb, public.evidence_grade, integer) IS 'Whether evidence of a grade tells what was done for it (docs/proof.md).';

COMMENT ON FUNCTION "private"."check_question"(text, jsonb, integer, integer, text, uuid, uuid) IS 'Refuses what a question cannot be (specification: Agent question).';

COMMENT ON FUNCTION "private"."check_webhook"(text, jsonb) IS 'Refuses what a webhook cannot be.';

COMMENT ON FUNCTION "private"."closed_budgets"(uuid) IS 'All budgets of a product as full.';

COMMENT ON FUNCTION "private"."code_of"(text, uuid) IS 'The code of a task, story, PBI or job.';

COMMENT ON FUNCTION "private"."comment_json"(public.job_comments) IS 'A comment on a line (docs/review.md).';

COMMENT ON FUNCTION "private"."conflict_payload"(public.agent_jobs) IS 'What the work of a job did not merge with (specification: Agent job).';

COMMENT ON FUNCTION "private"."conflict_reasons"(text, uuid) IS 'conflict and overlap of why_not_moving (docs/troubleshooting.md).';

COMMENT ON FUNCTION "private"."conflict_rival"(public.agent_jobs, text, text) IS 'The job of a run whose work lies on a branch, or null.';

COMMENT ON FUNCTION "private"."continue_run"(public.sprint_runs) IS 'PAUSED to RUNNING or QUEUED, or a new batch run (specification: Sprint run).';

COMMENT ON FUNCTION "private"."cost_insights"(uuid) IS 'Cost by day and model, by product, and how long tasks took.';

COMMENT ON FUNCTION "private"."costs_of"(uuid, uuid) IS 'What a run or product cost, one sum a currency (specification: Model price).';

COMMENT ON FUNCTION "private"."count_open_blockers"(public.agent_jobs) IS 'What a job waits for, counted anew (agent_jobs.open_blockers keeps it).';

COMMENT ON FUNCTION "private"."criteria_of"(text, text) IS 'The criteria of a story: its acceptance criteria, then the definition of done (docs/proof.md).';

COMMENT ON FUNCTION "private"."criteria_payload"(public.agent_jobs) IS 'What a claim says of criteria (docs/proof.md).';

COMMENT ON FUNCTION "private"."criterion_id"(text) IS 'The id of a criterion: the hash of its words (docs/proof.md).';

COMMENT ON FUNCTION "private"."current_job_id"(uuid) IS 'The job that a worker holds (specification: Agent worker).';

COMMENT ON FUNCTION "private"."deadlock_blockers"(uuid) IS 'dependency_deadlock before a start (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."decide_conflict"(public.agent_jobs, text, text, public.agent_jobs, boolean) IS 'home, paused, noted (the other one mends) or go_on (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."dependencies_json"(text, uuid) IS '{ blocked_by, blocks, awaited? } of a task or story.';

COMMENT ON FUNCTION "private"."dependency_blockers"(uuid) IS 'dependency_outside and dependency_failed before a start (specification: Starting a sprint run 1).';

COMMENT ON FUNCTION "private"."dependency_reasons"(uuid[]) IS 'dependency, dependency_failed and dependency_unmerged (specification: Agent job).';

COMMENT ON FUNCTION "private"."doing_now"(uuid, integer) IS 'The latest entry of an attempt in one line, or null (docs/agents.md, live output).';

COMMENT ON FUNCTION "private"."drop_output_middle"(public.job_attempts) IS 'Lets the middle of a long output go and notes which entries those were.';

COMMENT ON FUNCTION "private"."earlier_attempts"(public.agent_jobs) IS 'The ten newest ended attempts at the same work (specification: Agent job; attempts).';

COMMENT ON FUNCTION "private"."earlier_jobs"(public.agent_jobs, uuid) IS 'The three newest jobs of the same work that came to nothing (specification: Agent job).';

COMMENT ON FUNCTION "private"."emit_job_output"(public.agent_jobs, public.job_attempts) IS 'Says how far the output of a job goes (docs/agents.md, live output).';

COMMENT ON FUNCTION "private"."emit_story_change"(uuid, text) IS 'Announces a story of which something beside its row changed (specification: Solo stream, Backlog stream).';

COMMENT ON FUNCTION "private"."emit_task_change"(uuid, text) IS 'Announces a task of which something beside its row changed (specification: Solo stream, Backlog stream).';

COMMENT ON FUNCTION "private"."end_session_chain"(uuid) IS 'Ends a session, and what a paired one made (specification: Login pairing).';

COMMENT ON FUNCTION "private"."enter_phase"(public.agent_jobs) IS 'What a new phase of a job brings with it (docs/proof.md).';

COMMENT ON FUNCTION "private"."estimates_of"(uuid) IS 'Estimates beside what the work took, and what surprised most.';

COMMENT ON FUNCTION "private"."evidence_json"(public.evidence, boolean) IS 'A piece of evidence as REST and pages show it (docs/proof.md).';

COMMENT ON FUNCTION "private"."expected_use"(uuid, text, text) IS 'What one task will probably use, in tokens or in a currency.';

COMMENT ON FUNCTION "private"."export_blocked_by"(text, uuid) IS 'Codes of what a task or story waits for. Used by the export only.';

COMMENT ON FUNCTION "private"."export_evidence"(uuid) IS 'Evidence of a story for the export file. Used by export_product only.';

COMMENT ON FUNCTION "private"."export_reviews"(uuid) IS 'Reviews of a task for the export file. Used by export_tasks only.';

COMMENT ON FUNCTION "private"."export_waivers"(uuid) IS 'Waivers of a story for the export file. Used by export_product only.';

COMMENT ON FUNCTION "private"."find_blocker"(text, uuid, text) IS 'A task or story of a product by id or code, or null.';

COMMENT ON FUNCTION "private"."find_path"(text, uuid, text, uuid) IS 'The codes of a chain of dependencies between two nodes, or null.';

COMMENT ON FUNCTION "private"."findings"(public.agent_jobs) IS 'What the last verification of a job found (docs/proof.md).';

COMMENT ON FUNCTION "private"."finished_tasks"(uuid) IS 'The newest tasks that agents finished, with time and tokens.';

COMMENT ON FUNCTION "private"."finished_use"(uuid, text, integer) IS 'What finished tasks of a product used, in tokens or in a currency, newest first.';

COMMENT ON FUNCTION "private"."finishes_story"(uuid) IS 'Whether a story would be done with this task (docs/proof.md).';

COMMENT ON FUNCTION "private"."fits_budgets"(uuid, uuid[]) IS 'Whether a job falls under none of the given budgets.';

COMMENT ON FUNCTION "private"."followers"(text, uuid) IS 'What comes directly after a task, the start or the end of a story.';

COMMENT ON FUNCTION "private"."frozen_product_ids"() IS 'Reachable products that are archived (specification: Authentication 4).';

COMMENT ON FUNCTION "private"."full_budgets"(private.budget_room[]) IS 'The budgets under which nobody may begin.';

COMMENT ON FUNCTION "private"."give_back_job"(public.agent_jobs) IS 'QUEUED again without a retry: its worker stopped in order (specification: Agent job).';

COMMENT ON FUNCTION "private"."has_arrived"(uuid, text, uuid, uuid, text) IS 'Whether the code of a done task or story is where a waiting task needs it (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."has_criteria"(uuid[]) IS 'Whether stories have any criterion (docs/proof.md).';

COMMENT ON FUNCTION "private"."heed_budget"(public.agent_jobs, jsonb) IS 'Continue or stop, as the budgets of a job say.';

COMMENT ON FUNCTION "private"."heed_waiting"(uuid, public.task_status, boolean) IS 'PT409 for who begins a task that waits: agents always, people until they confirm (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."held_tasks"(uuid) IS 'Tasks of a batch that wait for the proof of their story (docs/proof.md).';

COMMENT ON FUNCTION "private"."hold_job"(uuid, integer) IS 'A job held by the given attempt, its lease renewed, or PT409 (specification: Agent job).';

COMMENT ON FUNCTION "private"."holds_task"(uuid) IS 'Whether a task of a batch waits for the proof of its story (docs/proof.md).';

COMMENT ON FUNCTION "private"."idea_payload"(uuid) IS 'The idea of a talk for its worker (specification: Agent job).';

COMMENT ON FUNCTION "private"."import_proof"(uuid, jsonb) IS 'Evidence and waivers of an import (docs/export-format.md).';

COMMENT ON FUNCTION "private"."import_reviews"(uuid, jsonb) IS 'Reviews of an import (docs/export-format.md).';

COMMENT ON FUNCTION "private"."imported_reviews"(uuid) IS 'Reviews of a task that came with an import. Used by get_task_page only.';

COMMENT ON FUNCTION "private"."inbox_count"() IS 'How many things wait for the caller and are neither done nor put off.';

COMMENT ON FUNCTION "private"."inbox_item_json"(text, uuid) IS 'What an item of the inbox says, by kind.';

COMMENT ON FUNCTION "private"."inbox_items"() IS 'What waits for the caller over all products, whether put aside or not.';

COMMENT ON FUNCTION "private"."inbox_state"(timestamp with time zone, public.inbox_marks) IS 'open, later or done: how an item of the inbox stands for the owner of the mark.';

COMMENT ON FUNCTION "private"."insert_dependency"(text, uuid, uuid, uuid) IS 'Writes one dependency, or refuses with 409 and the circle, or 422.';

COMMENT ON FUNCTION "private"."insert_evidence"(uuid, jsonb, public.evidence_grade, integer, public.agent_jobs, text) IS 'Adds one piece of evidence (docs/proof.md).';

COMMENT ON FUNCTION "private"."is_budget_reached"(public.budgets) IS 'Whether nobody may begin under a budget in its window.';

COMMENT ON FUNCTION "private"."is_fresh"(public.evidence, public.story_heads) IS 'Whether evidence still speaks of the work as it is (docs/proof.md).';

COMMENT ON FUNCTION "private"."is_held"(uuid) IS 'Whether a task waits for something that is not done.';

COMMENT ON FUNCTION "private"."is_lane_held"(uuid, uuid) IS 'Whether a job of a lane is held (specification: Agent job).';

COMMENT ON FUNCTION "private"."is_online"(public.agent_workers) IS 'Seen in two minutes and not stopped (specification: Agent worker).';

COMMENT ON FUNCTION "private"."is_output_news"(timestamp with time zone, timestamp with time zone) IS 'Whether about a second has passed since viewers were told of an output.';

COMMENT ON FUNCTION "private"."is_token"() IS 'Whether this call was made with an API token (specification: Authentication 1).';

COMMENT ON FUNCTION "private"."job_costs"(uuid) IS 'What a job cost, one sum a currency (specification: Model price).';

COMMENT ON FUNCTION "private"."job_dependency_reasons"(public.agent_jobs) IS 'What a job waits for, in codes and words (specification: Agent job).';

COMMENT ON FUNCTION "private"."job_questions"(uuid) IS 'The questions of a job with their answers (specification: Agent question).';

COMMENT ON FUNCTION "private"."jobs_to_finish"(public.sprint_runs, public.budgets) IS 'The jobs that a person lets finish beyond a budget.';

COMMENT ON FUNCTION "private"."keep_usage_so_far"(uuid, integer) IS 'The last known usage of an attempt that died becomes part of the ledger (specification: Agent job, token usage).';

COMMENT ON FUNCTION "private"."last_line"(uuid) IS 'The last line in the ledger of a product; 0 without any.';

COMMENT ON FUNCTION "private"."leaders"(text, uuid) IS 'What comes directly before a task, the start or the end of a story.';

COMMENT ON FUNCTION "private"."lease"() IS 'The lease of a claim: 5 minutes, renewed by heartbeats and every other word of its attempt (specification: Agent job, lease_until).';

COMMENT ON FUNCTION "private"."list_items"(text) IS 'The list items of a text, or the whole text as one (docs/proof.md).';

COMMENT ON FUNCTION "private"."lock_attempt"(public.agent_jobs, integer) IS 'The row of an attempt, locked (specification: Agent job; attempts).';

COMMENT ON FUNCTION "private"."lock_for_budget"(uuid, integer, jsonb) IS 'Takes the lock of a product for a heartbeat that is near a budget.';

COMMENT ON FUNCTION "private"."lost_with"(text, jsonb) IS 'What is gone for good with a deleted task, story or PBI; null for nothing.';

COMMENT ON FUNCTION "private"."make_room_for_diffs"(uuid, bigint) IS 'Bounds what the diffs of a product take (docs/review.md).';

COMMENT ON FUNCTION "private"."may_change_view"(public.saved_views) IS 'Whether the caller may rename, change or delete a saved view.';

COMMENT ON FUNCTION "private"."may_read_talk"(public.agent_jobs) IS 'Whether the caller may read what a job says (specification: Idea; User question).';

COMMENT ON FUNCTION "private"."may_set_budgets"(uuid) IS 'Whether the caller may set the budgets of a product.';

COMMENT ON FUNCTION "private"."missing_proof"(uuid[], public.evidence_grade) IS 'What keeps stories from being done, an issue a criterion (docs/proof.md).';

COMMENT ON FUNCTION "private"."model_of_worker"(uuid) IS 'The model that a worker used last.';

COMMENT ON FUNCTION "private"."next_product"(uuid, uuid, uuid, uuid, jsonb, uuid[]) IS 'The product of the oldest claimable job in reach (specification: Agent job; claiming).';

COMMENT ON FUNCTION "private"."note_attempt"(public.agent_jobs, private.job_report) IS 'Keeps session and kept work of an attempt (specification: Agent job; attempts).';

COMMENT ON FUNCTION "private"."note_budget_step"(public.agent_jobs, text) IS 'Keeps the largest step of an attempt between two heartbeats.';

COMMENT ON FUNCTION "private"."note_conflict"(public.agent_jobs, public.agent_jobs, jsonb, text) IS 'Keeps that work of a job does not merge, and what was decided.';

COMMENT ON FUNCTION "private"."note_head"(uuid, public.agent_jobs, text) IS 'Remembers the commit of a story''s work (docs/proof.md).';

COMMENT ON FUNCTION "private"."note_merged_requests"(uuid, uuid, timestamp with time zone) IS 'Work that merged pull requests of PBIs brought to the main branch.';

COMMENT ON FUNCTION "private"."note_released"(uuid[]) IS 'Remembers the tasks that wait for nothing any more, for the answer.';

COMMENT ON FUNCTION "private"."note_usage_so_far"(public.agent_jobs, jsonb) IS 'Keeps what an attempt has used so far (specification: Agent job, token usage).';

COMMENT ON FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid[]) IS 'Why a claim found nothing (specification: Agent job; claiming).';

COMMENT ON FUNCTION "private"."one_line"(text) IS 'A text of the caller as part of a sentence: one line, at most 200 characters.';

COMMENT ON FUNCTION "private"."order_by_dependencies"(uuid[]) IS 'Tasks in their order, each after what it waits for.';

COMMENT ON FUNCTION "private"."order_runs"(uuid) IS 'The places of what has not begun follow new dependencies (specification: Sprint run).';

COMMENT ON FUNCTION "private"."own_fields"(text, jsonb) IS 'The fields of a task, story or PBI that a person changes and may take back.';

COMMENT ON FUNCTION "private"."own_session_id"() IS 'The session of this request, where there is one (specification: Authentication).';

COMMENT ON FUNCTION "private"."pass_review"(uuid, text) IS 'Phase review to DONE: a person approves (docs/proof.md).';

COMMENT ON FUNCTION "private"."pass_turn"(uuid, uuid) IS 'Lets a lane go on with a job that waits for nothing (specification: Agent job).';

COMMENT ON FUNCTION "private"."pause_for_budget"(public.sprint_runs, public.budgets, uuid) IS 'Run to PAUSED because of a budget, with a question and its buttons (specification: Sprint run, pause).';

COMMENT ON FUNCTION "private"."pause_run"(public.sprint_runs, text, text, jsonb, uuid, text[]) IS 'Run to PAUSED with context and question (specification: Sprint run, pause).';

COMMENT ON FUNCTION "private"."phase_after"(public.agent_jobs) IS 'Where a job goes whose work is done (docs/proof.md).';

COMMENT ON FUNCTION "private"."phase_after_verify"(public.agent_jobs, public.done_requires) IS 'What the verdict of another worker leads to (docs/proof.md).';

COMMENT ON FUNCTION "private"."previous_failure"(public.agent_jobs) IS 'Why the work failed the last time (specification: Agent job).';

COMMENT ON FUNCTION "private"."price_usage"(jsonb) IS 'Cost, currency and source of some usage (specification: Model price).';

COMMENT ON FUNCTION "private"."products_past_due"() IS 'Products with an expired lease, a waiting question past its expiry or a budget to settle, in the order of their locks.';

COMMENT ON FUNCTION "private"."products_with_due_budgets"() IS 'Products whose budgets private.settle_budgets has to look at.';

COMMENT ON FUNCTION "private"."products_without_consent"(uuid) IS 'Products whose jobs wait for a word of this member (specification: Agent job; claiming).';

COMMENT ON FUNCTION "private"."proof_count"(uuid) IS 'Proven and all criteria of a story, for cards (docs/proof.md).';

COMMENT ON FUNCTION "private"."proof_gap"(uuid) IS 'What a worker has to prove before a task is done (docs/proof.md).';

COMMENT ON FUNCTION "private"."proof_json"(uuid) IS 'The proof of a story (docs/proof.md).';

COMMENT ON FUNCTION "private"."put_budget"(uuid, text, text, uuid, text, numeric) IS 'Makes or changes the budget of a scope, period and unit.';

COMMENT ON FUNCTION "private"."raise_budget"(public.budgets, numeric) IS 'Changes the sum of a budget, and audits it.';

COMMENT ON FUNCTION "private"."record_evidence"(public.agent_jobs, jsonb) IS 'The evidence of an attempt for the criteria of its stories (docs/proof.md).';

COMMENT ON FUNCTION "private"."record_usage"(public.agent_jobs, integer, private.job_report) IS 'Writes down what a worker tells of its tokens (specification: Agent job, token usage).';

COMMENT ON FUNCTION "private"."record_usage_event"(public.agent_jobs, integer, jsonb) IS 'Writes one line of the ledger with the rates of this moment (specification: Agent job, token usage; Model price).';

COMMENT ON FUNCTION "private"."record_usage_total"(public.agent_jobs, integer, private.job_report) IS 'Writes what a total of an attempt adds to the ledger (specification: Agent job, token usage).';

COMMENT ON FUNCTION "private"."recount_blockers"(uuid[]) IS 'Keeps agent_jobs.open_blockers of the jobs of these tasks.';

COMMENT ON FUNCTION "private"."refuse_cycle"(text, uuid, uuid) IS 'PT409 with the path when a dependency would close a circle.';

COMMENT ON FUNCTION "private"."refuse_evidence"(integer, text, text) IS 'PT422 for a line of evidence (docs/proof.md).';

COMMENT ON FUNCTION "private"."refuse_moved_cycle"(uuid) IS 'PT409 with the path when a task waits for itself in its new story.';

COMMENT ON FUNCTION "private"."refuse_unproven"(jsonb) IS 'PT422 for a DONE that is not proven, an issue a criterion (docs/proof.md).';

COMMENT ON FUNCTION "private"."refuse_waiting"(uuid) IS 'PT409 for a task that waits for others (specification: Sprint run, executions).';

COMMENT ON FUNCTION "private"."reject_review"(uuid) IS 'Phase review to implement: somebody requests changes (docs/proof.md).';

COMMENT ON FUNCTION "private"."release_held_tasks"(uuid) IS 'Review to done for the tasks of a proven batch (docs/proof.md).';

COMMENT ON FUNCTION "private"."released"() IS '{ released: [codes] } of this transaction, or an empty object.';

COMMENT ON FUNCTION "private"."remember_change"(text, uuid, uuid, text, jsonb, jsonb, text) IS 'Keeps what a session changed, for undo_change.';

COMMENT ON FUNCTION "private"."reopen_job"(public.agent_jobs) IS 'Ended work is opened again by a review (docs/review.md).';

COMMENT ON FUNCTION "private"."reopen_tasks"(public.agent_jobs, uuid[]) IS 'Review to in progress after a verification or review (docs/proof.md).';

COMMENT ON FUNCTION "private"."reports_usage"(uuid) IS 'Whether the last finished attempt of a worker told what it used.';

COMMENT ON FUNCTION "private"."require_blocker"(text, uuid, text) IS 'The id behind an id or code of the same product, or PT422.';

COMMENT ON FUNCTION "private"."require_budget_left"(public.sprint_runs) IS 'PT409 for a run whose budget is used up (specification: Sprint run, pause).';

COMMENT ON FUNCTION "private"."require_criterion"(uuid, text, integer) IS 'The words of a criterion of a story, or PT422 (docs/proof.md).';

COMMENT ON FUNCTION "private"."require_job_reader"(uuid) IS 'A job whose output and changes the caller may read (specification: Errors; Idea).';

COMMENT ON FUNCTION "private"."require_look"(jsonb) IS 'A look of a page, or PT422.';

COMMENT ON FUNCTION "private"."require_own_view"(uuid) IS 'The view that the caller may change, its product locked; PT404, PT403, PT429.';

COMMENT ON FUNCTION "private"."require_person"() IS 'PT403 for API tokens (specification: Authentication).';

COMMENT ON FUNCTION "private"."require_proof"(uuid, public.task_status) IS 'PT422 for a token that would finish a story that is not proven (docs/proof.md).';

COMMENT ON FUNCTION "private"."require_review"(public.agent_jobs) IS 'PT409 for a job that is not in the phase review (docs/proof.md).';

COMMENT ON FUNCTION "private"."require_reviewable"(public.agent_jobs, text) IS 'PT409 for a job that has nothing to judge, or is judged already (docs/review.md).';

COMMENT ON FUNCTION "private"."require_reviewer"(public.agent_jobs) IS 'PT403 for the tokens of whoever did the work (docs/review.md).';

COMMENT ON FUNCTION "private"."require_view_name"(uuid, text, uuid, text, uuid) IS 'The name that a view may have, or PT422, PT409.';

COMMENT ON FUNCTION "private"."reserve_budget"(public.agent_jobs, private.budget_room[]) IS 'Reserves for a claimed job what it is expected to use.';

COMMENT ON FUNCTION "private"."restore_fields"(private.changes) IS 'Takes one change of fields back, or says why it cannot.';

COMMENT ON FUNCTION "private"."restore_thing"(private.changes) IS 'Brings a deleted PBI, story or task back.';

COMMENT ON FUNCTION "private"."restore_unmerged"(private.changes) IS 'Takes the owner''s word back that work is on the main branch, or says why it cannot.';

COMMENT ON FUNCTION "private"."review_costs"(uuid[], uuid) IS 'What a sprint or one of its stories cost (specification: Model price).';

COMMENT ON FUNCTION "private"."review_evidence"(uuid, text, uuid) IS 'What decides about a criterion, in short (docs/proof.md).';

COMMENT ON FUNCTION "private"."review_json"(public.job_reviews) IS 'A review (docs/review.md).';

COMMENT ON FUNCTION "private"."review_payload"(public.agent_jobs) IS 'What the newest review of a task asks for (docs/review.md).';

COMMENT ON FUNCTION "private"."reviewed_job"(public.agent_jobs) IS 'A job as the sprint review names it (docs/users.md).';

COMMENT ON FUNCTION "private"."reviewed_story"(public.stories, uuid, uuid[]) IS 'A story as the sprint review shows it (docs/users.md).';

COMMENT ON FUNCTION "private"."run_overlaps"(public.sprint_runs) IS 'Pairs of tasks of a run that change the same file at the moment: [{ tasks, files, files_total }].';

COMMENT ON FUNCTION "private"."run_scope"(uuid) IS 'Unfinished tasks of a sprint in the order of a run (specification: Starting a sprint run 2).';

COMMENT ON FUNCTION "private"."saved_view_json"(public.saved_views) IS 'A saved view as answers show it.';

COMMENT ON FUNCTION "private"."saved_views_of"(uuid, text) IS 'The caller''s own and the shared views of a product, own ones first.';

COMMENT ON FUNCTION "private"."search_blocked"(text, uuid, text, integer, integer) IS 'What waits for what, of the caller''s products (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."send_conflict_home"(public.agent_jobs, public.agent_jobs, jsonb, boolean) IS 'A held job back to the queue because its work does not merge (specification: Agent job; Sprint run, pause).';

COMMENT ON FUNCTION "private"."set_dependency_release"(uuid, public.dependency_release) IS 'Sets products.dependency_release and counts anew what waits (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."settle_budget"(public.budgets) IS 'Marks a budget as reached, or open again.';

COMMENT ON FUNCTION "private"."settle_budgets"(uuid, uuid) IS 'Pauses the runs of reached budgets and lets those of open ones go on (specification: Sprint run, pause).';

COMMENT ON FUNCTION "private"."settle_waiting"(uuid[]) IS 'Counts anew what tasks wait for, now or at the end of the job that ended.';

COMMENT ON FUNCTION "private"."spread_of"(numeric[], integer) IS 'Where so many tasks lie at 20 and 80 per cent; null with fewer than five finished ones.';

COMMENT ON FUNCTION "private"."stop_for_budget"(public.agent_jobs, public.budgets) IS 'A held job back to the queue because of a budget (specification: Agent job; Sprint run, pause).';

COMMENT ON FUNCTION "private"."stories_to_finish"(public.agent_jobs) IS 'The stories that the end of a job would finish (docs/proof.md).';

COMMENT ON FUNCTION "private"."story_of_line"(public.agent_jobs, jsonb, integer) IS 'The story that a line of evidence speaks of (docs/proof.md).';

COMMENT ON FUNCTION "private"."story_proof"(uuid) IS 'The criteria of a story with state and grade (docs/proof.md).';

COMMENT ON FUNCTION "private"."sum_budget"(public.budgets) IS 'Keeps what the ledger has for a budget.';

COMMENT ON FUNCTION "private"."sum_budgets"(public.agent_jobs) IS 'Lets the sums of the budgets of a job follow the ledger.';

COMMENT ON FUNCTION "private"."sum_usage"(uuid, text) IS 'Tokens and model of a job as the sum of its ledger (specification: Agent job).';

COMMENT ON FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb, uuid[]) IS 'QUEUED to CLAIMED in one statement (specification: Agent job).';

COMMENT ON FUNCTION "private"."task_history"(text, uuid) IS 'The statuses of a task that is about to be deleted.';

COMMENT ON FUNCTION "private"."tasks_of_job"(public.agent_jobs) IS 'The tasks that a job works on.';

COMMENT ON FUNCTION "private"."tg_agent_jobs__count_blockers"() IS 'open_blockers of a new job.';

COMMENT ON FUNCTION "private"."tg_agent_jobs__keep_usage"() IS 'Keeps the usage of attempts that were lost (specification: Agent job, token usage).';

COMMENT ON FUNCTION "private"."tg_agent_jobs__note_attempt"() IS 'Begins and ends the rows of job_attempts (specification: Agent job; attempts).';

COMMENT ON FUNCTION "private"."tg_agent_jobs__pass_turn"() IS 'Lets a lane go on when its job comes back and waits (specification: Agent job).';

COMMENT ON FUNCTION "private"."tg_agent_jobs__settle_merged"() IS 'Counters follow work to the main branch (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."tg_agent_jobs__settle_waiting"() IS 'Frees what waited for the task of a job that ended (specification: Agent job).';

COMMENT ON FUNCTION "private"."tg_any__remember_change"() IS 'Keeps what a person changed, for undo_change. The argument names the kind.';

COMMENT ON FUNCTION "private"."tg_any__tell_inbox"() IS 'Tells the members of a product that something began or ceased to wait for them.';

COMMENT ON FUNCTION "private"."tg_evidence__emit"() IS 'Announces new evidence on product:<id> (docs/proof.md).';

COMMENT ON FUNCTION "private"."tg_pbis__note_merged"() IS 'Work follows the pull request of its PBI to the main branch (docs/dependencies.md).';

COMMENT ON FUNCTION "private"."tg_sprint_runs__carry_budget"() IS 'The budget of a run goes on with the run that continues it.';

COMMENT ON FUNCTION "private"."tg_stories__record_sprint"() IS 'Writes task_status_changes when a story comes to a sprint or leaves it (specification: Sprint).';

COMMENT ON FUNCTION "private"."tg_stories__settle_waiting"() IS 'Counters follow the status of stories.';

COMMENT ON FUNCTION "private"."tg_story_dependencies__emit"() IS 'Announces dependencies as changes of their stories (specification: Solo stream, Backlog stream).';

COMMENT ON FUNCTION "private"."tg_story_dependencies__recount"() IS 'Counters follow the dependencies of stories.';

COMMENT ON FUNCTION "private"."tg_task_dependencies__emit"() IS 'Announces dependencies as changes of their tasks (specification: Solo stream, Backlog stream).';

COMMENT ON FUNCTION "private"."tg_task_dependencies__recount"() IS 'Counters follow the dependencies of tasks.';

COMMENT ON FUNCTION "private"."tg_task_executions__recount"() IS 'The counter of a batch follows its executions.';

COMMENT ON FUNCTION "private"."tg_tasks__finish_elsewhere"() IS 'A task done by hand is done in its batch run too, and ends the job that waited for a look at it (specification: Sprint run, executions; docs/proof.md).';

COMMENT ON FUNCTION "private"."tg_tasks__keep_batch_job"() IS 'A batch job outlives the task that it names (specification: Agent job, task_id; Sprint run).';

COMMENT ON FUNCTION "private"."tg_tasks__note_review"() IS 'Keeps tasks_in_review (specification: States and transitions, Task).';

COMMENT ON FUNCTION "private"."tg_tasks__settle_waiting"() IS 'Counters follow the status and the story of tasks.';

COMMENT ON FUNCTION "private"."tg_waivers__emit"() IS 'Announces new waivers on product:<id> (docs/proof.md).';

COMMENT ON FUNCTION "private"."touch_worker"(uuid, text, text, integer) IS 'Presence and quota of a worker (specification: Agent worker).';

COMMENT ON FUNCTION "private"."unmerged_work"(uuid) IS 'The job of a done task whose work is not known to be on the main branch, or null.';

COMMENT ON FUNCTION "private"."unmerged_works"(text, uuid) IS 'Work of a task, or of the tasks of a story, that is not known to be on the main branch.';

COMMENT ON FUNCTION "private"."unreported_jobs"(public.budgets) IS 'Finished jobs under a budget whose agents told no usage.';

COMMENT ON FUNCTION "private"."usage_by"(uuid, uuid) IS 'Tokens and cost by model, day, sprint, run, story, task and worker (specification: Agent job; Model price).';

COMMENT ON FUNCTION "private"."usage_in_unit"(jsonb, text) IS 'Usage of a heartbeat in tokens or in one currency.';

COMMENT ON FUNCTION "private"."usage_key_json"(text, text) IS 'What a sum of private.usage_by is about, in ids and names.';

COMMENT ON FUNCTION "private"."verifiers_report"(private.job_report) IS 'What a report in the phase verify may say (docs/proof.md).';

COMMENT ON FUNCTION "private"."verify_rounds"(uuid) IS 'Verifications of a job that found a fault (docs/proof.md).';

COMMENT ON FUNCTION "private"."waiting_for"(uuid[], uuid[]) IS 'The tasks that wait for tasks, or for stories.';

COMMENT ON FUNCTION "private"."waiver_json"(public.waivers) IS 'A waiver as REST and pages show it (docs/proof.md).';

COMMENT ON FUNCTION "private"."warn_of_budget"(public.budgets, numeric) IS 'Notices at 80 per cent of a budget.';

COMMENT ON FUNCTION "private"."weigh_budgets"(uuid, uuid, boolean) IS 'What the budgets of a product leave for a job that begins now.';

COMMENT ON FUNCTION "private"."workers_online"(uuid[]) IS 'How many workers of members are online (specification: Solo stream, workers).';

COMMENT ON FUNCTION "private"."write_down_expired"(boolean, uuid[]) IS 'open to expired, with its policy (specification: Agent question).';

COMMENT ON FUNCTION "public"."add_dependency"(text, uuid, text) IS 'Lets a task wait for a task, or a story for a story, of its product.';

COMMENT ON FUNCTION "public"."add_evidence"(uuid, jsonb) IS 'Adds evidence for a criterion of a story (docs/proof.md).';

COMMENT ON FUNCTION "public"."add_job_comment"(uuid, integer, text, integer, text, text, text) IS 'Collects a comment on a line (docs/review.md).';

COMMENT ON FUNCTION "public"."allow_my_workers"(uuid, boolean) IS 'Whether the caller''s workers take jobs of this product unasked (specification: Agent job; Authentication 4).';

COMMENT ON FUNCTION "public"."append_job_output"(uuid, integer, jsonb) IS 'Adds entries to the output of an attempt (docs/agents.md).';

COMMENT ON FUNCTION "public"."change_things"(jsonb, jsonb) IS 'Changes one or many tasks, stories and PBIs of a product, atomically.';

COMMENT ON FUNCTION "public"."create_from_list"(jsonb, uuid, uuid) IS 'Makes the stories and tasks of a pasted list, all or none (specification: Story, Task).';

COMMENT ON FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text, text, text) IS 'Creates a product of the caller (specification: Product). 5 per minute.';

COMMENT ON FUNCTION "public"."create_saved_view"(uuid, text, text, jsonb, boolean) IS 'Keeps a look of backlog or board under a name, for the caller or for all members.';

COMMENT ON FUNCTION "public"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb) IS 'Creates a story (specification: Story, Entity codes). 60 per minute.';

COMMENT ON FUNCTION "public"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb) IS 'Creates a task (specification: Task, Entity codes). 100 per minute.';

COMMENT ON FUNCTION "public"."delete_budget"(uuid, uuid) IS 'Takes a budget away; the owner of the product, in a session.';

COMMENT ON FUNCTION "public"."delete_job_comment"(uuid, uuid) IS 'Takes a draft of a comment back (docs/review.md).';

COMMENT ON FUNCTION "public"."delete_saved_view"(uuid) IS 'Deletes a saved view.';

COMMENT ON FUNCTION "public"."find_login_identity"(text, uuid) IS 'User id, e-mail address and limit key behind a user name or address, with a decoy for unknown ones. Service only.';

COMMENT ON FUNCTION "public"."find_wrong_counters"() IS 'Unfinished jobs whose open_blockers is not what they wait for. Service only.';

COMMENT ON FUNCTION "public"."finish_schedule_run"(text, timestamp with time zone) IS 'Keeps a scheduled entry from being taken again (specification: Schedules). Service only.';

COMMENT ON FUNCTION "public"."get_budgets"(uuid, uuid, uuid, uuid) IS 'Budgets of a product with what is spent, reserved and left, and its settings for them.';

COMMENT ON FUNCTION "public"."get_forecast"(uuid, uuid) IS 'Time, tokens and money of open tasks from finished ones, and estimates beside what came out.';

COMMENT ON FUNCTION "public"."get_inbox"(text, jsonb) IS 'What waits for the caller over all products: open, put off or done.';

COMMENT ON FUNCTION "public"."get_job_diff"(uuid, integer) IS 'What an attempt of a job has changed (docs/review.md).';

COMMENT ON FUNCTION "public"."get_job_output"(uuid, integer, bigint, integer) IS 'Entries of the output of an attempt (docs/agents.md).';

COMMENT ON FUNCTION "public"."get_job_proof"(uuid) IS 'What proves the stories of a job (docs/proof.md).';

COMMENT ON FUNCTION "public"."get_proof"(uuid) IS 'What proves the criteria of a story (docs/proof.md).';

COMMENT ON FUNCTION "public"."get_shell"(uuid) IS 'The frame of every signed-in page: products, active sprint, the inbox.';

COMMENT ON FUNCTION "public"."get_sprint_review"(uuid) IS 'The page of the sprint review: stories, proof, changes, cost, open ends (docs/users.md).';

COMMENT ON FUNCTION "public"."give_back_limit"(text, text) IS 'Takes one count back that take_limit made (specification: Limits). Service only.';

COMMENT ON FUNCTION "public"."heartbeat_agent_job"(uuid, integer, integer, jsonb) IS 'Renews a lease; continue, pause or stop (specification: Agent job, lease_until).';

COMMENT ON FUNCTION "public"."import_dependencies"(uuid, jsonb) IS 'Dependencies of an import; answers those left out with the reason. Service only.';

COMMENT ON FUNCTION "public"."list_candidates"(text, uuid, text) IS 'What a task or story could wait for: what is near first, at most 8.';

COMMENT ON FUNCTION "public"."list_dependencies"(text, uuid) IS 'What a task or story waits for, and what waits for it.';

COMMENT ON FUNCTION "public"."list_job_comments"(uuid) IS 'Reviews and comments of a job (docs/review.md).';

COMMENT ON FUNCTION "public"."list_open_user_questions"(uuid, integer, uuid) IS 'The caller''s pending user questions (specification: User question).';

COMMENT ON FUNCTION "public"."list_ready"(uuid, integer) IS 'Tasks of a product that wait for nothing.';

COMMENT ON FUNCTION "public"."list_run_order"(uuid) IS 'Lanes of a run and what its tasks wait for, in the order of the run.';

COMMENT ON FUNCTION "public"."list_saved_views"(uuid, text) IS 'The caller''s own and the shared views of a product, of one page or of all.';

COMMENT ON FUNCTION "public"."list_sent_messages"(jsonb) IS 'Topic, first event number and transaction of what was sent within a minute (specification: Events). Service only.';

COMMENT ON FUNCTION "public"."mark_inbox_item"(text, uuid, text, timestamp with time zone) IS 'Puts an item of the caller''s inbox aside, or brings it back.';

COMMENT ON FUNCTION "public"."move_stories"(jsonb, uuid) IS 'Moves stories into a sprint or out of theirs, atomically (specification: States and transitions, Story).';

COMMENT ON FUNCTION "public"."read_job_stream"(uuid) IS 'First state of the stream of a job (docs/agents.md).';

COMMENT ON FUNCTION "public"."remove_dependency"(text, uuid, text) IS 'Lets a task or story wait for another no more.';

COMMENT ON FUNCTION "public"."report_agent_job"(uuid, integer, jsonb) IS 'CLAIMED and RUNNING to RUNNING, DONE, FAILED, SKIPPED or back to QUEUED (specification: Agent job).';

COMMENT ON FUNCTION "public"."report_job_conflict"(uuid, integer, jsonb) IS 'Work that does not merge goes back to whoever can mend it (docs/dependencies.md).';

COMMENT ON FUNCTION "public"."report_job_usage"(uuid, integer, jsonb) IS 'Token usage of a job (specification: Agent job).';

COMMENT ON FUNCTION "public"."report_merged"(uuid, text) IS 'The work of a job is on the main branch (docs/dependencies.md).';

COMMENT ON FUNCTION "public"."restart_worker"(text, boolean) IS 'Closes the attempts of a worker that restarted or stops (specification: Agent job; lease lost).';

COMMENT ON FUNCTION "public"."resume_sprint"(uuid) IS 'FAILED sprint to ACTIVE with a new run, or null when nothing is left to run (specification: States and transitions, Task and Sprint).';

COMMENT ON FUNCTION "public"."review_job"(uuid, text, text) IS 'Approves the work of a job, or requests changes (docs/review.md).';

COMMENT ON FUNCTION "public"."save_job_diff"(uuid, integer, jsonb) IS 'Keeps what an attempt has changed (docs/review.md).';

COMMENT ON FUNCTION "public"."set_budget"(uuid, text, text, numeric, text, uuid) IS 'Makes or changes a budget; the owner of the product, in a session.';

COMMENT ON FUNCTION "public"."set_budget_settings"(uuid, jsonb) IS 'Time zone, agents without usage, expectations; the owner of the product, in a session.';

COMMENT ON FUNCTION "public"."set_task_status"(uuid, text, boolean) IS 'A board move of a task, all statuses (specification: States and transitions, Task).';

COMMENT ON FUNCTION "public"."start_sprint_run"(uuid, jsonb) IS 'Starts a run of an active sprint, or PT409 with all blockers (specification: Starting a sprint run).';

COMMENT ON FUNCTION "public"."take_limit"(text, text) IS 'Counts one try of login, registration, recovery, pair/start or a password change, or PT429 (specification: Limits). Service only.';

COMMENT ON FUNCTION "public"."undo_change"() IS 'Takes back the last change of the caller''s session, within 30 seconds.';

COMMENT ON FUNCTION "public"."update_saved_view"(uuid, jsonb) IS 'Changes name, look or reach of a saved view.';

COMMENT ON FUNCTION "public"."waive_criterion"(uuid, text, text) IS 'A person lets a criterion go (docs/proof.md).';

COMMENT ON FUNCTION "public"."worker_heartbeat"(text, text, text, integer, boolean, jsonb) IS 'Presence and quota of a worker (specification: Agent worker).';

COMMENT ON TABLE "private"."budget_sums" IS 'What the ledger has for a budget up to a line of it (private.sum_budget).';

COMMENT ON TABLE "private"."changes" IS 'What a person may still take back. Written by triggers, read by undo_change.';

COMMENT ON TABLE "public"."agent_workers" IS 'Presence of workers (specification: Agent worker): last seen, quota. What a worker holds is said by its jobs.';

COMMENT ON TABLE "public"."budget_reservations" IS 'What held jobs may still use of the budgets that they fall under.';

COMMENT ON TABLE "public"."budget_settings" IS 'Settings for the budgets of a product: time zone, agents without usage, expectations.';

COMMENT ON TABLE "public"."budgets" IS 'Budgets: what may be used, and how far it is. Only people who own the product raise them.';

COMMENT ON TABLE "public"."evidence" IS 'Evidence for the criteria of stories, append-only (docs/proof.md).';

COMMENT ON TABLE "public"."inbox_marks" IS 'What a person has done or put off in their inbox: theirs alone.';

COMMENT ON TABLE "public"."job_attempts" IS 'Attempts of agent jobs: one a claim, with its worker, its end, and how far its output goes (specification: Agent job).';

COMMENT ON TABLE "public"."job_comments" IS 'Comments on lines of diffs; drafts until they are sent with a review (docs/review.md).';

COMMENT ON TABLE "public"."job_conflicts" IS 'Work that does not merge, and the job that mends it (docs/dependencies.md).';

COMMENT ON TABLE "public"."job_diffs" IS 'What the attempts of agent jobs have changed (docs/review.md).';

COMMENT ON TABLE "public"."job_outputs" IS 'What an agent says and does in an attempt, entry by entry (docs/agents.md).';

COMMENT ON TABLE "public"."job_reviews" IS 'Reviews of the work of agent jobs (docs/review.md).';

COMMENT ON TABLE "public"."saved_views" IS 'Looks of backlog and board that people keep under a name, each for one person or for all members.';

COMMENT ON TABLE "public"."sprint_leftovers" IS 'Stories that were not done when their sprint was over (docs/users.md).';

COMMENT ON TABLE "public"."story_dependencies" IS 'A story waits for a story of its product: each of its tasks waits for the whole other story; only DONE frees it.';

COMMENT ON TABLE "public"."story_heads" IS 'The commit at which the work of a story stands (docs/proof.md).';

COMMENT ON TABLE "public"."task_dependencies" IS 'A task waits for a task of its product; only DONE frees it.';

COMMENT ON TABLE "public"."task_status_changes" IS 'Every status a task had and every sprint it was in (specification: States, Task).';

COMMENT ON TABLE "public"."tasks_in_review" IS 'Tasks whose status is review, and since when (specification: States, Task).';

COMMENT ON TABLE "public"."usage_events" IS 'Tokens and cost of agents, written once with the prices of the moment (specification: Agent job, token usage; Model price).';

COMMENT ON TABLE "public"."usage_so_far" IS 'Tokens of turns that are under way, one row a model, told by heartbeats (specification: Agent job, token usage).';

COMMENT ON TABLE "public"."waivers" IS 'Criteria that a person let go, with the reason (docs/proof.md).';

COMMENT ON TYPE "private"."budget_room" IS 'What a claim found of a budget.';

COMMENT ON TYPE "private"."job_report" IS 'What a worker says of its attempt (specification: Agent job).';

COMMENT ON TYPE "private"."proven_criterion" IS 'A criterion of a story with its state (docs/proof.md).';

COMMENT ON TYPE "public"."dependency_release" IS 'When what is done frees what waits for it: at once, or when its code is on the main branch (docs/dependencies.md).';

COMMENT ON TYPE "public"."done_requires" IS 'What a product asks for before a story is done (docs/proof.md).';

COMMENT ON TYPE "public"."evidence_grade" IS 'Who observed a piece of evidence, weakest first (docs/proof.md).';

COMMENT ON TYPE "public"."evidence_kind" IS 'What a piece of evidence is (docs/proof.md).';

COMMENT ON TYPE "public"."evidence_verdict" IS 'What a piece of evidence says of its criterion (docs/proof.md).';

COMMENT ON TYPE "public"."job_phase" IS 'Phases of a job whose product asks for proof (docs/proof.md).';

COMMENT ON VIEW "private"."claimable_jobs" IS 'The jobs that a worker may be given now (specification: Agent job).';

COMMENT ON VIEW "private"."operations" IS 'The functions of public that users may call; a volatile one writes (specification: Authentication 3).';

COMMENT ON VIEW "private"."product_detail_shape" IS 'A product with all fields (specification: Product).';

COMMENT ON VIEW "private"."task_blockers" IS 'What a task waits for: tasks, and the stories that its story waits for.';

REVOKE ALL ON FUNCTION "private"."act_as"(jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."act_as"(jsonb, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."act_on_budget_answer"(public.agent_questions, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."act_on_budget_answer"(public.agent_questions, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."add_dependencies"(text, uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_dependencies"(text, uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."add_dependency"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_dependency"(text, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."add_evidence"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_evidence"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."add_job_comment"(uuid, integer, text, integer, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_job_comment"(uuid, integer, text, integer, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."add_up_budget"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_up_budget"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."allow_my_workers"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."allow_my_workers"(uuid, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."answer_pairing"(uuid, text, public.pairing_status) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."answer_pairing"(uuid, text, public.pairing_status) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."append_job_output"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."append_job_output"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."ask_about_proof"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."ask_about_proof"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."attempt_usage_json"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."attempt_usage_json"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."attempt_used"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."attempt_used"(uuid, integer, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."attempt_words"(public.agent_jobs, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."attempt_words"(public.agent_jobs, integer, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."attempts_json"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."attempts_json"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."awaited_heads"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."awaited_heads"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."awaited_work"(uuid[], integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."awaited_work"(uuid[], integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."base_refs"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."base_refs"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."batch_executions"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."batch_executions"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."become_user"(private.principal, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."become_user"(private.principal, boolean) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."blocker_json"(uuid, text, text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."blocker_json"(uuid, text, text, text, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."branch_head"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."branch_head"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."bring_next_in_turn"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."bring_next_in_turn"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_amount_text"(numeric, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_amount_text"(numeric, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_at_work"(public.budgets, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_at_work"(public.budgets, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_covers"(public.budgets, public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_covers"(public.budgets, public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_json"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_json"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_left"(public.agent_jobs, private.budget_room[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_left"(public.agent_jobs, private.budget_room[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_name"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_name"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_need"(public.agent_jobs, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_need"(public.agent_jobs, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_payload"(public.agent_jobs, private.budget_room[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_payload"(public.agent_jobs, private.budget_room[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_raise"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_raise"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_reasons"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_reasons"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_settings_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_settings_of"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_spent"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_spent"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_stop_text"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_stop_text"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_warnings"(public.sprints) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_warnings"(public.sprints) TO "postgres";

REVOKE ALL ON FUNCTION "private"."budget_window"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."budget_window"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."change_event"(text, text, jsonb, jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."change_event"(text, text, jsonb, jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."change_thing"(text, uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."change_thing"(text, uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."changed_job_fields"(public.agent_jobs, public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."changed_job_fields"(public.agent_jobs, public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."changed_task_fields"(public.tasks, public.tasks) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."changed_task_fields"(public.tasks, public.tasks) TO "postgres";

REVOKE ALL ON FUNCTION "private"."chat_questions"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."chat_questions"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_observation"(jsonb, public.evidence_grade, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."check_observation"(jsonb, public.evidence_grade, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."closed_budgets"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."closed_budgets"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."code_of"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."code_of"(text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."comment_json"(public.job_comments) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."comment_json"(public.job_comments) TO "postgres";

REVOKE ALL ON FUNCTION "private"."conflict_payload"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."conflict_payload"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."conflict_reasons"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."conflict_reasons"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."conflict_rival"(public.agent_jobs, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."conflict_rival"(public.agent_jobs, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."continue_run"(public.sprint_runs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."continue_run"(public.sprint_runs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."cost_insights"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."cost_insights"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."costs_of"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."costs_of"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."count_open_blockers"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."count_open_blockers"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."create_saved_view"(uuid, text, text, jsonb, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."create_saved_view"(uuid, text, text, jsonb, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."criteria_of"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."criteria_of"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."criteria_payload"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."criteria_payload"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."criterion_id"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."criterion_id"(text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."current_job_id"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."current_job_id"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."deadlock_blockers"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."deadlock_blockers"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."decide_conflict"(public.agent_jobs, text, text, public.agent_jobs, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."decide_conflict"(public.agent_jobs, text, text, public.agent_jobs, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_budget"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."delete_budget"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."delete_job_comment"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."delete_job_comment"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."delete_saved_view"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."delete_saved_view"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."dependencies_json"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."dependencies_json"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."dependency_blockers"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."dependency_blockers"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."dependency_reasons"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."dependency_reasons"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."doing_now"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."doing_now"(uuid, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."drop_output_middle"(public.job_attempts) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."drop_output_middle"(public.job_attempts) TO "postgres";

REVOKE ALL ON FUNCTION "private"."earlier_attempts"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."earlier_attempts"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."earlier_jobs"(public.agent_jobs, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."earlier_jobs"(public.agent_jobs, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."emit_job_output"(public.agent_jobs, public.job_attempts) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."emit_job_output"(public.agent_jobs, public.job_attempts) TO "postgres";

REVOKE ALL ON FUNCTION "private"."emit_story_change"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."emit_story_change"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."emit_task_change"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."emit_task_change"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_session_chain"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_session_chain"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."enter_phase"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."enter_phase"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."estimates_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."estimates_of"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."evidence_json"(public.evidence, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."evidence_json"(public.evidence, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."expected_use"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."expected_use"(uuid, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."export_blocked_by"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."export_blocked_by"(text, uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."export_evidence"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."export_evidence"(uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."export_reviews"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."export_reviews"(uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."export_waivers"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."export_waivers"(uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."find_blocker"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."find_blocker"(text, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_path"(text, uuid, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."find_path"(text, uuid, text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_wrong_counters"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."find_wrong_counters"() TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."findings"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."findings"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."finished_tasks"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."finished_tasks"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."finished_use"(uuid, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."finished_use"(uuid, text, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."finishes_story"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."finishes_story"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."fits_budgets"(uuid, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fits_budgets"(uuid, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."followers"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."followers"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."frozen_product_ids"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."frozen_product_ids"() TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."full_budgets"(private.budget_room[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."full_budgets"(private.budget_room[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."get_budgets"(uuid, uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_budgets"(uuid, uuid, uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."get_forecast"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_forecast"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."get_inbox"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_inbox"(text, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."get_job_diff"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_job_diff"(uuid, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."get_job_output"(uuid, integer, bigint, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_job_output"(uuid, integer, bigint, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."get_job_proof"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_job_proof"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."get_proof"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_proof"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."get_sprint_review"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_sprint_review"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."give_back_job"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."give_back_job"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_arrived"(uuid, text, uuid, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."has_arrived"(uuid, text, uuid, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."has_criteria"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."has_criteria"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."heartbeat_agent_job"(uuid, integer, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."heartbeat_agent_job"(uuid, integer, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."heed_budget"(public.agent_jobs, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."heed_budget"(public.agent_jobs, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."heed_waiting"(uuid, public.task_status, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."heed_waiting"(uuid, public.task_status, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."held_tasks"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."held_tasks"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."holds_task"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."holds_task"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."idea_payload"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."idea_payload"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."import_dependencies"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."import_dependencies"(uuid, jsonb) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."import_proof"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."import_proof"(uuid, jsonb) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."import_reviews"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."import_reviews"(uuid, jsonb) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."imported_reviews"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."imported_reviews"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."inbox_count"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."inbox_count"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."inbox_item_json"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."inbox_item_json"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."inbox_items"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."inbox_items"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."inbox_state"(timestamp with time zone, public.inbox_marks) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."inbox_state"(timestamp with time zone, public.inbox_marks) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."insert_dependency"(text, uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."insert_dependency"(text, uuid, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."insert_evidence"(uuid, jsonb, public.evidence_grade, integer, public.agent_jobs, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."insert_evidence"(uuid, jsonb, public.evidence_grade, integer, public.agent_jobs, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_budget_reached"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_budget_reached"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_fresh"(public.evidence, public.story_heads) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_fresh"(public.evidence, public.story_heads) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_held"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_held"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_lane_held"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_lane_held"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_online"(public.agent_workers) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_online"(public.agent_workers) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."is_output_news"(timestamp with time zone, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_output_news"(timestamp with time zone, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_token"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_token"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."job_costs"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."job_costs"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."job_dependency_reasons"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."job_dependency_reasons"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."job_questions"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."job_questions"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."jobs_to_finish"(public.sprint_runs, public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."jobs_to_finish"(public.sprint_runs, public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."keep_usage_so_far"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_usage_so_far"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."last_line"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."last_line"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."leaders"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."leaders"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_candidates"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_candidates"(text, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."list_dependencies"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_dependencies"(text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."list_items"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_items"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_job_comments"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_job_comments"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."list_open_user_questions"(uuid, integer, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_open_user_questions"(uuid, integer, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."list_ready"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_ready"(uuid, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."list_run_order"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_run_order"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."lock_attempt"(public.agent_jobs, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lock_attempt"(public.agent_jobs, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_for_budget"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lock_for_budget"(uuid, integer, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lost_with"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lost_with"(text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."make_room_for_diffs"(uuid, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."make_room_for_diffs"(uuid, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mark_inbox_item"(text, uuid, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mark_inbox_item"(text, uuid, text, timestamp with time zone) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."may_change_view"(public.saved_views) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."may_change_view"(public.saved_views) TO "postgres";

REVOKE ALL ON FUNCTION "private"."may_read_talk"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."may_read_talk"(public.agent_jobs) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."may_set_budgets"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."may_set_budgets"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."missing_proof"(uuid[], public.evidence_grade) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."missing_proof"(uuid[], public.evidence_grade) TO "postgres";

REVOKE ALL ON FUNCTION "private"."model_of_worker"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."model_of_worker"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."next_product"(uuid, uuid, uuid, uuid, jsonb, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."next_product"(uuid, uuid, uuid, uuid, jsonb, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_attempt"(public.agent_jobs, private.job_report) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_attempt"(public.agent_jobs, private.job_report) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_budget_step"(public.agent_jobs, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_budget_step"(public.agent_jobs, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_conflict"(public.agent_jobs, public.agent_jobs, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_conflict"(public.agent_jobs, public.agent_jobs, jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_head"(uuid, public.agent_jobs, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_head"(uuid, public.agent_jobs, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_merged_requests"(uuid, uuid, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_merged_requests"(uuid, uuid, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_released"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_released"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_usage_so_far"(public.agent_jobs, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_usage_so_far"(public.agent_jobs, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."nothing_to_claim"(uuid, uuid, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."one_line"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."one_line"(text) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."order_by_dependencies"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."order_by_dependencies"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."order_runs"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."order_runs"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_fields"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."own_fields"(text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_session_id"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."own_session_id"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."pass_review"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pass_review"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pass_turn"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pass_turn"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pause_for_budget"(public.sprint_runs, public.budgets, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pause_for_budget"(public.sprint_runs, public.budgets, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pause_run"(public.sprint_runs, text, text, jsonb, uuid, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pause_run"(public.sprint_runs, text, text, jsonb, uuid, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."phase_after"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."phase_after"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."phase_after_verify"(public.agent_jobs, public.done_requires) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."phase_after_verify"(public.agent_jobs, public.done_requires) TO "postgres";

REVOKE ALL ON FUNCTION "private"."previous_failure"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."previous_failure"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."price_usage"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."price_usage"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."products_past_due"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."products_past_due"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."products_with_due_budgets"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."products_with_due_budgets"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."products_without_consent"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."products_without_consent"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."proof_count"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."proof_count"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."proof_gap"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."proof_gap"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."proof_json"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."proof_json"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."put_budget"(uuid, text, text, uuid, text, numeric) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."put_budget"(uuid, text, text, uuid, text, numeric) TO "postgres";

REVOKE ALL ON FUNCTION "private"."raise_budget"(public.budgets, numeric) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."raise_budget"(public.budgets, numeric) TO "postgres";

REVOKE ALL ON FUNCTION "private"."read_job_stream"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."read_job_stream"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."record_evidence"(public.agent_jobs, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."record_evidence"(public.agent_jobs, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_usage"(public.agent_jobs, integer, private.job_report) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."record_usage"(public.agent_jobs, integer, private.job_report) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_usage_event"(public.agent_jobs, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."record_usage_event"(public.agent_jobs, integer, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_usage_total"(public.agent_jobs, integer, private.job_report) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."record_usage_total"(public.agent_jobs, integer, private.job_report) TO "postgres";

REVOKE ALL ON FUNCTION "private"."recount_blockers"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."recount_blockers"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_cycle"(text, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_cycle"(text, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_evidence"(integer, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_evidence"(integer, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_moved_cycle"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_moved_cycle"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_unproven"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_unproven"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_waiting"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_waiting"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reject_review"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reject_review"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."release_held_tasks"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."release_held_tasks"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."released"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."released"() TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."remember_change"(text, uuid, uuid, text, jsonb, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remember_change"(text, uuid, uuid, text, jsonb, jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."remove_dependency"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remove_dependency"(text, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."reopen_job"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reopen_job"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reopen_tasks"(public.agent_jobs, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reopen_tasks"(public.agent_jobs, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."report_agent_job"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."report_agent_job"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."report_job_conflict"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."report_job_conflict"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."report_job_usage"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."report_job_usage"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."report_merged"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."report_merged"(uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."reports_usage"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reports_usage"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_blocker"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_blocker"(text, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_budget_left"(public.sprint_runs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_budget_left"(public.sprint_runs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_criterion"(uuid, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_criterion"(uuid, text, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_job_reader"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_job_reader"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_look"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_look"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_own_view"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_own_view"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_person"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_person"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_proof"(uuid, public.task_status) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_proof"(uuid, public.task_status) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."require_review"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_review"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_reviewable"(public.agent_jobs, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_reviewable"(public.agent_jobs, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_reviewer"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_reviewer"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_view_name"(uuid, text, uuid, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_view_name"(uuid, text, uuid, text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reserve_budget"(public.agent_jobs, private.budget_room[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reserve_budget"(public.agent_jobs, private.budget_room[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."restart_worker"(text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."restart_worker"(text, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."restore_fields"(private.changes) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."restore_fields"(private.changes) TO "postgres";

REVOKE ALL ON FUNCTION "private"."restore_thing"(private.changes) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."restore_thing"(private.changes) TO "postgres";

REVOKE ALL ON FUNCTION "private"."restore_unmerged"(private.changes) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."restore_unmerged"(private.changes) TO "postgres";

REVOKE ALL ON FUNCTION "private"."review_costs"(uuid[], uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_costs"(uuid[], uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."review_evidence"(uuid, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_evidence"(uuid, text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."review_job"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_job"(uuid, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."review_json"(public.job_reviews) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_json"(public.job_reviews) TO "postgres";

REVOKE ALL ON FUNCTION "private"."review_payload"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_payload"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reviewed_job"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reviewed_job"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reviewed_story"(public.stories, uuid, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reviewed_story"(public.stories, uuid, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."run_overlaps"(public.sprint_runs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."run_overlaps"(public.sprint_runs) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."run_scope"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."run_scope"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."save_job_diff"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."save_job_diff"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."saved_view_json"(public.saved_views) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."saved_view_json"(public.saved_views) TO "postgres";

REVOKE ALL ON FUNCTION "private"."saved_views_of"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."saved_views_of"(uuid, text) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."search_blocked"(text, uuid, text, integer, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."search_blocked"(text, uuid, text, integer, integer) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."send_conflict_home"(public.agent_jobs, public.agent_jobs, jsonb, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."send_conflict_home"(public.agent_jobs, public.agent_jobs, jsonb, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."set_budget"(uuid, text, text, uuid, text, numeric) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_budget"(uuid, text, text, uuid, text, numeric) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."set_budget_settings"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_budget_settings"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."set_dependency_release"(uuid, public.dependency_release) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_dependency_release"(uuid, public.dependency_release) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."settle_budget"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_budget"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_budgets"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_budgets"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_waiting"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_waiting"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."spread_of"(numeric[], integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."spread_of"(numeric[], integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."start_sprint_run"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."start_sprint_run"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."stop_for_budget"(public.agent_jobs, public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."stop_for_budget"(public.agent_jobs, public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."stories_to_finish"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."stories_to_finish"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."story_of_line"(public.agent_jobs, jsonb, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."story_of_line"(public.agent_jobs, jsonb, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."story_proof"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."story_proof"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."sum_budget"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sum_budget"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."sum_budgets"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sum_budgets"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."sum_usage"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sum_usage"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."sweep_expired_leases"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sweep_expired_leases"(uuid[]) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."take_job"(uuid, uuid, uuid, uuid, jsonb, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."task_history"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."task_history"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tasks_of_job"(public.agent_jobs) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tasks_of_job"(public.agent_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_agent_jobs__count_blockers"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_agent_jobs__count_blockers"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_agent_jobs__keep_usage"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_agent_jobs__keep_usage"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_agent_jobs__note_attempt"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_agent_jobs__note_attempt"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_agent_jobs__pass_turn"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_agent_jobs__pass_turn"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_agent_jobs__settle_merged"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_agent_jobs__settle_merged"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_agent_jobs__settle_waiting"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_agent_jobs__settle_waiting"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__remember_change"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_any__remember_change"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__tell_inbox"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_any__tell_inbox"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_evidence__emit"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_evidence__emit"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_pbis__note_merged"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_pbis__note_merged"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_sprint_runs__carry_budget"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_sprint_runs__carry_budget"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_stories__record_sprint"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_stories__record_sprint"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_stories__settle_waiting"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_stories__settle_waiting"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_story_dependencies__emit"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_story_dependencies__emit"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_story_dependencies__recount"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_story_dependencies__recount"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_task_dependencies__emit"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_task_dependencies__emit"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_task_dependencies__recount"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_task_dependencies__recount"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_task_executions__recount"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_task_executions__recount"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_tasks__finish_elsewhere"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_tasks__finish_elsewhere"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_tasks__keep_batch_job"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_tasks__keep_batch_job"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_tasks__note_review"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_tasks__note_review"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_tasks__settle_waiting"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_tasks__settle_waiting"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_waivers__emit"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tg_waivers__emit"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."touch_worker"(uuid, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."touch_worker"(uuid, text, text, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."undo_change"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."undo_change"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."unmerged_work"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unmerged_work"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."unmerged_works"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unmerged_works"(text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."unreported_jobs"(public.budgets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unreported_jobs"(public.budgets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."update_saved_view"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."update_saved_view"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."usage_in_unit"(jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."usage_in_unit"(jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."usage_key_json"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."usage_key_json"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."verifiers_report"(private.job_report) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."verifiers_report"(private.job_report) TO "postgres";

REVOKE ALL ON FUNCTION "private"."verify_rounds"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."verify_rounds"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."waiting_for"(uuid[], uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."waiting_for"(uuid[], uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."waive_criterion"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."waive_criterion"(uuid, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."waiver_json"(public.waivers) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."waiver_json"(public.waivers) TO "postgres";

REVOKE ALL ON FUNCTION "private"."warn_of_budget"(public.budgets, numeric) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."warn_of_budget"(public.budgets, numeric) TO "postgres";

REVOKE ALL ON FUNCTION "private"."weigh_budgets"(uuid, uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."weigh_budgets"(uuid, uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."worker_heartbeat"(text, text, text, integer, boolean, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."worker_heartbeat"(text, text, text, integer, boolean, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."workers_online"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."workers_online"(uuid[]) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."write_down_expired"(boolean, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."write_down_expired"(boolean, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "public"."add_dependency"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."add_dependency"(text, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."add_evidence"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."add_evidence"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."add_job_comment"(uuid, integer, text, integer, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."add_job_comment"(uuid, integer, text, integer, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."allow_my_workers"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."allow_my_workers"(uuid, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."append_job_output"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."append_job_output"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."change_things"(jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."change_things"(jsonb, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."create_from_list"(jsonb, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_from_list"(jsonb, uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_product"(text, text, text, text, text, boolean, text, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."create_saved_view"(uuid, text, text, jsonb, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_saved_view"(uuid, text, text, jsonb, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_story"(uuid, text, text, text, text, integer, uuid, uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_task"(uuid, text, text, text, text, integer, text, boolean, text, boolean, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."delete_budget"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."delete_budget"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."delete_job_comment"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."delete_job_comment"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."delete_saved_view"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."delete_saved_view"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."find_login_identity"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."find_login_identity"(text, uuid) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."find_wrong_counters"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."find_wrong_counters"() TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."finish_schedule_run"(text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."finish_schedule_run"(text, timestamp with time zone) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."get_budgets"(uuid, uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_budgets"(uuid, uuid, uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."get_forecast"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_forecast"(uuid, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."get_inbox"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_inbox"(text, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."get_job_diff"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_job_diff"(uuid, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."get_job_output"(uuid, integer, bigint, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_job_output"(uuid, integer, bigint, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."get_job_proof"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_job_proof"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."get_proof"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_proof"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."get_sprint_review"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."get_sprint_review"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."give_back_limit"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."give_back_limit"(text, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."heartbeat_agent_job"(uuid, integer, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."heartbeat_agent_job"(uuid, integer, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."import_dependencies"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."import_dependencies"(uuid, jsonb) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."list_candidates"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_candidates"(text, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_dependencies"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_dependencies"(text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_job_comments"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_job_comments"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_open_user_questions"(uuid, integer, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_open_user_questions"(uuid, integer, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_ready"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_ready"(uuid, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_run_order"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_run_order"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_saved_views"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_saved_views"(uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_sent_messages"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_sent_messages"(jsonb) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."mark_inbox_item"(text, uuid, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."mark_inbox_item"(text, uuid, text, timestamp with time zone) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."move_stories"(jsonb, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."move_stories"(jsonb, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."read_job_stream"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_job_stream"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."remove_dependency"(text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."remove_dependency"(text, uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."report_agent_job"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."report_agent_job"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."report_job_conflict"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."report_job_conflict"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."report_job_usage"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."report_job_usage"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."report_merged"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."report_merged"(uuid, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."restart_worker"(text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."restart_worker"(text, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."review_job"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."review_job"(uuid, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."save_job_diff"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."save_job_diff"(uuid, integer, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."set_budget"(uuid, text, text, numeric, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."set_budget"(uuid, text, text, numeric, text, uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."set_budget_settings"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."set_budget_settings"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."set_task_status"(uuid, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."set_task_status"(uuid, text, boolean) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."start_sprint_run"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."start_sprint_run"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."undo_change"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."undo_change"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."update_saved_view"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."update_saved_view"(uuid, jsonb) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."waive_criterion"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."waive_criterion"(uuid, text, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."worker_heartbeat"(text, text, text, integer, boolean, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."worker_heartbeat"(text, text, text, integer, boolean, jsonb) TO "authenticated", "postgres";

GRANT ALL ON TABLE "private"."budget_sums" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "private"."budget_sums" TO "service_role";

GRANT ALL ON TABLE "private"."changes" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "private"."changes" TO "service_role";

GRANT SELECT ON TABLE "public"."budget_reservations" TO "authenticated";

GRANT ALL ON TABLE "public"."budget_reservations" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."budget_reservations" TO "service_role";

GRANT SELECT ON TABLE "public"."budget_settings" TO "authenticated";

GRANT ALL ON TABLE "public"."budget_settings" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."budget_settings" TO "service_role";

GRANT SELECT ON TABLE "public"."budgets" TO "authenticated";

GRANT ALL ON TABLE "public"."budgets" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."budgets" TO "service_role";

GRANT SELECT ON TABLE "public"."evidence" TO "authenticated";

GRANT ALL ON TABLE "public"."evidence" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."evidence" TO "service_role";

GRANT SELECT ON TABLE "public"."inbox_marks" TO "authenticated";

GRANT ALL ON TABLE "public"."inbox_marks" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."inbox_marks" TO "service_role";

GRANT SELECT ON TABLE "public"."job_attempts" TO "authenticated";

GRANT ALL ON TABLE "public"."job_attempts" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."job_attempts" TO "service_role";

GRANT ALL ON TABLE "public"."job_comments" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."job_comments" TO "service_role";

GRANT ALL ON TABLE "public"."job_conflicts" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."job_conflicts" TO "service_role";

GRANT ALL ON TABLE "public"."job_diffs" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."job_diffs" TO "service_role";

GRANT ALL ON TABLE "public"."job_outputs" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."job_outputs" TO "service_role";

GRANT ALL ON TABLE "public"."job_reviews" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."job_reviews" TO "service_role";

REVOKE ALL ("dependency_release") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("dependency_release") ON TABLE "public"."products" TO "authenticated";

REVOKE ALL ("done_requires") ON TABLE "public"."products" FROM "authenticated";

GRANT INSERT ("done_requires"), UPDATE ("done_requires") ON TABLE "public"."products" TO "authenticated";

GRANT SELECT ON TABLE "public"."saved_views" TO "authenticated";

GRANT ALL ON TABLE "public"."saved_views" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."saved_views" TO "service_role";

REVOKE ALL ON TABLE "public"."schedule_runs" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."schedule_runs" TO "service_role";

GRANT ALL ON TABLE "public"."sprint_leftovers" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."sprint_leftovers" TO "service_role";

GRANT SELECT ON TABLE "public"."story_dependencies" TO "authenticated";

GRANT ALL ON TABLE "public"."story_dependencies" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."story_dependencies" TO "service_role";

GRANT SELECT ON TABLE "public"."story_heads" TO "authenticated";

GRANT ALL ON TABLE "public"."story_heads" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."story_heads" TO "service_role";

GRANT SELECT ON TABLE "public"."task_dependencies" TO "authenticated";

GRANT ALL ON TABLE "public"."task_dependencies" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."task_dependencies" TO "service_role";

GRANT SELECT ON TABLE "public"."tasks_in_review" TO "authenticated";

GRANT ALL ON TABLE "public"."tasks_in_review" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."tasks_in_review" TO "service_role";

GRANT SELECT ON TABLE "public"."usage_events" TO "authenticated";

GRANT ALL ON TABLE "public"."usage_events" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."usage_events" TO "service_role";

GRANT SELECT ON TABLE "public"."usage_so_far" TO "authenticated";

GRANT ALL ON TABLE "public"."usage_so_far" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."usage_so_far" TO "service_role";

GRANT SELECT ON TABLE "public"."waivers" TO "authenticated";

GRANT ALL ON TABLE "public"."waivers" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."waivers" TO "service_role";

GRANT USAGE ON TYPE "private"."budget_room" TO "postgres";

GRANT USAGE ON TYPE "private"."job_report" TO "postgres";

GRANT USAGE ON TYPE "private"."proven_criterion" TO "postgres";

GRANT USAGE ON TYPE "public"."dependency_release" TO "postgres";

GRANT USAGE ON TYPE "public"."done_requires" TO "postgres";

GRANT USAGE ON TYPE "public"."evidence_grade" TO "postgres";

GRANT USAGE ON TYPE "public"."evidence_kind" TO "postgres";

GRANT USAGE ON TYPE "public"."evidence_verdict" TO "postgres";

GRANT USAGE ON TYPE "public"."job_phase" TO "postgres";

GRANT ALL ON TABLE "private"."claimable_jobs" TO "postgres";

GRANT ALL ON TABLE "private"."operations" TO "postgres";

GRANT SELECT ON TABLE "private"."operations" TO "service_role";

GRANT SELECT ON TABLE "private"."product_detail_shape" TO "authenticated";

GRANT ALL ON TABLE "private"."product_detail_shape" TO "postgres";

GRANT SELECT ON TABLE "private"."task_blockers" TO "authenticated";

GRANT ALL ON TABLE "private"."task_blockers" TO "postgres";

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

CREATE VIEW "private"."known_usage" WITH (security_invoker=true) AS  SELECT e.product_id,
    e.sprint_run_id,
    e.task_id,
    e.job_id,
    e.attempt,
    e.worker_id,
    e.created_at,
    ((COALESCE(e.input_tokens, (0)::bigint) + COALESCE(e.output_tokens, (0)::bigint)) + COALESCE(e.cache_write_tokens, (0)::bigint)) AS tokens,
        CASE
            WHEN (NOT e.subscription) THEN e.cost
            ELSE NULL::numeric
        END AS cost,
    e.currency,
    e.id
   FROM public.usage_events e
UNION ALL
 SELECT s.product_id,
    s.sprint_run_id,
    s.task_id,
    s.job_id,
    s.attempt,
    s.worker_id,
    s.told_at AS created_at,
    ((COALESCE(s.input_tokens, (0)::bigint) + COALESCE(s.output_tokens, (0)::bigint)) + COALESCE(s.cache_write_tokens, (0)::bigint)) AS tokens,
        CASE
            WHEN (NOT s.subscription) THEN s.cost
            ELSE NULL::numeric
        END AS cost,
    s.currency,
    '9223372036854775807'::bigint AS id
   FROM public.usage_so_far s;

CREATE OR REPLACE FUNCTION private.usage_under(p_budget public.budgets, p_from_at timestamp with time zone, p_after_id bigint)
 RETURNS SETOF private.known_usage
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_budget.scope = 'task' then
    return query
      select u.* from private.known_usage u
      left join public.sprint_runs r on r.id = u.sprint_run_id
      where u.task_id = p_budget.task_id and u.id > p_after_id and r.pr_strategy is distinct from 'SPRINT_BATCH';
  elsif p_budget.scope in ('run', 'sprint') then
    return query
      select u.* from private.known_usage u
      where u.id > p_after_id and u.sprint_run_id = any (
        array(select r.id from public.sprint_runs r where r.sprint_id = p_budget.sprint_id) || p_budget.sprint_run_id);
  elsif p_after_id = 0 then
    return query
      select u.* from private.known_usage u where u.product_id = p_budget.product_id and u.created_at >= p_from_at;
  else
    -- "is true" keeps the planner from the index of dates: few lines are new, and the whole window may be long.
    return query
      select u.* from private.known_usage u
      where u.product_id = p_budget.product_id and u.id > p_after_id and (u.created_at >= p_from_at) is true;
  end if;
end;
$function$;

CREATE INDEX usage_so_far_product_id_idx ON public.usage_so_far USING btree (product_id, told_at);

COMMENT ON FUNCTION "private"."usage_under"(public.budgets, timestamp with time zone, bigint) IS 'Usage that falls under a budget, after a line of the ledger.';

COMMENT ON VIEW "private"."known_usage" IS 'Ledger and turns under way, in tokens and real money (specification: Agent job, token usage).';

REVOKE ALL ON FUNCTION "private"."usage_under"(public.budgets, timestamp with time zone, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."usage_under"(public.budgets, timestamp with time zone, bigint) TO "postgres";

GRANT ALL ON TABLE "private"."known_usage" TO "postgres";
