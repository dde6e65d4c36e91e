-- What 0.3.0 changed in tables and moved between them.
-- Its operations left `public`, which other programs of a project use too: only these are dropped there.
do $$
declare
  v_names text := '
    add_dependency add_evidence add_job_comment add_product_member add_story_to_sprint admin_list_users
    admin_update_user allow_my_workers answer_question answer_user_question append_job_output append_story_log
    approve_pairing archive_idea archive_product ask_about_idea ask_question assign_story call_as cancel_agent_job
    cancel_pairing cancel_question cancel_sprint cancel_sprint_run change_things check_queue_empty claim_agent_job
    claim_pairing claim_schedule_run cleanup_agent_artifacts complete_sprint configure_account create_agent_job
    create_api_token create_from_list create_idea create_pbi create_product create_saved_view create_session
    create_sprint create_story create_task create_webhook delete_budget delete_job_comment delete_pbi delete_product
    delete_saved_view delete_story delete_task delete_webhook discard_import doctor_facts edit_task end_session
    enrol_member expire_questions export_product find_login_identity find_lost_viewers find_wrong_counters
    finish_schedule_run get_agent_context get_agent_job get_avatar get_backlog get_backlog_tree get_budgets
    get_dashboard get_forecast get_idea get_idea_conversation get_inbox get_insights get_job_diff get_job_output
    get_job_proof get_next_story get_notifications_state get_pairing_for_approval get_pairing_state get_pbi
    get_product get_profile get_proof get_question get_shell get_solo_board get_solo_state get_sprint get_sprint_board
    get_sprint_context get_sprint_review get_sprint_run get_story get_story_page get_task_detail get_task_page
    give_back_limit has_accounts heartbeat_agent_job import_dependencies import_ideas import_product import_stories
    issue_api_token leave_product link_idea_product list_agent_jobs list_agent_workers list_api_tokens
    list_audit_events list_candidates list_dependencies list_ideas list_job_comments list_model_prices
    list_open_user_questions list_pbi_stories list_product_members list_product_overviews list_products
    list_push_subscriptions list_questions list_ready list_run_order list_saved_views list_sent_messages list_sessions
    list_sprint_runs list_sprint_tasks list_sprints list_story_logs list_story_tasks list_webhook_deliveries
    list_webhooks mark_inbox_item mark_notice mark_pbi_pr_merged move_pbi move_stories move_task password_changed
    pause_sprint_run ping ping_webhook preflight_sprint_run promote_idea read_backlog_stream read_job_stream
    read_notifications_stream read_solo_stream remove_dependency remove_product_member remove_story_from_sprint
    report_agent_job report_job_conflict report_job_usage report_merged resolve_account resolve_product
    resolve_reference restart_worker restore_idea restore_product resume_sprint resume_sprint_run review_job
    revoke_api_token revoke_other_sessions revoke_pairing revoke_session save_job_diff search send_probe
    set_active_product set_avatar set_budget set_budget_settings set_model_price set_pbi_pr set_task_status
    start_pairing start_sprint start_sprint_run subscribe_push sweep sweep_expired_leases take_due_notices take_limit
    undo_change unlink_idea_product unsubscribe_push update_idea update_pbi update_product update_profile
    update_saved_view update_sprint update_story update_task update_task_execution update_webhook verify_sprint_task
    verify_task_against_plan waive_criterion why_not_moving worker_heartbeat';
  v_functions text := (
    select string_agg(p.oid::regprocedure::text, ', ') from pg_catalog.pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proname = any (regexp_split_to_array(btrim(v_names), '\s+')));
begin
  if v_functions is not null then
    execute 'drop function ' || v_functions || ' cascade';
  end if;
end;
$$;

-- What a check and four indexes call.
create function private.is_host(p_text text) returns boolean language plpgsql immutable set search_path = '' as $$
declare
  v_name text := regexp_replace(p_text, ':[0-9]{1,5}$', '');
begin
  if char_length(p_text) > 260
    or p_text !~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?$'
    or substring(p_text from ':([0-9]{1,5})$')::integer not between 1 and 65535
  then
    return false;
  end if;
  if v_name ~ '^\[' then
    return family(trim(both '[]' from v_name)::inet) = 6;
  elsif v_name ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$' then
    return host(v_name::inet) = v_name;
  end if;
  return true;
exception
  when invalid_text_representation then
    return false;
end;
$$;

create function private.are_hosts(p_hosts jsonb) returns boolean language plpgsql immutable set search_path = '' as $$
begin
  return jsonb_typeof(p_hosts) = 'array' and jsonb_array_length(p_hosts) <= 100 and not exists (
    select from jsonb_array_elements(p_hosts) h where jsonb_typeof(h) <> 'string' or not private.is_host(h #>> '{}'));
end;
$$;

create function private.scoped_words(p_scope uuid, p_code text, p_title text, p_description text)
returns tsvector language plpgsql immutable cost 100000 set search_path = '' as $$
begin
  return array_to_tsvector(array(
    select left(p_scope::text, 13) || ' ' || left(w, 300)
    from unnest(tsvector_to_array(to_tsvector('simple', p_code || ' ' || p_title || ' ' || left(p_description, 20000)))) w));
end;
$$;
DROP INDEX "public"."ideas_search_idx";

DROP INDEX "public"."pbis_search_idx";

DROP INDEX "public"."stories_search_idx";

DROP INDEX "public"."tasks_search_idx";

ALTER TABLE "public"."evidence" DROP CONSTRAINT "evidence_job_id_fkey";

ALTER TABLE "public"."inbox_marks" DROP CONSTRAINT "inbox_marks_kind";

ALTER TABLE "public"."job_attempts" DROP CONSTRAINT "job_attempts_outcome_known";

ALTER TABLE "public"."notices" DROP CONSTRAINT "notices_kind";

ALTER TABLE "public"."story_heads" DROP CONSTRAINT "story_heads_job_id_fkey";

CREATE SCHEMA "operations";

CREATE SEQUENCE "private"."lost_lease_seq" AS bigint INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1 NO CYCLE;

CREATE TABLE "public"."account_identities" ("issuer" text NOT NULL, "subject" text NOT NULL, "account" uuid NOT NULL, "refresh_token" text, "asked_until" timestamp with time zone, "ended_at" timestamp with time zone, CONSTRAINT "account_identities_issuer_length" CHECK (((char_length(issuer) >= 1) AND (char_length(issuer) <= 2000))), CONSTRAINT "account_identities_pkey" PRIMARY KEY (issuer, subject), CONSTRAINT "account_identities_refresh_token_length" CHECK ((char_length(refresh_token) <= 20000)), CONSTRAINT "account_identities_subject_length" CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 255))), "checked_at" timestamp with time zone NOT NULL DEFAULT private.now(), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."agent_messages" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "comment_id" uuid NOT NULL, "product_id" uuid NOT NULL, "job_id" uuid, "code" text NOT NULL, "body" text NOT NULL, "author" text NOT NULL, "reason" text, "attempt" integer, "told" integer NOT NULL DEFAULT 0, "seen_at" timestamp with time zone, CONSTRAINT "agent_messages_attempt_positive" CHECK ((attempt >= 1)), CONSTRAINT "agent_messages_body_length" CHECK (((char_length(body) >= 1) AND (char_length(body) <= 10000))), CONSTRAINT "agent_messages_once" UNIQUE (comment_id, job_id), CONSTRAINT "agent_messages_pkey" PRIMARY KEY (id), CONSTRAINT "agent_messages_reason_length" CHECK ((char_length(reason) <= 300)), "sent_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."comment_mentions" ("comment_id" uuid NOT NULL, "user_id" uuid NOT NULL, CONSTRAINT "comment_mentions_pkey" PRIMARY KEY (comment_id, user_id), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."comments" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "pbi_id" uuid, "story_id" uuid, "task_id" uuid, "body" text NOT NULL, "author_id" uuid, "author" text NOT NULL, "edited_at" timestamp with time zone, CONSTRAINT "comments_body_length" CHECK (((char_length(body) >= 1) AND (char_length(body) <= 10000))), CONSTRAINT "comments_one_place" CHECK ((num_nonnulls(pbi_id, story_id, task_id) = 1)), CONSTRAINT "comments_pkey" PRIMARY KEY (id), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."file_contents" ("file_id" uuid NOT NULL, "content" bytea NOT NULL, CONSTRAINT "file_contents_pkey" PRIMARY KEY (file_id));

