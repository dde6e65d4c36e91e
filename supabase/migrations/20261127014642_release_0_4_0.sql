-- What 0.4.0 changed in tables and moved between them.
DROP INDEX "public"."job_attempts_product_id_idx";

ALTER TABLE "public"."inbox_marks" DROP CONSTRAINT "inbox_marks_kind";

CREATE TABLE "public"."lessons" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "text" text NOT NULL, "status" text NOT NULL DEFAULT 'proposed'::text, "cause" text NOT NULL, "job_id" uuid, "task_id" uuid, "label_ids" uuid[] NOT NULL DEFAULT '{}'::uuid[], "accepted_by" text, "since" timestamp with time zone, "before" integer[] NOT NULL DEFAULT '{0,0}'::integer[], "after" integer[] NOT NULL DEFAULT '{0,0}'::integer[], "counted_from" timestamp with time zone, "weighed_at" timestamp with time zone, "has_effect" boolean, CONSTRAINT "lessons_after_form" CHECK ((cardinality(after) = 2)), CONSTRAINT "lessons_before_form" CHECK ((cardinality(before) = 2)), CONSTRAINT "lessons_cause_known" CHECK ((cause = ANY (ARRAY['changes_requested'::text, 'proof_voided'::text, 'ci_failed'::text]))), CONSTRAINT "lessons_pkey" PRIMARY KEY (id), CONSTRAINT "lessons_since_accepted" CHECK (((status = ANY (ARRAY['accepted'::text, 'retired'::text])) = (since IS NOT NULL))), CONSTRAINT "lessons_status_known" CHECK ((status = ANY (ARRAY['proposed'::text, 'accepted'::text, 'declined'::text, 'retired'::text]))), CONSTRAINT "lessons_text_length" CHECK (((char_length(text) >= 1) AND (char_length(text) <= 300))), CONSTRAINT "lessons_text_one_line" CHECK ((text !~ '[[:cntrl:]]'::text)));

CREATE TABLE "public"."task_returns" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "cause" text NOT NULL, "product_id" uuid NOT NULL, "task_id" uuid NOT NULL, "begun_at" timestamp with time zone NOT NULL, CONSTRAINT "task_returns_cause_known" CHECK ((cause = ANY (ARRAY['changes_requested'::text, 'proof_voided'::text, 'ci_failed'::text]))), CONSTRAINT "task_returns_pkey" PRIMARY KEY (job_id, attempt, cause));

CREATE TABLE "public"."upkeeps" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "kind" text NOT NULL, "state" text NOT NULL DEFAULT 'waiting'::text, "digest" text, "url" text, "words" text, "worker" text NOT NULL, "lease" uuid NOT NULL DEFAULT gen_random_uuid(), "lease_until" timestamp with time zone NOT NULL, "look_at" timestamp with time zone, "landed_at" timestamp with time zone, CONSTRAINT "upkeeps_kind_known" CHECK ((kind = ANY (ARRAY['agents_md'::text, 'spec_boxes'::text]))), CONSTRAINT "upkeeps_once" UNIQUE (product_id, kind), CONSTRAINT "upkeeps_pkey" PRIMARY KEY (id), CONSTRAINT "upkeeps_state_known" CHECK ((state = ANY (ARRAY['waiting'::text, 'open'::text, 'merged'::text, 'closed'::text, 'branch'::text, 'conflict'::text]))), CONSTRAINT "upkeeps_url_form" CHECK (((url ~ '^https?://'::text) AND (char_length(url) <= 2000))), CONSTRAINT "upkeeps_words_length" CHECK ((char_length(words) <= 1000)), CONSTRAINT "upkeeps_worker_length" CHECK ((char_length(worker) <= 200)));

CREATE TABLE "public"."viewed_files" ("user_id" uuid NOT NULL, "job_id" uuid NOT NULL, "path_digest" bytea NOT NULL, "content_digest" bytea NOT NULL, "attempt" integer NOT NULL, CONSTRAINT "viewed_files_attempt_positive" CHECK ((attempt >= 1)), CONSTRAINT "viewed_files_pkey" PRIMARY KEY (user_id, job_id, path_digest));

ALTER TABLE "public"."agent_jobs" ADD COLUMN "plan_approved_at" timestamp with time zone;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "agent" text;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "model" text;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "effort" text;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "fallback_agent" text;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "taken_by" uuid;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "taken_until" timestamp with time zone;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "take_at_once" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."agent_questions" ADD COLUMN "plan" text;

ALTER TABLE "public"."agent_workers" ADD COLUMN "offers" jsonb NOT NULL DEFAULT '[]'::jsonb;

ALTER TABLE "public"."job_attempts" ADD COLUMN "agent" text;

ALTER TABLE "public"."job_diffs" ADD COLUMN "mark_paths" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."job_reviews" ADD COLUMN "handed_in_at" timestamp with time zone;

ALTER TABLE "public"."job_reviews" ADD COLUMN "first_seen_at" timestamp with time zone;

ALTER TABLE "public"."products" ADD COLUMN "agent" text;

ALTER TABLE "public"."products" ADD COLUMN "model" text;

ALTER TABLE "public"."products" ADD COLUMN "effort" text;

ALTER TABLE "public"."products" ADD COLUMN "fallback" jsonb NOT NULL DEFAULT '[]'::jsonb;

ALTER TABLE "public"."products" ADD COLUMN "fallback_after" integer NOT NULL DEFAULT 15;

ALTER TABLE "public"."stories" ADD COLUMN "agent" text;

ALTER TABLE "public"."stories" ADD COLUMN "model" text;

ALTER TABLE "public"."stories" ADD COLUMN "effort" text;

ALTER TABLE "public"."tasks" ADD COLUMN "agent" text;

ALTER TABLE "public"."tasks" ADD COLUMN "model" text;

ALTER TABLE "public"."tasks" ADD COLUMN "effort" text;

ALTER TABLE "public"."touched_paths" ADD COLUMN "folder" text GENERATED ALWAYS AS (regexp_replace(path, '[^/]*$'::text, ''::text)) STORED NOT NULL;

CREATE TYPE "private"."asker" AS ("user_id" uuid, "worker_id" uuid, "confinement" public.confinement, "also_repos" jsonb, "agents" jsonb);

CREATE TYPE "private"."job_wants" AS ("needs_sandbox" boolean, "own_repo" text, "agent" text, "model" text, "effort" text, "requires_opus" boolean, "is_conversation" boolean, "created_by" uuid, "author_worker_id" uuid);

CREATE TYPE "public"."on_failure" AS ENUM ('stop', 'ask');

ALTER TABLE "public"."products" ADD COLUMN "on_failure" public.on_failure NOT NULL DEFAULT 'stop'::public.on_failure;

CREATE TYPE "public"."plan_review" AS ENUM ('none', 'person');

ALTER TABLE "public"."products" ADD COLUMN "plan_review" public.plan_review NOT NULL DEFAULT 'none'::public.plan_review;

ALTER TABLE "public"."sprint_runs" ADD COLUMN "plan_review" public.plan_review NOT NULL DEFAULT 'none'::public.plan_review;

ALTER TYPE "private"."job_report" ADD ATTRIBUTE "lessons" jsonb CASCADE;

ALTER TYPE "private"."job_report" ADD ATTRIBUTE "agent" text CASCADE;

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_agent_length" CHECK ((char_length(agent) <= 100));

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_effort_length" CHECK ((char_length(effort) <= 10));

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_fallback_agent_length" CHECK ((char_length(fallback_agent) <= 100));

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_model_length" CHECK ((char_length(model) <= 200));

ALTER TABLE "public"."agent_jobs" ADD CONSTRAINT "agent_jobs_taken_by_fkey" FOREIGN KEY (taken_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."agent_questions" ADD CONSTRAINT "agent_questions_plan_length" CHECK ((char_length(plan) <= 100000));

ALTER TABLE "public"."agent_workers" ADD CONSTRAINT "agent_workers_offers_list" CHECK (((jsonb_typeof(offers) = 'array'::text) AND (jsonb_array_length(offers) <= 20) AND (octet_length((offers)::text) <= 65536)));

ALTER TABLE "public"."inbox_marks" ADD CONSTRAINT "inbox_marks_kind" CHECK ((item_kind = ANY (ARRAY['question'::text, 'review'::text, 'run'::text, 'job'::text, 'added'::text, 'mention'::text, 'triage'::text, 'invitation'::text, 'lesson'::text])));

ALTER TABLE "public"."job_attempts" ADD CONSTRAINT "job_attempts_agent_length" CHECK ((char_length(agent) <= 100));

ALTER TABLE "public"."job_diffs" ADD CONSTRAINT "job_diffs_mark_paths_form" CHECK ((jsonb_typeof(mark_paths) = 'object'::text));

ALTER TABLE "public"."lessons" ADD CONSTRAINT "lessons_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE SET NULL;

ALTER TABLE "public"."lessons" ADD CONSTRAINT "lessons_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."lessons" ADD CONSTRAINT "lessons_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE SET NULL;

ALTER TABLE "public"."products" ADD CONSTRAINT "products_agent_form" CHECK ((agent ~ '^[A-Za-z0-9][A-Za-z0-9:._-]{0,99}$'::text));

ALTER TABLE "public"."products" ADD CONSTRAINT "products_effort_known" CHECK ((effort = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text])));

ALTER TABLE "public"."products" ADD CONSTRAINT "products_fallback_after_range" CHECK (((fallback_after >= 1) AND (fallback_after <= 44640)));

ALTER TABLE "public"."products" ADD CONSTRAINT "products_fallback_agents" CHECK (((jsonb_typeof(fallback) = 'array'::text) AND (jsonb_array_length(fallback) <= 10) AND (octet_length((fallback)::text) <= 2000) AND (NOT jsonb_path_exists(fallback, '$[*]?(!(@.type() == "string") || !(@ like_regex "^[A-Za-z0-9][A-Za-z0-9:._-]*$"))'::jsonpath))));