CREATE TABLE "public"."files" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "story_id" uuid, "task_id" uuid, "comment_id" uuid, "job_id" uuid, "name" text NOT NULL, "type" text NOT NULL, "size" integer NOT NULL, CONSTRAINT "files_name_length" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))), CONSTRAINT "files_pkey" PRIMARY KEY (id), CONSTRAINT "files_size_allowed" CHECK (((size >= 1) AND (size <= 10485760))), CONSTRAINT "files_type_known" CHECK ((type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/gif'::text, 'image/webp'::text, 'video/mp4'::text, 'video/webm'::text, 'application/pdf'::text, 'text/plain'::text]))), "created_by" uuid DEFAULT auth.uid(), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."fresh_starts" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "story_id" uuid NOT NULL, "left_branches" jsonb NOT NULL, "user_id" uuid, "started_by" text NOT NULL, CONSTRAINT "fresh_starts_left_branches_list" CHECK ((jsonb_typeof(left_branches) = 'array'::text)), CONSTRAINT "fresh_starts_pkey" PRIMARY KEY (id), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."idempotency_keys" ("user_id" uuid NOT NULL, "key" text NOT NULL, "fingerprint" bytea NOT NULL, "answer" text, "created_at" timestamp with time zone NOT NULL, CONSTRAINT "idempotency_keys_key_check" CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255))), CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY (user_id, key));

CREATE TABLE "public"."intake_hooks" ("id" uuid NOT NULL, "product_id" uuid NOT NULL, "key_hash" bytea NOT NULL, "created_by" uuid, "last_item_at" timestamp with time zone, CONSTRAINT "intake_hooks_key_hash_key" UNIQUE (key_hash), CONSTRAINT "intake_hooks_key_hash_length" CHECK ((octet_length(key_hash) = 32)), CONSTRAINT "intake_hooks_pkey" PRIMARY KEY (id), CONSTRAINT "intake_hooks_product_id_key" UNIQUE (product_id), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."issue_notes" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "url" text NOT NULL, "deed" text NOT NULL, "state" text NOT NULL DEFAULT 'working'::text, "words" text, "worker" text NOT NULL, "tries" integer NOT NULL DEFAULT 0, "lease" uuid NOT NULL DEFAULT gen_random_uuid(), "lease_until" timestamp with time zone NOT NULL, "finished_at" timestamp with time zone, CONSTRAINT "issue_notes_deed_known" CHECK ((deed = ANY (ARRAY['comment'::text, 'close'::text]))), CONSTRAINT "issue_notes_finished" CHECK (((state = 'working'::text) = (finished_at IS NULL))), CONSTRAINT "issue_notes_once" UNIQUE (product_id, url, deed), CONSTRAINT "issue_notes_pkey" PRIMARY KEY (id), CONSTRAINT "issue_notes_state_known" CHECK ((state = ANY (ARRAY['working'::text, 'written'::text, 'refused'::text]))), CONSTRAINT "issue_notes_url_form" CHECK (((url ~* '^https?://'::text) AND (char_length(url) <= 300))), CONSTRAINT "issue_notes_words_length" CHECK ((char_length(words) <= 1000)), CONSTRAINT "issue_notes_worker_length" CHECK ((char_length(worker) <= 200)), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."labels" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "name" text NOT NULL, "color" text NOT NULL, CONSTRAINT "labels_color_form" CHECK ((color ~ '^#[0-9a-f]{6}$'::text)), CONSTRAINT "labels_name_form" CHECK (((name <> ''::text) AND (char_length(name) <= 50) AND (name = btrim(name)) AND (name !~ '[[:cntrl:],]'::text))), CONSTRAINT "labels_pkey" PRIMARY KEY (id), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "updated_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."landings" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "job_id" uuid NOT NULL, "branch" text NOT NULL, "ours_sha" text NOT NULL, "head_sha" text, "state" text NOT NULL DEFAULT 'working'::text, "words" text, "worker" text NOT NULL, "tries" integer NOT NULL DEFAULT 0, "lease" uuid NOT NULL DEFAULT gen_random_uuid(), "lease_until" timestamp with time zone NOT NULL, "finished_at" timestamp with time zone, CONSTRAINT "landings_branch_length" CHECK (((char_length(branch) >= 1) AND (char_length(branch) <= 200))), CONSTRAINT "landings_finished" CHECK (((state = ANY (ARRAY['working'::text, 'waiting_ci'::text])) = (finished_at IS NULL))), CONSTRAINT "landings_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "landings_ours_sha_length" CHECK ((char_length(ours_sha) <= 64)), CONSTRAINT "landings_pkey" PRIMARY KEY (id), CONSTRAINT "landings_state_known" CHECK ((state = ANY (ARRAY['working'::text, 'waiting_ci'::text, 'landed'::text, 'conflict'::text, 'test_failed'::text, 'refused'::text]))), CONSTRAINT "landings_words_length" CHECK ((char_length(words) <= 10000)), CONSTRAINT "landings_worker_length" CHECK ((char_length(worker) <= 200)), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "updated_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."oauth_clients" ("id" text NOT NULL, "name" text NOT NULL, "redirect_uris" text[] NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT clock_timestamp(), "used_at" timestamp with time zone, CONSTRAINT "oauth_clients_id_length" CHECK (((char_length(id) >= 1) AND (char_length(id) <= 200))), CONSTRAINT "oauth_clients_name_length" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))), CONSTRAINT "oauth_clients_pkey" PRIMARY KEY (id), CONSTRAINT "oauth_clients_redirects" CHECK (((cardinality(redirect_uris) >= 1) AND (cardinality(redirect_uris) <= 20))));

CREATE TABLE "public"."oauth_codes" ("code_hash" bytea NOT NULL, "user_id" uuid NOT NULL, "session_id" uuid, "client_id" text NOT NULL, "client_name" text NOT NULL, "redirect_uri" text NOT NULL, "challenge" bytea NOT NULL, "audience" text NOT NULL, "scopes" text[] NOT NULL, "product_ids" uuid[] NOT NULL, "expires_at" timestamp with time zone NOT NULL, "redeemed_at" timestamp with time zone, "token_id" uuid, "created_at" timestamp with time zone NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "oauth_codes_audience_known" CHECK ((audience = ANY (ARRAY['/mcp'::text, '/mcp/all'::text, '/mcp/worker'::text]))), CONSTRAINT "oauth_codes_challenge_length" CHECK ((octet_length(challenge) = 32)), CONSTRAINT "oauth_codes_client_id_length" CHECK ((char_length(client_id) <= 2000)), CONSTRAINT "oauth_codes_client_name_length" CHECK (((char_length(client_name) >= 1) AND (char_length(client_name) <= 100))), CONSTRAINT "oauth_codes_hash_length" CHECK ((octet_length(code_hash) = 32)), CONSTRAINT "oauth_codes_pkey" PRIMARY KEY (code_hash), CONSTRAINT "oauth_codes_products_bound" CHECK (((cardinality(product_ids) >= 1) AND (cardinality(product_ids) <= 1000))), CONSTRAINT "oauth_codes_redirect_length" CHECK ((char_length(redirect_uri) <= 2000)), CONSTRAINT "oauth_codes_scopes_known" CHECK (((scopes <@ '{read,plan,work}'::text[]) AND (cardinality(scopes) > 0))));

CREATE TABLE "public"."past_jobs" ("id" uuid NOT NULL, "product_id" uuid NOT NULL, "task_id" uuid NOT NULL, "kind" public.agent_job_kind NOT NULL, "status" public.agent_job_status NOT NULL, "sprint_run_id" uuid, "branch" text, "base_sha" text, "head_sha" text, "commits" integer, "pushed_at" timestamp with time zone, "merged_at" timestamp with time zone, "finished_at" timestamp with time zone NOT NULL, "created_at" timestamp with time zone NOT NULL, CONSTRAINT "past_jobs_base_sha_length" CHECK ((char_length(base_sha) <= 64)), CONSTRAINT "past_jobs_branch_length" CHECK ((char_length(branch) <= 200)), CONSTRAINT "past_jobs_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "past_jobs_pkey" PRIMARY KEY (id));

CREATE TABLE "public"."product_invitations" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "role" public.member_role NOT NULL, "code_hash" bytea, "created_by" uuid NOT NULL, "invited_user_id" uuid, "reserved_until" timestamp with time zone, CONSTRAINT "product_invitations_code_hash_key" UNIQUE (code_hash), CONSTRAINT "product_invitations_code_hash_length" CHECK ((octet_length(code_hash) = 32)), CONSTRAINT "product_invitations_link_or_person" CHECK ((num_nonnulls(code_hash, invited_user_id) = 1)), CONSTRAINT "product_invitations_never_owner" CHECK ((role <> 'OWNER'::public.member_role)), CONSTRAINT "product_invitations_once_a_person" UNIQUE (product_id, invited_user_id), CONSTRAINT "product_invitations_pkey" PRIMARY KEY (id), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "expires_at" timestamp with time zone NOT NULL DEFAULT (private.now() + '7 days'::interval));

CREATE TABLE "public"."pull_reactions" ("pull_id" uuid NOT NULL, "kind" text NOT NULL, "external_id" text NOT NULL, "head_sha" text NOT NULL, "job_id" uuid, "decision" text NOT NULL, CONSTRAINT "pull_reactions_decision_known" CHECK ((decision = ANY (ARRAY['returned'::text, 'asked'::text, 'noted'::text]))), CONSTRAINT "pull_reactions_external_id_length" CHECK ((char_length(external_id) <= 200)), CONSTRAINT "pull_reactions_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "pull_reactions_kind_known" CHECK ((kind = ANY (ARRAY['ci_failed'::text, 'ci_passed'::text, 'changes_requested'::text, 'review_comment'::text, 'conflict'::text, 'merged'::text, 'closed'::text]))), CONSTRAINT "pull_reactions_pkey" PRIMARY KEY (pull_id, kind, external_id, head_sha), "created_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."pulls" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "product_id" uuid NOT NULL, "number" integer NOT NULL, "url" text NOT NULL, "branch" text NOT NULL, "head_sha" text NOT NULL, "state" text NOT NULL, "draft" boolean NOT NULL DEFAULT false, "mergeable" boolean, "ci" text NOT NULL DEFAULT 'none'::text, "review" text NOT NULL DEFAULT 'none'::text, "observed_at" timestamp with time zone NOT NULL, CONSTRAINT "pulls_branch_length" CHECK (((char_length(branch) >= 1) AND (char_length(branch) <= 200))), CONSTRAINT "pulls_ci_known" CHECK ((ci = ANY (ARRAY['none'::text, 'pending'::text, 'passed'::text, 'failed'::text]))), CONSTRAINT "pulls_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "pulls_number_positive" CHECK ((number >= 1)), CONSTRAINT "pulls_one_url" UNIQUE (product_id, url), CONSTRAINT "pulls_pkey" PRIMARY KEY (id), CONSTRAINT "pulls_review_known" CHECK ((review = ANY (ARRAY['none'::text, 'approved'::text, 'changes_requested'::text]))), CONSTRAINT "pulls_state_known" CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text, 'merged'::text]))), CONSTRAINT "pulls_url_form" CHECK (((url ~ '^https?://'::text) AND (char_length(url) <= 2000))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "updated_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."recurrence_slots" ("story_id" uuid NOT NULL, "slot" timestamp with time zone NOT NULL, "outcome" text NOT NULL, "fired_story_id" uuid, CONSTRAINT "recurrence_slots_outcome" CHECK ((outcome = ANY (ARRAY['fired'::text, 'open'::text, 'budget'::text, 'missed'::text]))), CONSTRAINT "recurrence_slots_pkey" PRIMARY KEY (story_id, slot), "decided_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."recurrences" ("story_id" uuid NOT NULL, "product_id" uuid NOT NULL, "cron" text NOT NULL, "zone" text NOT NULL, "missed" text NOT NULL, "next_at" timestamp with time zone, "created_by" uuid, CONSTRAINT "recurrences_cron_length" CHECK (((char_length(cron) >= 9) AND (char_length(cron) <= 200))), CONSTRAINT "recurrences_missed" CHECK ((missed = ANY (ARRAY['once'::text, 'skip'::text]))), CONSTRAINT "recurrences_pkey" PRIMARY KEY (story_id), CONSTRAINT "recurrences_zone_length" CHECK (((char_length(zone) >= 1) AND (char_length(zone) <= 100))), "created_at" timestamp with time zone NOT NULL DEFAULT private.now(), "updated_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."settled_items" ("product_id" uuid NOT NULL, "external_id" text NOT NULL, "story_id" uuid NOT NULL, "code" text NOT NULL, "outcome" text NOT NULL, "merged_into" uuid, CONSTRAINT "settled_items_outcome" CHECK ((outcome = ANY (ARRAY['declined'::text, 'merged'::text]))), CONSTRAINT "settled_items_pkey" PRIMARY KEY (product_id, external_id), "settled_at" timestamp with time zone NOT NULL DEFAULT private.now());

CREATE TABLE "public"."spent_refresh_tokens" ("refresh_hash" bytea NOT NULL, "token_id" uuid NOT NULL, "spent_at" timestamp with time zone NOT NULL DEFAULT clock_timestamp(), "next_tokens" text, CONSTRAINT "spent_refresh_tokens_hash_length" CHECK ((octet_length(refresh_hash) = 32)), CONSTRAINT "spent_refresh_tokens_next_length" CHECK ((char_length(next_tokens) <= 1000)), CONSTRAINT "spent_refresh_tokens_pkey" PRIMARY KEY (refresh_hash));

CREATE TABLE "public"."touched_paths" ("product_id" uuid NOT NULL, "path" text NOT NULL, "job_id" uuid NOT NULL, "attempt" integer NOT NULL, CONSTRAINT "touched_paths_path_length" CHECK ((char_length(path) <= 4096)), CONSTRAINT "touched_paths_pkey" PRIMARY KEY (product_id, path));

ALTER TABLE "public"."agent_jobs" ADD COLUMN "first_seen_at" timestamp with time zone;

ALTER TABLE "public"."agent_jobs" ADD COLUMN "judged_at" timestamp with time zone;

ALTER TABLE "public"."agent_questions" ADD COLUMN "reader_id" uuid;

ALTER TABLE "public"."agent_questions" ADD COLUMN "reach" text;

ALTER TABLE "public"."agent_workers" ADD COLUMN "also_repos" jsonb NOT NULL DEFAULT '[]'::jsonb;

ALTER TABLE "public"."api_tokens" ADD COLUMN "first_used_at" timestamp with time zone;

ALTER TABLE "public"."api_tokens" ADD COLUMN "scopes" text[];

ALTER TABLE "public"."api_tokens" ADD COLUMN "product_ids" uuid[];

ALTER TABLE "public"."api_tokens" ADD COLUMN "client_id" text;

ALTER TABLE "public"."api_tokens" ADD COLUMN "audience" text;

ALTER TABLE "public"."api_tokens" ADD COLUMN "refresh_hash" bytea;

ALTER TABLE "public"."api_tokens" ADD COLUMN "refresh_expires_at" timestamp with time zone;

ALTER TABLE "public"."evidence" ADD COLUMN "base_exit_code" integer;

ALTER TABLE "public"."evidence" ADD COLUMN "guards" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."evidence" ADD COLUMN "passed_before" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."evidence" ADD COLUMN "file_id" uuid;

ALTER TABLE "public"."evidence" ADD COLUMN "base_file_id" uuid;

ALTER TABLE "public"."evidence" ADD COLUMN "voided_by" text;

ALTER TABLE "public"."ideas" ADD COLUMN "version" integer NOT NULL DEFAULT 1;

ALTER TABLE "public"."ideas" ADD COLUMN "field_versions" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."job_diffs" ADD COLUMN "marks" text[] NOT NULL DEFAULT '{}'::text[];

ALTER TABLE "public"."job_reviews" ADD COLUMN "head_sha" text;

ALTER TABLE "public"."pbis" ADD COLUMN "is_intake" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."pbis" ADD COLUMN "version" integer NOT NULL DEFAULT 1;

ALTER TABLE "public"."pbis" ADD COLUMN "field_versions" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."products" ADD COLUMN "requires_sandbox" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."products" ADD COLUMN "may_reach" jsonb NOT NULL DEFAULT '[]'::jsonb;

ALTER TABLE "public"."products" ADD COLUMN "forge_issue_label" text NOT NULL DEFAULT ''::text;

ALTER TABLE "public"."products" ADD COLUMN "branch_prefix" text NOT NULL DEFAULT 'backloom'::text;

ALTER TABLE "public"."products" ADD COLUMN "review_marks" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."products" ADD COLUMN "version" integer NOT NULL DEFAULT 1;

ALTER TABLE "public"."products" ADD COLUMN "field_versions" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."sprint_runs" ADD COLUMN "plan_first" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."sprints" ADD COLUMN "version" integer NOT NULL DEFAULT 1;

ALTER TABLE "public"."sprints" ADD COLUMN "field_versions" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."stories" ADD COLUMN "label_ids" uuid[] NOT NULL DEFAULT '{}'::uuid[];

ALTER TABLE "public"."stories" ADD COLUMN "in_triage" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."stories" ADD COLUMN "is_template" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."stories" ADD COLUMN "template_id" uuid;

ALTER TABLE "public"."stories" ADD COLUMN "external_id" text;

ALTER TABLE "public"."stories" ADD COLUMN "external_url" text;

ALTER TABLE "public"."stories" ADD COLUMN "origin" text;

ALTER TABLE "public"."stories" ADD COLUMN "version" integer NOT NULL DEFAULT 1;

ALTER TABLE "public"."stories" ADD COLUMN "field_versions" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."task_executions" ADD COLUMN "head_sha" text;

ALTER TABLE "public"."tasks" ADD COLUMN "repo_url_by" uuid;

ALTER TABLE "public"."tasks" ADD COLUMN "label_ids" uuid[] NOT NULL DEFAULT '{}'::uuid[];

ALTER TABLE "public"."tasks" ADD COLUMN "external_id" text;

ALTER TABLE "public"."tasks" ADD COLUMN "version" integer NOT NULL DEFAULT 1;

ALTER TABLE "public"."tasks" ADD COLUMN "field_versions" jsonb NOT NULL DEFAULT '{}'::jsonb;

ALTER TABLE "public"."sprint_runs" ALTER COLUMN "sprint_id" DROP NOT NULL;

CREATE TYPE "public"."agent_items" AS ENUM ('backlog', 'triage');

ALTER TABLE "public"."products" ADD COLUMN "agent_items" public.agent_items NOT NULL DEFAULT 'backlog'::public.agent_items;

CREATE TYPE "public"."confinement" AS ENUM ('bwrap', 'docker', 'command', 'none', 'bwrap_open', 'docker_open');

ALTER TABLE "public"."agent_jobs" ADD COLUMN "confinement" public.confinement NOT NULL DEFAULT 'none'::public.confinement;

ALTER TABLE "public"."agent_workers" ADD COLUMN "confinement" public.confinement NOT NULL DEFAULT 'none'::public.confinement;

ALTER TABLE "public"."job_attempts" ADD COLUMN "confinement" public.confinement NOT NULL DEFAULT 'none'::public.confinement;

CREATE TYPE "public"."landing" AS ENUM ('manual', 'queue');

ALTER TABLE "public"."products" ADD COLUMN "landing" public.landing NOT NULL DEFAULT 'manual'::public.landing;

CREATE TYPE "public"."message_state" AS ENUM ('sent', 'seen', 'acted_on', 'undelivered');

ALTER TABLE "public"."agent_messages" ADD COLUMN "state" public.message_state NOT NULL DEFAULT 'sent'::public.message_state;

CREATE TYPE "public"."plan_first" AS ENUM ('ask', 'auto', 'never');

ALTER TABLE "public"."products" ADD COLUMN "plan_first" public.plan_first NOT NULL DEFAULT 'ask'::public.plan_first;

CREATE TYPE "public"."pull_requests" AS ENUM ('none', 'draft', 'open');

ALTER TABLE "public"."products" ADD COLUMN "pull_requests" public.pull_requests NOT NULL DEFAULT 'none'::public.pull_requests;

update public.products set pull_requests = 'open' where auto_pr;

CREATE TYPE "public"."question_kind" AS ENUM ('question', 'permission');

ALTER TABLE "public"."agent_questions" ADD COLUMN "kind" public.question_kind NOT NULL DEFAULT 'question'::public.question_kind;

ALTER TYPE "private"."job_report" ADD ATTRIBUTE "implementation_plan" text CASCADE;

ALTER TYPE "private"."principal" ADD ATTRIBUTE "product_ids" uuid[] CASCADE;

ALTER TYPE "private"."principal" ADD ATTRIBUTE "scopes" text[] CASCADE;

ALTER TABLE "public"."account_identities" ADD CONSTRAINT "account_identities_account_fkey" FOREIGN KEY (account) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."agent_messages" ADD CONSTRAINT "agent_messages_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE SET NULL;

ALTER TABLE "public"."agent_messages" ADD CONSTRAINT "agent_messages_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."agent_messages" ADD CONSTRAINT "agent_messages_reason_if_undelivered" CHECK (((state = 'undelivered'::public.message_state) = (reason IS NOT NULL)));

ALTER TABLE "public"."agent_questions" ADD CONSTRAINT "agent_questions_reach_length" CHECK ((char_length(reach) <= 260));

ALTER TABLE "public"."agent_questions" ADD CONSTRAINT "agent_questions_reach" CHECK (((reach IS NULL) OR (kind = 'permission'::public.question_kind)));

ALTER TABLE "public"."agent_questions" ADD CONSTRAINT "agent_questions_reader_id_fkey" FOREIGN KEY (reader_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."agent_questions" ADD CONSTRAINT "agent_questions_reader" CHECK (((reader_id IS NOT NULL) OR ((kind = 'question'::public.question_kind) AND (idea_id IS NULL))));

ALTER TABLE "public"."agent_workers" ADD CONSTRAINT "agent_workers_also_repos_list" CHECK (((jsonb_typeof(also_repos) = 'array'::text) AND (jsonb_array_length(also_repos) <= 100) AND (octet_length((also_repos)::text) <= 65536)));

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_audience_known" CHECK ((audience = ANY (ARRAY['/mcp'::text, '/mcp/all'::text, '/mcp/worker'::text])));

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_client_id_length" CHECK ((char_length(client_id) <= 2000));

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_grant_complete" CHECK (((num_nulls(client_id, audience, refresh_hash, refresh_expires_at) = ANY (ARRAY[0, 4])) AND ((client_id IS NULL) OR (num_nulls(scopes, product_ids, expires_at) = 0))));

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_products_bound" CHECK (((cardinality(product_ids) >= 1) AND (cardinality(product_ids) <= 1000)));

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_refresh_hash_key" UNIQUE (refresh_hash);

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_refresh_hash_length" CHECK ((octet_length(refresh_hash) = 32));

ALTER TABLE "public"."api_tokens" ADD CONSTRAINT "api_tokens_scopes_known" CHECK (((scopes <@ '{read,plan,work}'::text[]) AND (cardinality(scopes) > 0)));

ALTER TABLE "public"."comment_mentions" ADD CONSTRAINT "comment_mentions_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."comments" ADD CONSTRAINT "comments_author_id_fkey" FOREIGN KEY (author_id) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."comments" ADD CONSTRAINT "comments_pbi_fkey" FOREIGN KEY (pbi_id, product_id) REFERENCES public.pbis(id, product_id) ON DELETE CASCADE;

ALTER TABLE "public"."agent_messages" ADD CONSTRAINT "agent_messages_comment_id_fkey" FOREIGN KEY (comment_id) REFERENCES public.comments(id) ON DELETE CASCADE;

ALTER TABLE "public"."comment_mentions" ADD CONSTRAINT "comment_mentions_comment_id_fkey" FOREIGN KEY (comment_id) REFERENCES public.comments(id) ON DELETE CASCADE;

ALTER TABLE "public"."comments" ADD CONSTRAINT "comments_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."comments" ADD CONSTRAINT "comments_story_fkey" FOREIGN KEY (story_id, product_id) REFERENCES public.stories(id, product_id) ON DELETE CASCADE;

ALTER TABLE "public"."comments" ADD CONSTRAINT "comments_task_fkey" FOREIGN KEY (task_id, product_id) REFERENCES public.tasks(id, product_id) ON DELETE CASCADE;

ALTER TABLE "public"."files" ADD CONSTRAINT "files_comment_id_fkey" FOREIGN KEY (comment_id) REFERENCES public.comments(id) ON DELETE CASCADE;

ALTER TABLE "public"."files" ADD CONSTRAINT "files_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_base_file_id_fkey" FOREIGN KEY (base_file_id) REFERENCES public.files(id) ON DELETE SET NULL;

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_file_id_fkey" FOREIGN KEY (file_id) REFERENCES public.files(id) ON DELETE SET NULL;

ALTER TABLE "public"."file_contents" ADD CONSTRAINT "file_contents_file_id_fkey" FOREIGN KEY (file_id) REFERENCES public.files(id) ON DELETE CASCADE;

ALTER TABLE "public"."files" ADD CONSTRAINT "files_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."files" ADD CONSTRAINT "files_story_fkey" FOREIGN KEY (story_id, product_id) REFERENCES public.stories(id, product_id) ON DELETE CASCADE;

ALTER TABLE "public"."files" ADD CONSTRAINT "files_task_fkey" FOREIGN KEY (task_id, product_id) REFERENCES public.tasks(id, product_id) ON DELETE CASCADE;

ALTER TABLE "public"."fresh_starts" ADD CONSTRAINT "fresh_starts_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."fresh_starts" ADD CONSTRAINT "fresh_starts_story_id_fkey" FOREIGN KEY (story_id) REFERENCES public.stories(id) ON DELETE CASCADE;

ALTER TABLE "public"."fresh_starts" ADD CONSTRAINT "fresh_starts_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."idempotency_keys" ADD CONSTRAINT "idempotency_keys_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."inbox_marks" ADD CONSTRAINT "inbox_marks_kind" CHECK ((item_kind = ANY (ARRAY['question'::text, 'review'::text, 'run'::text, 'job'::text, 'added'::text, 'mention'::text, 'triage'::text, 'invitation'::text])));

ALTER TABLE "public"."intake_hooks" ADD CONSTRAINT "intake_hooks_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."intake_hooks" ADD CONSTRAINT "intake_hooks_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."issue_notes" ADD CONSTRAINT "issue_notes_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_attempts" ADD CONSTRAINT "job_attempts_outcome_known" CHECK ((outcome = ANY (ARRAY['done'::text, 'skipped'::text, 'failed'::text, 'cancelled'::text, 'rate_limited'::text, 'question'::text, 'lost'::text, 'returned'::text, 'budget'::text, 'conflict'::text, 'failed_look'::text])));

ALTER TABLE "public"."job_reviews" ADD CONSTRAINT "job_reviews_head_sha_length" CHECK ((char_length(head_sha) <= 64));

ALTER TABLE "public"."labels" ADD CONSTRAINT "labels_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."landings" ADD CONSTRAINT "landings_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."landings" ADD CONSTRAINT "landings_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."notices" ADD CONSTRAINT "notices_kind" CHECK ((kind = ANY (ARRAY['question_opened'::text, 'question_answered'::text, 'question_expired'::text, 'run_paused'::text, 'run_failed'::text, 'run_done'::text, 'review_needed'::text, 'budget_warning'::text, 'mentioned'::text, 'ping'::text])));

ALTER TABLE "public"."oauth_codes" ADD CONSTRAINT "oauth_codes_session_id_fkey" FOREIGN KEY (session_id) REFERENCES public.user_sessions(id) ON DELETE CASCADE;

ALTER TABLE "public"."oauth_codes" ADD CONSTRAINT "oauth_codes_token_id_fkey" FOREIGN KEY (token_id) REFERENCES public.api_tokens(id) ON DELETE CASCADE;

ALTER TABLE "public"."oauth_codes" ADD CONSTRAINT "oauth_codes_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."past_jobs" ADD CONSTRAINT "past_jobs_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."past_jobs" ADD CONSTRAINT "past_jobs_sprint_run_id_fkey" FOREIGN KEY (sprint_run_id) REFERENCES public.sprint_runs(id) ON DELETE CASCADE;

ALTER TABLE "public"."past_jobs" ADD CONSTRAINT "past_jobs_task_id_fkey" FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;

ALTER TABLE "public"."product_invitations" ADD CONSTRAINT "product_invitations_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."product_invitations" ADD CONSTRAINT "product_invitations_invited_user_id_fkey" FOREIGN KEY (invited_user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."product_invitations" ADD CONSTRAINT "product_invitations_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."product_members" ADD CONSTRAINT "product_members_viewer_workers" CHECK (((role <> 'VIEWER'::public.member_role) OR (NOT workers_allowed)));

ALTER TABLE "public"."products" ADD CONSTRAINT "products_branch_prefix_form" CHECK (((branch_prefix ~ '^[A-Za-z0-9._/-]{1,50}$'::text) AND (branch_prefix !~ '(^|/)[/.-]|[/.-](/|$)|\.\.|\.lock(/|$)'::text)));

ALTER TABLE "public"."products" ADD CONSTRAINT "products_forge_issue_label_form" CHECK (((char_length(forge_issue_label) <= 100) AND (forge_issue_label !~ '[,\r\n\t]'::text)));

ALTER TABLE "public"."products" ADD CONSTRAINT "products_review_marks_form" CHECK (((jsonb_typeof(review_marks) = 'object'::text) AND (octet_length((review_marks)::text) <= 20000)));

ALTER TABLE "public"."pull_reactions" ADD CONSTRAINT "pull_reactions_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE SET NULL;

ALTER TABLE "public"."pull_reactions" ADD CONSTRAINT "pull_reactions_pull_id_fkey" FOREIGN KEY (pull_id) REFERENCES public.pulls(id) ON DELETE CASCADE;

ALTER TABLE "public"."pulls" ADD CONSTRAINT "pulls_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."recurrence_slots" ADD CONSTRAINT "recurrence_slots_fired_story_id_fkey" FOREIGN KEY (fired_story_id) REFERENCES public.stories(id) ON DELETE SET NULL;

ALTER TABLE "public"."recurrences" ADD CONSTRAINT "recurrences_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."recurrence_slots" ADD CONSTRAINT "recurrence_slots_story_id_fkey" FOREIGN KEY (story_id) REFERENCES public.recurrences(story_id) ON DELETE CASCADE;

ALTER TABLE "public"."recurrences" ADD CONSTRAINT "recurrences_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."recurrences" ADD CONSTRAINT "recurrences_story_id_fkey" FOREIGN KEY (story_id) REFERENCES public.stories(id) ON DELETE CASCADE;

ALTER TABLE "public"."settled_items" ADD CONSTRAINT "settled_items_merged_into_fkey" FOREIGN KEY (merged_into) REFERENCES public.stories(id) ON DELETE SET NULL;

ALTER TABLE "public"."settled_items" ADD CONSTRAINT "settled_items_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

ALTER TABLE "public"."spent_refresh_tokens" ADD CONSTRAINT "spent_refresh_tokens_token_id_fkey" FOREIGN KEY (token_id) REFERENCES public.api_tokens(id) ON DELETE CASCADE;

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_external_id_length" CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 300)));

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_external_url_form" CHECK (((external_url ~* '^https?://'::text) AND (char_length(external_url) <= 2000)));

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_origin" CHECK ((origin = ANY (ARRAY['hook'::text, 'forge'::text])));

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_template_id_fkey" FOREIGN KEY (template_id) REFERENCES public.stories(id) ON DELETE SET NULL;

ALTER TABLE "public"."stories" ADD CONSTRAINT "stories_template_set_aside" CHECK ((in_triage OR (NOT is_template)));

ALTER TABLE "public"."task_executions" ADD CONSTRAINT "task_executions_head_sha_length" CHECK ((char_length(head_sha) <= 64));

ALTER TABLE "public"."tasks" ADD CONSTRAINT "tasks_external_id_length" CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 300)));

ALTER TABLE "public"."tasks" ADD CONSTRAINT "tasks_repo_url_by_fkey" FOREIGN KEY (repo_url_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."touched_paths" ADD CONSTRAINT "touched_paths_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

CREATE INDEX account_identities_account_idx ON public.account_identities USING btree (account);

CREATE INDEX agent_jobs_review_idx ON public.agent_jobs USING btree (product_id) WHERE ((status = 'QUEUED'::public.agent_job_status) AND (phase = 'review'::public.job_phase));

CREATE INDEX agent_messages_open_idx ON public.agent_messages USING btree (job_id) WHERE (state = ANY (ARRAY['sent'::public.message_state, 'seen'::public.message_state]));

CREATE INDEX agent_messages_product_id_idx ON public.agent_messages USING btree (product_id);

CREATE INDEX agent_questions_reader_id_idx ON public.agent_questions USING btree (reader_id) WHERE (reader_id IS NOT NULL);

CREATE INDEX api_tokens_client_id_idx ON public.api_tokens USING btree (client_id) WHERE (client_id IS NOT NULL);

CREATE INDEX comments_author_id_idx ON public.comments USING btree (author_id);

CREATE INDEX comments_product_id_idx ON public.comments USING btree (product_id);

CREATE INDEX evidence_base_file_id_idx ON public.evidence USING btree (base_file_id) WHERE (base_file_id IS NOT NULL);

CREATE INDEX evidence_file_id_idx ON public.evidence USING btree (file_id) WHERE (file_id IS NOT NULL);

CREATE INDEX files_comment_idx ON public.files USING btree (comment_id) WHERE (comment_id IS NOT NULL);

CREATE INDEX files_job_idx ON public.files USING btree (job_id) WHERE (job_id IS NOT NULL);

CREATE INDEX files_product_idx ON public.files USING btree (product_id);

CREATE INDEX files_story_idx ON public.files USING btree (story_id, product_id) WHERE (story_id IS NOT NULL);

CREATE INDEX files_task_idx ON public.files USING btree (task_id, product_id) WHERE (task_id IS NOT NULL);

CREATE INDEX fresh_starts_product_id_idx ON public.fresh_starts USING btree (product_id);

CREATE INDEX fresh_starts_user_id_idx ON public.fresh_starts USING btree (user_id);

CREATE INDEX idempotency_keys_created_at_idx ON public.idempotency_keys USING btree (created_at);

CREATE INDEX idempotency_keys_user_idx ON public.idempotency_keys USING btree (user_id, created_at);

CREATE INDEX intake_hooks_created_by_idx ON public.intake_hooks USING btree (created_by);

CREATE UNIQUE INDEX labels_one_name ON public.labels USING btree (product_id, lower(name));

CREATE INDEX landings_job_idx ON public.landings USING btree (job_id);

CREATE UNIQUE INDEX landings_one_at_a_time ON public.landings USING btree (product_id) WHERE (finished_at IS NULL);

CREATE INDEX oauth_clients_created_at_idx ON public.oauth_clients USING btree (created_at);

CREATE INDEX oauth_codes_created_at_idx ON public.oauth_codes USING btree (created_at);

CREATE INDEX oauth_codes_session_id_idx ON public.oauth_codes USING btree (session_id);

CREATE INDEX oauth_codes_token_id_idx ON public.oauth_codes USING btree (token_id);

CREATE INDEX oauth_codes_user_id_idx ON public.oauth_codes USING btree (user_id);

CREATE INDEX past_jobs_product_id_idx ON public.past_jobs USING btree (product_id);

CREATE INDEX past_jobs_sprint_run_id_idx ON public.past_jobs USING btree (sprint_run_id);

CREATE INDEX past_jobs_task_id_idx ON public.past_jobs USING btree (task_id);

CREATE UNIQUE INDEX pbis_intake_key ON public.pbis USING btree (product_id) WHERE is_intake;

CREATE INDEX product_invitations_created_by_idx ON public.product_invitations USING btree (created_by);

CREATE INDEX product_invitations_invited_user_id_idx ON public.product_invitations USING btree (invited_user_id);

CREATE INDEX product_invitations_product_id_idx ON public.product_invitations USING btree (product_id);

CREATE INDEX pull_reactions_job_id_idx ON public.pull_reactions USING btree (job_id) WHERE (job_id IS NOT NULL);

CREATE INDEX pulls_branch_idx ON public.pulls USING btree (product_id, branch);

CREATE INDEX pulls_open_idx ON public.pulls USING btree (product_id, number) WHERE (state = 'open'::text);

CREATE INDEX recurrence_slots_fired_idx ON public.recurrence_slots USING btree (fired_story_id) WHERE (fired_story_id IS NOT NULL);

CREATE INDEX recurrences_created_by_idx ON public.recurrences USING btree (created_by);

CREATE INDEX recurrences_next_at_idx ON public.recurrences USING btree (next_at) WHERE (next_at IS NOT NULL);

CREATE INDEX recurrences_product_id_idx ON public.recurrences USING btree (product_id);

CREATE INDEX settled_items_merged_into_idx ON public.settled_items USING btree (merged_into) WHERE (merged_into IS NOT NULL);

CREATE INDEX spent_refresh_tokens_token_id_idx ON public.spent_refresh_tokens USING btree (token_id);

CREATE INDEX sprint_runs_unfinished_idx ON public.sprint_runs USING btree (product_id) WHERE (status = ANY (ARRAY['QUEUED'::public.sprint_run_status, 'RUNNING'::public.sprint_run_status, 'PAUSED'::public.sprint_run_status]));

CREATE UNIQUE INDEX stories_external_id_key ON public.stories USING btree (product_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX stories_of_issues_idx ON public.stories USING btree (product_id) WHERE (origin = 'forge'::text);

CREATE INDEX stories_template_idx ON public.stories USING btree (template_id) WHERE (template_id IS NOT NULL);

CREATE INDEX stories_triage_idx ON public.stories USING btree (product_id, created_at, id) WHERE in_triage;

CREATE UNIQUE INDEX tasks_external_id_key ON public.tasks USING btree (product_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX tasks_repo_url_by_idx ON public.tasks USING btree (repo_url_by) WHERE (repo_url_by IS NOT NULL);

CREATE INDEX account_identities_checked_at_idx ON public.account_identities USING btree (checked_at) WHERE (ended_at IS NULL);

CREATE INDEX agent_messages_job_id_idx ON public.agent_messages USING btree (job_id, sent_at, id);

CREATE INDEX comment_mentions_user_id_idx ON public.comment_mentions USING btree (user_id, created_at);

CREATE INDEX comments_pbi_idx ON public.comments USING btree (pbi_id, product_id, created_at, id) WHERE (pbi_id IS NOT NULL);

CREATE INDEX comments_story_idx ON public.comments USING btree (story_id, product_id, created_at, id) WHERE (story_id IS NOT NULL);

CREATE INDEX comments_task_idx ON public.comments USING btree (task_id, product_id, created_at, id) WHERE (task_id IS NOT NULL);

ALTER TABLE "public"."files" ADD CONSTRAINT "files_created_by_fkey" FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

CREATE INDEX files_created_by_idx ON public.files USING btree (created_by);

CREATE INDEX fresh_starts_story_id_idx ON public.fresh_starts USING btree (story_id, created_at);

CREATE INDEX landings_product_idx ON public.landings USING btree (product_id, created_at);

ALTER TABLE "public"."products" ADD COLUMN "landing_since" timestamp with time zone NOT NULL DEFAULT private.now();

ALTER TABLE "public"."products" ADD CONSTRAINT "products_may_reach_hosts" CHECK (private.are_hosts(may_reach));

CREATE INDEX ideas_search_idx ON public.ideas USING gin (private.scoped_words(user_id, code, title, description)) WITH (fastupdate=off);

CREATE INDEX pbis_search_idx ON public.pbis USING gin (private.scoped_words(product_id, code, title, description)) WITH (fastupdate=off);

CREATE INDEX stories_search_idx ON public.stories USING gin (private.scoped_words(product_id, code, title, description)) WITH (fastupdate=off);

CREATE INDEX tasks_search_idx ON public.tasks USING gin (private.scoped_words(product_id, code, title, description)) WITH (fastupdate=off);

update public.agent_questions q set reader_id = i.user_id from public.ideas i where i.id = q.idea_id;

delete from public.notices n using public.agent_questions q
where q.reader_id is not null and n.payload -> 'data' ->> 'id' = q.id::text
  and n.kind in ('question_opened', 'question_answered', 'question_expired') and n.user_id is distinct from q.reader_id;

update public.agent_jobs j set open_blockers = (
  select count(*) from public.task_executions e
  join public.tasks t on t.id = e.task_id
  cross join lateral (
    select b.id from public.task_dependencies d join public.tasks b on b.id = d.blocker_id and b.status <> 'DONE'
    where d.blocked_id = t.id and b.id not in (select task_id from public.task_executions where sprint_run_id = e.sprint_run_id)
    union all
    select b.id from public.story_dependencies d join public.stories b on b.id = d.blocker_id and b.status <> 'DONE'
    where d.blocked_id = t.story_id and exists (
      select from public.tasks o where o.story_id = b.id and o.status <> 'DONE'
        and o.id not in (select task_id from public.task_executions where sprint_run_id = e.sprint_run_id))
  ) b
  where e.sprint_run_id = j.sprint_run_id and e.status in ('PENDING', 'RUNNING'))
where j.kind = 'SPRINT_IMPLEMENTATION' and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');

CREATE TABLE "public"."job_guides" ("job_id" uuid NOT NULL, "attempt" integer NOT NULL, "product_id" uuid NOT NULL, "head_sha" text NOT NULL, "chapters" jsonb NOT NULL, CONSTRAINT "job_guides_chapters_list" CHECK (((jsonb_typeof(chapters) = 'array'::text) AND (octet_length((chapters)::text) <= 1000000))), CONSTRAINT "job_guides_head_sha_length" CHECK ((char_length(head_sha) <= 64)), CONSTRAINT "job_guides_pkey" PRIMARY KEY (job_id, attempt));

ALTER TABLE "public"."job_guides" ADD CONSTRAINT "job_guides_job_id_fkey" FOREIGN KEY (job_id) REFERENCES public.agent_jobs(id) ON DELETE CASCADE;

ALTER TABLE "public"."job_guides" ADD CONSTRAINT "job_guides_product_id_fkey" FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;

CREATE INDEX job_guides_product_id_idx ON public.job_guides USING btree (product_id);

-- Types say nothing of themselves from here on.
do $$
declare
  v_type regtype;
begin
  for v_type in
    select t.oid from pg_catalog.pg_type t join pg_catalog.pg_description d on d.objoid = t.oid and d.classoid = 'pg_type'::regclass
    where t.typnamespace in ('public'::regnamespace, 'private'::regnamespace) and t.typtype in ('e', 'c')
  loop
    execute format('comment on type %s is null', v_type);
  end loop;
end;
$$;

comment on function private.now is null;