ALTER TABLE "public"."products" ADD CONSTRAINT "products_model_form" CHECK ((model ~ '^[A-Za-z0-9][][A-Za-z0-9:./_@+-]{0,199}$'::text));

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_agent_form" CHECK ((agent ~ '^[A-Za-z0-9][A-Za-z0-9:._-]{0,99}$'::text));

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_effort_known" CHECK ((effort = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text])));

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_model_form" CHECK ((model ~ '^[A-Za-z0-9][][A-Za-z0-9:./_@+-]{0,199}$'::text));

ALTER TABLE "public"."task_returns" ADD CONSTRAINT "task_returns_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."task_returns" ADD CONSTRAINT "task_returns_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE "public"."tasks" ADD CONSTRAINT "tasks_agent_form" CHECK ((agent ~ '^[A-Za-z0-9][A-Za-z0-9:._-]{0,99}$'::text));

ALTER TABLE "public"."tasks" ADD CONSTRAINT "tasks_effort_known" CHECK ((effort = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text])));

ALTER TABLE "public"."tasks" ADD CONSTRAINT "tasks_model_form" CHECK ((model ~ '^[A-Za-z0-9][][A-Za-z0-9:./_@+-]{0,199}$'::text));

ALTER TABLE "public"."upkeeps" ADD CONSTRAINT "upkeeps_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."viewed_files" ADD CONSTRAINT "viewed_files_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."viewed_files" ADD CONSTRAINT "viewed_files_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

CREATE INDEX agent_jobs_taken_by_idx ON public.agent_jobs USING btree (taken_by) WHERE (taken_by IS NOT NULL);

CREATE INDEX job_attempts_product_id_idx ON public.job_attempts USING btree (product_id, started_at);

CREATE INDEX lessons_accepted_idx ON public.lessons USING btree (product_id) WHERE (status = 'accepted'::text);

CREATE INDEX lessons_job_id_idx ON public.lessons USING btree (job_id);

CREATE INDEX lessons_task_id_idx ON public.lessons USING btree (task_id);

CREATE INDEX lessons_waiting_idx ON public.lessons USING btree (product_id) WHERE ((status = 'proposed'::text) OR ((status = 'accepted'::text) AND (NOT has_effect)));

CREATE INDEX task_returns_product_id_idx ON public.task_returns USING btree (product_id, begun_at);

CREATE INDEX touched_paths_folder_idx ON public.touched_paths USING btree (product_id, folder);

CREATE INDEX viewed_files_job_id_idx ON public.viewed_files USING btree (job_id);

ALTER DEFAULT PRIVILEGES FOR ROLE "postgres" IN SCHEMA "public" GRANT DELETE, INSERT, SELECT, UPDATE ON TABLES TO "service_role";

ALTER TABLE "public"."lessons" ADD COLUMN "created_at" timestamp with time zone NOT NULL DEFAULT private.now();

CREATE INDEX lessons_product_id_idx ON public.lessons USING btree (product_id, created_at);

ALTER TABLE "public"."lessons" ADD COLUMN "updated_at" timestamp with time zone NOT NULL DEFAULT private.now();

ALTER TABLE "public"."task_returns" ADD COLUMN "created_at" timestamp with time zone NOT NULL DEFAULT private.now();

CREATE INDEX task_returns_task_id_idx ON public.task_returns USING btree (task_id, created_at);

ALTER TABLE "public"."upkeeps" ADD COLUMN "created_at" timestamp with time zone NOT NULL DEFAULT private.now();

ALTER TABLE "public"."upkeeps" ADD COLUMN "updated_at" timestamp with time zone NOT NULL DEFAULT private.now();

ALTER TABLE "public"."viewed_files" ADD COLUMN "viewed_at" timestamp with time zone NOT NULL DEFAULT private.now();

insert into public.task_returns (job_id, attempt, cause, product_id, task_id, begun_at, created_at)
select distinct on (x.job_id, x.attempt, x.cause) x.job_id, x.attempt, x.cause, a.product_id, j.task_id, a.started_at, x.at
from (
  select r.job_id, r.attempt, 'changes_requested' as cause, r.created_at as at
  from public.job_reviews r where r.verdict = 'request_changes' and r.author_id is not null
  union all
  select e.job_id, e.attempt, 'proof_voided', e.created_at
  from public.evidence e where e.grade = 'other_worker' and e.verdict <> 'pass'
  union all
  select k.job_id, (
    select max(b.attempt) from public.job_attempts b where b.job_id = k.job_id and b.started_at <= k.created_at),
    case k.kind when 'ci_failed' then 'ci_failed' else 'changes_requested' end, k.created_at
  from public.pull_reactions k
  where k.kind in ('ci_failed', 'changes_requested', 'review_comment') and k.decision in ('returned', 'asked')
) x
join public.job_attempts a on a.job_id = x.job_id and a.attempt = x.attempt
join public.agent_jobs j on j.id = x.job_id and j.task_id is not null
order by x.job_id, x.attempt, x.cause, x.at;
